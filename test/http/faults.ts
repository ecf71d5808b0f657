import { afterEach, beforeEach, expect, vi } from "vitest";
import { FaultInjector } from "../../src/core/operations/injector.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/server/start.ts";
import {
  type Answer,
  type Call,
  control,
  type Json,
  send as sendCall,
} from "../support/gateway.ts";
import { BUYER, RECEIVER } from "../support/calls.ts";
import { type Merchant, startMerchant } from "../support/merchant.ts";

export let merchant: Merchant;
export let sandbox: Sandbox;
export let token: string;

/** How many calls of this test have begun to suffer, and how many that were held have been given up. */
export let suffered: Count;
export let dropped: Count;

export const add = (body: Json, whose: string | null = token): Promise<Json> =>
  control(sandbox, whose ?? undefined, "POST /faults", body);
export const show = async (id: unknown): Promise<Json> =>
  control(sandbox, undefined, `GET /faults/${String(id)}`);
export const settle = () => control(sandbox, undefined, "POST /settle");
export const advance = (seconds: number) =>
  control(sandbox, undefined, "POST /clock/advance", { seconds });
export const deliveries = async (): Promise<Json[]> =>
  (await control(sandbox, undefined, "GET /deliveries"))["data"] as Json[];

interface Sent extends Omit<Call, "path"> {
  readonly key?: string;
  readonly fault?: string;
  readonly members?: Json;
}

export const send = (
  path: string,
  body: Json,
  { key, fault, members, headers, ...rest }: Sent = {},
) =>
  sendCall(sandbox, {
    path,
    token,
    ...rest,
    headers: {
      ...headers,
      ...(key !== undefined && { "x-idempotency-key": key }),
      ...(fault !== undefined && { "x-sandbox-fault": fault }),
    },
    body: { ...body, ...members },
  });
export const createPayin = (sent?: Sent) =>
  send("/v1/payins", { ...BUYER, webhook_url: merchant.url }, sent);
export const createPayout = (sent?: Sent) =>
  send("/v1/payouts", { ...RECEIVER, webhook_url: merchant.url }, sent);
export const simulate = (noun: "payin" | "payout", id: unknown, sent?: Sent) =>
  send(`/v1/${noun}s/simulations`, { transaction_id: id, status: "completed" }, sent);
export const idOf = ({ json }: Answer): string => (json as { id: string }).id;
export const paid = async (sent?: Sent): Promise<string> => {
  const id = idOf(await createPayin());
  expect((await simulate("payin", id, sent)).status).toBe(200);
  return id;
};

/** Counts, and says when there were so many. */
class Count {
  #count = 0;
  readonly #waiting = new Set<() => void>();

  add(): void {
    this.#count += 1;
    for (const look of this.#waiting) look();
  }

  until(count: number): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.#count >= count) resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }
}

/** No route reports when a call gets its fault or is dropped: these tests listen inside the sandbox. */
function listenToFaults(): void {
  const { take } = FaultInjector.prototype;
  vi.spyOn(FaultInjector.prototype, "take").mockImplementation(function (
    this: FaultInjector,
    sent,
  ) {
    const fault = take.call(this, sent);
    if (fault) suffered.add();
    return fault;
  });
  const { wait } = FaultInjector.prototype;
  vi.spyOn(FaultInjector.prototype, "wait").mockImplementation(function (
    this: FaultInjector,
    ...of
  ) {
    const waiting = wait.apply(this, of);
    waiting.turn.catch(() => dropped.add());
    return waiting;
  });
}

export function useFaults(options: SandboxOptions = {}): void {
  beforeEach(async () => {
    suffered = new Count();
    dropped = new Count();
    listenToFaults();
    token = "shop";
    merchant = await startMerchant();
    sandbox = await startSandbox({
      seed: "42",
      clock: "frozen",
      now: new Date("2026-11-21T12:00:00Z"),
      ...options,
    });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await sandbox.close();
    await merchant.close();
  });
}

export function replaceSandbox(value: Sandbox): void {
  sandbox = value;
}
