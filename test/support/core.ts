import { type Assumptions, STANDARD_ASSUMPTIONS } from "../../src/core/assumptions/table.ts";
import { Clock, type ClockSetting } from "../../src/core/time/clock.ts";
import { type Attempt, type Delivery, withAttempt } from "../../src/core/records/delivery.ts";
import { Events, type NumberedEvent } from "../../src/core/state/events.ts";
import { type Creation, Gateway, type Simulated } from "../../src/core/operations/gateway.ts";
import { AssumptionTrace } from "../../src/core/assumptions/trace.ts";
import type {
  Draft,
  Kind,
  Payin,
  PayinDraft,
  Payout,
  PayoutDraft,
  Row,
  Transaction,
  TransactionOf,
  WebhookConfiguration,
} from "../../src/core/records/transaction.ts";
import { toIso } from "../../src/wire/timestamp.ts";
import { Ids } from "../../src/core/records/ids.ts";
import type { Timer, WebhookSender, Store } from "../../src/core/state/ports.ts";
import { type Change, type Lists, putsOf, Records } from "../../src/core/state/records.ts";
import { MemoryStore } from "../../src/store/memory.ts";

/** When the sandbox's time begins in tests. */
export const START_MS = Date.parse("2026-11-21T12:00:00.000Z");

export function payinDraft(members: Partial<PayinDraft> = {}): PayinDraft {
  return {
    value: 10.5,
    buyer_cpf: "12345678909",
    buyer_name: "Maria da Silva",
    buyer_email: "maria@example.com",
    webhook_url: "http://127.0.0.1:9999/hook",
    generate_qrcode: false,
    expiration: 240,
    ...members,
  };
}

export function payoutDraft(members: Partial<PayoutDraft> = {}): PayoutDraft {
  return {
    value: 25,
    receiver_cpf: "52998224725",
    receiver_name: "José de Souza",
    receiver_email: "jose@example.com",
    webhook_url: "http://127.0.0.1:9999/hook",
    pix_key: "52998224725",
    pix_key_type: "cpf",
    ...members,
  };
}

/** Members of a row and of its record. */
type Described<Shown> = Partial<Omit<Shown, "description">> & { description?: string | undefined };
export type PayinRow = RowMembers & Described<Payin>;
export type PayoutRow = RowMembers & Described<Payout>;
type RowMembers = Partial<Omit<Row<Kind, unknown>, "kind" | "record">>;

/** A row with some members of itself and of its record. */
export function payin(members: PayinRow = {}): TransactionOf<"payin"> {
  const record: Payin = {
    id: "11111111-1111-4111-8111-111111111111",
    status: "waiting",
    ...payinDraft(),
    pix_id: "0123456789abcdef0123456789abcdef",
    acquirer_id: "22222222-2222-4222-8222-222222222222",
    end_to_end_id: null,
    qr_code: "000201",
    created_at: toIso(START_MS),
    expires_at: toIso(START_MS + 240_000),
    settled_at: null,
    integration: "shop",
  };
  return rowOf("payin", record, { dueMs: START_MS + 240_000, ...members });
}

export function payout(members: PayoutRow = {}): TransactionOf<"payout"> {
  const record: Payout = {
    id: "33333333-3333-4333-8333-333333333333",
    status: "waiting",
    ...payoutDraft(),
    end_to_end_id: null,
    created_at: toIso(START_MS),
    settled_at: null,
    integration: "shop",
  };
  return rowOf("payout", record, members);
}

function rowOf<Name extends Kind, Shown extends Payin | Payout>(
  kind: Name,
  record: Shown,
  { ordinal = 1, key = "order-1", request = "{}", ...rest }: RowMembers & object,
): Row<Name, Shown> {
  const { dueMs = null, whenDue, fixture, ...members } = rest;
  const isFinal = "status" in members && members.status !== "waiting";
  return {
    kind,
    record: { ...record, ...members },
    ordinal,
    key,
    request,
    dueMs: isFinal ? null : dueMs,
    ...(whenDue && { whenDue }),
    ...(fixture !== undefined && { fixture }),
  };
}

