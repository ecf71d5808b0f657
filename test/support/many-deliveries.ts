import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startServe } from "./cli.ts";
import { createFolder } from "./folder.ts";
import { type Program, startProgram } from "./process.ts";
import { type Calls, callsTo, type Shown } from "./calls.ts";

const MERCHANT = fileURLToPath(new URL("../process/e2e/verifying-merchant.js", import.meta.url));
const AT_ONCE = 48;
/** One in so many webhooks, of either kind, goes to the address that has the longest line, */
const IN_LINE = 5;
/** and so many addresses share the rest. */
const ADDRESSES = 300;
/** Who takes about a second to answer is not waited for any longer, and may then be told out of order. */
const PROMPT_MS = 900;

const SILENT = 50;
/** More than one origin may have under way at once; all together, more than there are places. */
const TO_EACH_SILENT = 20;
const HOUR_SECONDS = 3600;

/** Describes that many webhooks all arrive, also beside receivers that never answer. */
export function describeManyDeliveries({
  count,
  receivers,
}: {
  readonly count: number;
  readonly receivers: number;
}): void {
  describe("a merchant in another process", { timeout: 120_000 + count * 30 }, () => {
    it(`verifies each of ${count} webhooks, which come once each and in order at every address`, async () => {
      await using folder = await createFolder();
      await using sandbox = await startServe([
        `--state=${folder.at("state.json")}`,
        `--keep-deliveries=${count}`,
        "--clock=frozen",
        "--assume=payin.expiry_event=webhook",
      ]);
      await using merchant = await startVerifying(sandbox.secret);
      const calls = callsTo(sandbox.url);
      // Half of them are paid, one call each; the others expire in the same moment.
      await many(count, async (index) => {
        const path = index % IN_LINE === 0 ? "/hook" : `/orders/${index % ADDRESSES}`;
        const { body } = await calls.createPayin({ webhook_url: merchant.at(path) });
        if (index % 2 === 0) await calls.simulate("payin", body.id);
      });
      await calls.advance(HOUR_SECONDS);

      const { verified, refused, arrived } = await merchant.report(count);
      expect({ verified, refused }).toEqual({ verified: count, refused: [] });
      const deliveries = await allDeliveries(calls);
      const types = new Set(deliveries.map(({ type }) => type));
      expect(types).toEqual(new Set(["payin.paid", "payin.expired"]));
      for (const { status, attempts } of deliveries)
        expect([status, ...attempts.map((one) => one.status)]).toEqual(["delivered", 204]);

      const ids = deliveries.map(({ id }) => id);
      expect(new Set(ids).size).toBe(count);
      expect(Object.values(arrived).flat().toSorted()).toEqual(ids.toSorted());
      for (const [url, sent] of byUrl(deliveries)) {
        const isPrompt = sent.every(({ attempts: [only] }) => (only?.duration_ms ?? 0) < PROMPT_MS);
        if (isPrompt)
          expect([url, ...(arrived[url] ?? [])]).toEqual([url, ...sent.map(({ id }) => id)]);
      }
    });
  });

  describe("receivers that never answer", { timeout: 120_000 }, () => {
    it(`keep none of the others waiting: ${SILENT} of ${receivers}, with more for them than there are places`, async () => {
      await using sandbox = await startServe([
        "--memory",
        "--clock=frozen",
        "--assume=payin.expiry_event=webhook",
        `--assume=webhook.timeout_seconds=${HOUR_SECONDS}`,
      ]);
      await using merchant = await startVerifying(
        sandbox.secret,
        `--ports=${receivers}`,
        `--silent=${SILENT}`,
      );
      const calls = callsTo(sandbox.url);
      await many(SILENT * TO_EACH_SILENT, async (index) => {
        await calls.createPayin({ webhook_url: merchant.at(`/orders/${index}`, index % SILENT) });
      });
      await many(receivers - SILENT, async (index) => {
        await calls.createPayin({ webhook_url: merchant.at("/hook", SILENT + index) });
      });
      // All of them expire in the same moment, the silent ones' first; it waits for every answer, and so for ever.
      calls.advance(HOUR_SECONDS).catch(() => undefined);

      const { verified, refused } = await merchant.report(receivers - SILENT);
      expect({ verified, refused }).toEqual({ verified: receivers - SILENT, refused: [] });
      const untold = (await allDeliveries(calls)).filter(
        ({ url }) => new URL(url).pathname !== "/hook",
      );
      expect(untold).toHaveLength(SILENT * TO_EACH_SILENT);
      // Not one of them has been given up, and made way by that.
      expect(untold.filter(({ attempts }) => attempts.length > 0)).toEqual([]);
    });
  });
}

interface Report {
  readonly verified: number;
  readonly refused: readonly string[];
  /** The ids of webhooks by address, in the order of their arrival. */
  readonly arrived: Readonly<Record<string, readonly string[]>>;
}

interface Verifying extends AsyncDisposable {
  /** The address of a path on one of its ports. */
  at(path: string, port?: number): string;
  /** Resolves once so many webhooks have been verified and answered, or one has been refused. */
  report(count: number): Promise<Report>;
}

async function startVerifying(secret: string, ...options: string[]): Promise<Verifying> {
  const program: Program = startProgram(MERCHANT, ["--secret", secret, ...options]);
  const [line = ""] = await program.lines("stdout", 1);
  const { ports } = JSON.parse(line) as { ports: readonly number[] };
  const at: Verifying["at"] = (path, port = 0) => `http://127.0.0.1:${ports[port]}${path}`;
  return {
    at,
    report: async (count) => (await (await fetch(at(`/report?count=${count}`))).json()) as Report,
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

/** Does something so many times, some dozens at once. */
async function many(count: number, act: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const workers = Array.from({ length: AT_ONCE }, async () => {
    while (next < count) await act(next++);
  });
  await Promise.all(workers);
}

async function allDeliveries(calls: Calls): Promise<readonly Shown[]> {
  const deliveries: Shown[] = [];
  let after = "";
  for (;;) {
    const { data, next } = await calls.control<{ data: readonly Shown[]; next: string | null }>(
      "GET",
      `/deliveries?limit=1000${after}`,
    );
    deliveries.push(...data);
    if (next === null) return deliveries;
    after = `&after=${next}`;
  }
}

function byUrl(deliveries: readonly Shown[]): ReadonlyMap<string, readonly Shown[]> {
  const groups = new Map<string, Shown[]>();
  for (const one of deliveries) {
    const group = groups.get(one.url) ?? [];
    group.push(one);
    groups.set(one.url, group);
  }
  return groups;
}