export function delivery(members: Partial<Delivery> = {}): Delivery {
  return {
    id: "evt_0123456789abcdef0123456789abcdef",
    integration: "shop",
    type: "payin.paid",
    transaction: "payin",
    transactionId: "11111111-1111-4111-8111-111111111111",
    url: "http://127.0.0.1:9999/hook",
    body: "{}",
    status: "pending",
    attempts: [],
    nextAttemptAtMs: START_MS,
    createdAtMs: START_MS,
    ...members,
  };
}

export function attempt(members: Partial<Attempt> = {}): Attempt {
  return {
    atMs: START_MS,
    durationMs: 3,
    status: 200,
    error: null,
    signature: "v1,c2lnbmF0dXJl",
    response: "",
    ...members,
  };
}

/** The standard choices with some changed. */
export function assume(changes: Partial<Assumptions> = {}): Assumptions {
  return { ...STANDARD_ASSUMPTIONS, ...changes };
}

/** Numbers from 0 up to 1, the same ones for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The events after a number that there are now. */
export async function eventsAfter(
  events: Events,
  id = 0,
  integration: string | null = null,
): Promise<NumberedEvent[]> {
  const all: NumberedEvent[] = [];
  for await (const batch of events.after(id, integration, AbortSignal.abort())) all.push(...batch);
  return all;
}

/** The payins of a state, in their order, as they are shown. */
export function payinsOf({ transactions }: Records): Payin[] {
  return transactions.all().flatMap(({ kind, record }) => (kind === "payin" ? [record] : []));
}

export function payoutsOf({ transactions }: Records): Payout[] {
  return transactions.all().flatMap(({ kind, record }) => (kind === "payout" ? [record] : []));
}

/** The rows that a change puts, by table. */
export function listsIn(change: Change = []): Lists {
  const lists: Record<string, unknown[]> = {};
  for (const [table, row] of change) if (table !== "reset" && row) (lists[table] ??= []).push(row);
  return lists;
}

/** The next of many changes: payins and payouts come and are settled, with deliveries and their attempts. */
export function randomChange(records: Records, random: () => number, step: number): Change {
  const pick = <One>(rows: readonly One[]): One | undefined =>
    rows[Math.floor(random() * rows.length)];
  const kind = Math.floor(random() * 5);
  const integration = random() < 0.5 ? "shop" : "other";
  const added = () => ({ integration, ordinal: step, key: `order ${step}` });
  if (kind === 0) return [["transactions", payin({ id: `payin ${step}`, ...added() })]];
  if (kind === 1) {
    const receiver_cpf = String(step % 7);
    return [["transactions", payout({ id: `payout ${step}`, receiver_cpf, ...added() })]];
  }
  const waiting = pick(
    records.transactions
      .all()
      .filter(({ dueMs, record }) => dueMs !== null || record.status === "waiting"),
  );
  if ((kind === 2 || kind === 3) && waiting) {
    const status = waiting.kind === "payin" ? "paid" : "canceled";
    const settled = { ...waiting, dueMs: null };
    const transaction = { ...settled, record: { ...waiting.record, status } } as Transaction;
    const own = { integration: waiting.record.integration };
    const deliveries = ["a", "b"].map((letter) => delivery({ id: `evt_${step}${letter}`, ...own }));
    return putsOf({ transactions: [transaction], deliveries });
  }
  const isResend = random() < 0.2;
  const tried = pick(
    records.deliveries.all().filter(({ status }) => isResend || status === "pending"),
  );
  if (!tried) return [];
  const status = random() < 0.3 ? 200 : 500;
  const made = attempt({ status, ...(isResend && { isResend }) });
  return putsOf({ deliveries: [withAttempt(tried, made, assume(), START_MS + step)] });
}

/** 128 hexadecimal digits that depend on every character: enough of a hash for a test. */
export function fakeDigest(text: string): string {
  let seed = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    seed = Math.imul(seed ^ text.charCodeAt(index), 0x01000193) >>> 0;
  const random = randomFrom(seed);
  return Array.from({ length: 128 }, () => Math.floor(random() * 16).toString(16)).join("");
}

/** A store whose changes apply at once and are durable when the test says so. */
export class HeldStore implements Store {
  readonly records: Records;
  readonly changes: Change[] = [];
  onRecovered: (() => void) | undefined;
  isDegraded = false;
  #isHeld = false;
  #durable = 0;
  readonly #waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];

  constructor(records = new Records()) {
    this.records = records;
  }

  /** From now on nothing becomes durable. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Holds nothing any more. */
  letGo(): void {
    this.#isHeld = false;
    this.release();
  }

  /** All that is applied so far becomes durable. */
  release(): void {
    this.#durable = this.changes.length;
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  /** What is applied and not durable is lost. */
  fail(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  commit(change: Change): void {
    this.changes.push(change);
    this.records.apply(change);
    if (!this.#isHeld) this.#durable = this.changes.length;
  }

  get isDurable(): boolean {
    return this.#durable === this.changes.length;
  }

  durable(): Promise<void> {
    if (this.isDurable) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  async close(): Promise<void> {}
}

/** A gateway with nothing real about it: its time stands still until the test moves it, and nothing is sent. */
export interface TestGateway {
  readonly gateway: Gateway;
  readonly store: Store;
  readonly records: Records;
  readonly clock: Clock;
  /** The deliveries whose attempts were begun, in order. */
  readonly started: Delivery[];
}

export function createGateway({
  store = new MemoryStore(),
  setting = { mode: "frozen", nowMs: START_MS },
  realNowMs = () => START_MS,
  assumptions = {},
  seed = "seed",
  startDelivery,
  dropDeliveries = () => undefined,
}: {
  store?: Store;
  setting?: ClockSetting;
  realNowMs?: () => number;
  assumptions?: Partial<Assumptions>;
  seed?: string;
  startDelivery?: (delivery: Delivery) => void;
  dropDeliveries?: (integration: string | null) => void;
} = {}): TestGateway {
  const started: Delivery[] = [];
  const clock = new Clock(realNowMs, setting);
  const gateway = new Gateway({
    store,
    clock,
    ids: new Ids(fakeDigest, seed),
    assumptions: assume(assumptions),
    brCode: { locationBase: "pix-sandbox.example", city: "SAO PAULO" },
    events: new Events(),
    closing: new AbortController().signal,
  });
  gateway.sender = {
    start: (one) => {
      started.push(one);
      startDelivery?.(one);
    },
    drop: dropDeliveries,
  };
  return { gateway, store, records: store.records, clock, started };
}

let calls = 0;

/** A call as the tests make it: it reads the choices that are in force. */
export type Call<Made extends Draft> = Omit<Creation, "trace" | "draft"> & { readonly draft: Made };
type CallMembers<Made extends Draft> = Partial<Omit<Call<Made>, "draft">> & {
  readonly draft?: Partial<Made>;
};

/** A first call that creates a payin; say its key to make it a repeat. */
export function payinCall(members: CallMembers<PayinDraft> = {}): Call<PayinDraft> {
  const draft = payinDraft(members.draft);
  const request = JSON.stringify(draft);
  return {
    integration: "shop",
    provider: "Loja da Maria",
    key: `key ${++calls}`,
    request,
    ...members,
    draft,
  };
}

/** A first call that creates a payout; say its key to make it a repeat. */
export function payoutCall(members: CallMembers<PayoutDraft> = {}): Call<PayoutDraft> {
  const draft = payoutDraft(members.draft);
  const request = JSON.stringify(draft);
  return { integration: "shop", key: `key ${++calls}`, request, ...members, draft };
}

/** What is asked, with what reads the choices in force. */
export function traced<Asked extends { readonly integration: string }>(
  gateway: Gateway,
  asked: Asked,
) {
  return { ...asked, trace: new AssumptionTrace(gateway.assumptionsOf(asked.integration)) };
}

/** Makes a call as the pipeline does: it looks for a repeat first. */
async function create<Name extends Kind>(gateway: Gateway, kind: Name, call: Call<Draft>) {
  const asked = traced(gateway, call);
  const { transaction, isRepeat } = await (gateway.repeatOf(kind, asked) ??
    gateway.create(kind, asked));
  const found = transaction as TransactionOf<Name>;
  return { transaction: found, record: found.record as TransactionOf<Name>["record"], isRepeat };
}

export function createPayin(gateway: Gateway, call = payinCall()) {
  return create(gateway, "payin", call);
}

export function createPayout(gateway: Gateway, call = payoutCall()) {
  return create(gateway, "payout", call);
}

export function simulate(gateway: Gateway, kind: Kind, asked: Omit<Simulated, "trace">) {
  return gateway.simulate(kind, traced(gateway, asked));
}

export function configureWebhook(gateway: Gateway, configuration: WebhookConfiguration) {
  return gateway.put([["webhookConfigurations", configuration]]);
}

/** Lets everything happen that waits for nothing but its turn. */
export async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Whether a promise has come to its end, one way or the other. */
export function watch(promise: Promise<unknown>): { readonly isSettled: boolean } {
  const state = { isSettled: false };
  const settle = (): void => {
    state.isSettled = true;
  };
  promise.then(settle, settle);
  return state;
}

/** A promise that the test resolves. */
export function deferred<Value = void>(): {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
} {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Rings when the test says so. */
export class FakeAlarm implements Timer {
  /** The delay that is set now; undefined where none is. */
  delayMs: number | undefined;
  readonly delays: number[] = [];
  #ring: () => void = () => undefined;

  set(delayMs: number, ring: () => void): void {
    this.delayMs = delayMs;
    this.delays.push(delayMs);
    this.#ring = ring;
  }

  clear(): void {
    this.delayMs = undefined;
    this.#ring = () => undefined;
  }

  ring(): void {
    this.delayMs = undefined;
    this.#ring();
  }
}

/** Carries webhooks out to a merchant who answers as the test says; nothing leaves the process. */
export class FakeCourier implements WebhookSender {
  /** Each attempt that began: of what, and at which sandbox time. */
  readonly begun: { readonly id: string; readonly type: string; readonly atMs: number }[] = [];
  answer: (delivery: Delivery) => Attempt | Promise<Attempt> = () => attempt();
  /** Each run, and whose it is. */
  readonly #running = new Map<Promise<void>, string>();
  readonly #drops = new WeakMap<Promise<void>, () => void>();
  readonly #parts: () => { gateway: Gateway; clock: Clock };

  constructor(parts: () => { gateway: Gateway; clock: Clock }) {
    this.#parts = parts;
  }

  start(one: Delivery): void {
    void this.#run(one, {}).catch(() => undefined);
  }

  resend(one: Delivery): Promise<void> {
    return this.#run(one, { isResend: true });
  }

  async underWay(): Promise<void> {
    await Promise.all(this.#running.keys());
  }

  drop(integration: string | null): void {
    for (const [run, whose] of this.#running) {
      if (integration !== null && whose !== integration) continue;
      this.#running.delete(run);
      this.#drops.get(run)?.();
    }
  }

  async idle(integration: string | null): Promise<void> {
    for (;;) {
      const runs = [...this.#running].filter(
        ([, whose]) => integration === null || whose === integration,
      );
      if (runs.length === 0) return;
      await Promise.all(runs.map(([run]) => run));
    }
  }

  #run(one: Delivery, kind: Pick<Attempt, "isResend">): Promise<void> {
    const { clock } = this.#parts();
    const sandboxAtMs = clock.nowMs();
    this.begun.push({ id: one.id, type: one.type, atMs: sandboxAtMs });
    const dropped = deferred<"dropped">();
    const answered = (async () => this.answer(one))();
    const times = { ...kind, sandboxAtMs };
    const run = this.#attempt(one, times, Promise.race([answered, dropped.promise])).finally(() =>
      this.#running.delete(run),
    );
    this.#running.set(run, one.integration);
    this.#drops.set(run, () => dropped.resolve("dropped"));
    return run;
  }

  async #attempt(
    one: Delivery,
    kind: Pick<Attempt, "isResend" | "sandboxAtMs">,
    ending: Promise<Attempt | "dropped">,
  ): Promise<void> {
    const result = await ending;
    if (result === "dropped") return;
    await this.#parts().gateway.recordAttempt(one.id, { ...result, ...kind });
  }
}
