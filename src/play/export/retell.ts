import { randomUUID } from "node:crypto";
import { readEffect } from "../../core/faults/effects.ts";
import type { WirePayin } from "../../core/records/payin.ts";
import type { WirePayout } from "../../core/records/payout.ts";
import type { WireDelivery } from "../../core/state/wire.ts";
import { differencesOf } from "../scenario/difference.ts";
import { resolve } from "../scenario/references.ts";
import { type Message, say } from "../../text/message.ts";
import {
  type Happening,
  type Happenings,
  isCanceledAtOnce,
  type LoggedCall,
  readHappenings,
  type Assumed,
  type History,
} from "./happenings.ts";

type WireTransaction = WirePayin | WirePayout;
type Members = Readonly<Record<string, unknown>>;

/** A call, with references to the responses of earlier ones, and the expected response. */
export interface ExportedStep {
  /** The integration that calls, from 0 on. */
  readonly integration: number;
  readonly call: string;
  readonly body?: Members | undefined;
  /** The value of `x-sandbox-fault`. */
  readonly fault?: string | undefined;
  /** Two steps with the same key send the same `x-idempotency-key`. */
  readonly key?: string | undefined;
  /** The name of the response. */
  readonly as?: string | undefined;
  readonly answer: { readonly status?: number; readonly body?: Members; readonly lost?: true };
}

/** What happened in a sandbox, as calls that repeat it in a fresh one. */
export interface Export {
  readonly about: Message;
  /** What they do not repeat, and why: one sentence each. */
  readonly notes: readonly Message[];
  readonly steps: readonly ExportedStep[];
}

/** What stands for the address of the receiver of webhooks. */
export const WEBHOOK_URL = "{{merchant.url}}";
/** What a reference to `{{` looks like. */
export const LITERAL_BRACES = '{{"{{"}}';

/** A new sandbox, in which a history is repeated. */
export interface FreshSandbox extends AsyncDisposable {
  readonly url: string;
  headers(token?: string): Record<string, string>;
  fetch(path: string, init: RequestInit): Promise<Response>;
}

/**
 * Repeats a history in a fresh sandbox of this process, so that the export contains no step that fails. What does not
 * pass there is left out, with what depends on it.
 */
export async function retell(
  history: History,
  start: () => Promise<FreshSandbox>,
): Promise<Export> {
  const happenings = readHappenings(history);
  const skipped = new Set<Happening>();
  for (;;) {
    await using sandbox = await start();
    const teller = new Teller(history, sandbox);
    const failed = await teller.tell(happenings.inOrder.filter((one) => !skipped.has(one)));
    if (failed) {
      skipped.add(failed);
      continue;
    }
    const { payins, payouts } = history;
    return {
      about: say`What happened in a sandbox: payins: ${payins.length}, payouts: ${payouts.length}.`,
      notes: notesOn(history, happenings, skipped.size + teller.left),
      steps: teller.steps,
    };
  }
}

function notesOn(
  { payins, payouts, deliveries }: History,
  { rebuilt, unread, forgotten }: Happenings,
  left: number,
): Message[] {
  const reorders = deliveries.filter(isReordered).length;
  const failures = deliveries.filter(
    ({ fault, attempts }) => fault === undefined && attempts.some(hasFailed),
  ).length;
  const notes: readonly (readonly [number, Message])[] = [
    [
      rebuilt,
      say`The request log does not have the creation of ${rebuilt} of ${payins.length + payouts.length} transactions: they are rebuilt from their records, without refused calls and retries.`,
    ],
    [unread, say`Requests that cannot be repeated are left out: ${unread}.`],
    [forgotten, say`Requests whose transactions no longer exist are left out: ${forgotten}.`],
    [reorders, say`The order of reordered webhooks is not repeated: ${reorders}.`],
    [
      failures,
      say`Webhooks had attempts that failed; here the receiver responds with 200 to the first attempt: ${failures}.`,
    ],
    [left, say`Steps that do not pass in a fresh sandbox are left out: ${left}.`],
  ];
  return notes.filter(([count]) => count > 0).map(([, note]) => note);
}

function isReordered({ fault = "" }: WireDelivery): boolean {
  return readEffect(fault)?.kind === "reorder";
}

function hasFailed(attempt: WireDelivery["attempts"][number]): boolean {
  return !("status" in attempt) || attempt.status < 200 || attempt.status > 299;
}

/**
 * Choices that are not made: they need more than a call (`credentials`), depend on real time, or steps of their own
 * make their effect happen.
 */
const UNTOLD: ReadonlySet<string> = new Set([
  "credentials",
  "environment",
  "rate_limit.per_minute",
  "idempotency.retention_seconds",
  "payout.auto",
  "webhook.retries",
  "webhook.timeout_seconds",
]);

/** The effects after which a webhook may not be delivered yet when all else is. */
const LATE: ReadonlySet<string | undefined> = new Set(["delay_ms", "drop_attempts"]);

/** A step that did not have the expected response. */
class Failed extends Error {
  override readonly name = "Failed";
}

/** Tells what happened step by step, by doing it. */
class Teller {
  readonly steps: ExportedStep[] = [];
  /** How many steps were left out. */
  left = 0;
  readonly #history: History;
  readonly #sandbox: FreshSandbox;
  readonly #records: ReadonlyMap<string, WireTransaction>;
  /** By transaction. */
  readonly #deliveries = new Map<string, readonly WireDelivery[]>();
  /** The choices that are in force, by token: an integration's number is its place. */
  readonly #assumed = new Map<string, Record<string, string | number>>();
  /** References to the ids of transactions, by their ids in the history. */
  readonly #references = new Map<string, string>();
  /** The responses by their names. */
  readonly #values = new Map<string, unknown>();
  readonly #keys = new Map<string, string>();
  readonly #counts = { payin: 0, payout: 0 };

  constructor(history: History, sandbox: FreshSandbox) {
    const { payins, payouts, deliveries } = history;
    this.#history = history;
    this.#sandbox = sandbox;
    this.#records = new Map([...payins, ...payouts].map((one) => [one.id, one]));
    for (const one of deliveries) {
      const others = this.#deliveries.get(one.transaction_id) ?? [];
      this.#deliveries.set(one.transaction_id, [...others, one]);
    }
    this.#values.set("merchant", { url: `${sandbox.url}/_sandbox/sink/export` });
  }

  /** @returns what did not pass, and may have changed what comes after it */
  async tell(happenings: readonly Happening[]): Promise<Happening | undefined> {
    // A payin must not expire before its time, however slowly the steps are run.
    const isFrozen = this.#history.payins.some(({ status }) => status === "expired");
    const [first] = happenings;
    for (const happening of happenings) {
      try {
        if (isFrozen && happening === first)
          await this.#do(tokenOf(happening), { call: "POST /_sandbox/clock/freeze" });
        await this.#tell(happening);
      } catch (error) {
        if (error instanceof Failed) return happening;
        throw error;
      }
    }
    for (const token of this.#assumed.keys())
      await this.#do(token, { call: "POST /_sandbox/settle" });
    for (const record of this.#records.values()) await this.#lookAt(record);
    return undefined;
  }

  async #tell(happening: Happening): Promise<void> {
    await this.#enter(tokenOf(happening));
    if (happening.kind === "called") return this.#repeat(happening.call);
    const { record } = happening;
    if (happening.kind === "settled") return this.#settle(record);
    const body = rebuiltBody(record);
    return this.#create(record, { call: `POST /v1/${nounOf(record)}s`, body });
  }

  /** Makes the choices of an integration, and configures its webhook if no logged call did. */
  async #enter(token: string): Promise<void> {
    if (this.#assumed.has(token)) return;
    this.#assumed.set(token, {});
    await this.#assume(token, this.#history.assumptions.get(token) ?? {});
    const { requests, deliveries } = this.#history;
    const isLogged = requests.some(
      ({ method, path, integration, status }) =>
        `${method} ${path} ${status}` === "PUT /v1/webhooks 200" && integration === token,
    );
    const types = deliveries
      .filter(({ transaction_id: id }) => this.#records.get(id)?.integration === token)
      .flatMap(({ type }) => (type.startsWith("payment.") ? [type] : []));
    if (isLogged || types.length === 0) return;
    const body = { webhook_url: WEBHOOK_URL, events: [...new Set(types)].toSorted() };
    await this.#do(token, { call: "PUT /v1/webhooks", body });
  }

  async #assume(token: string, wanted: Assumed): Promise<void> {
    const held = this.#assumed.get(token) ?? {};
    const changes = Object.entries(wanted).filter(
      ([name, choice]) => !UNTOLD.has(name) && String(held[name]) !== String(choice),
    );
    if (changes.length === 0) return;
    const body = Object.fromEntries(changes);
    Object.assign(held, body);
    await this.#do(token, { call: "PATCH /_sandbox/assumptions", body });
  }

  async #repeat(call: LoggedCall): Promise<void> {
    const { kind, method, path, token, status, code, transactionId: id = "" } = call;
    await this.#assume(token, call.assumed);
    const record = this.#records.get(id);
    const reference = this.#references.get(id);
    const step = { call: `${method} ${path}`, body: bodyOf(call) };
    const key = kind === "create" ? this.#keyOf(token, call.key) : undefined;
    if (status === 200 && kind === "create" && record && reference === undefined)
      return this.#create(record, { ...step, key }, call.isLost);
    if (status === 200 && kind !== "webhook" && reference === undefined) throw new Failed();
    const isSettling =
      kind === "simulate" && status === 200 && call.isLost && !(await this.#isSettled(record));
    const body = { ...(code !== undefined && { code }) };
    return this.#do(token, {
      ...step,
      key,
      ...(kind === "simulate" &&
        reference !== undefined && { body: { ...step.body, transaction_id: reference } }),
      fault: isSettling ? "lost_answer" : call.isInjected ? `error=${code}` : undefined,
      answer: isSettling
        ? { lost: true }
        : {
            status,
            ...(status === 200 && kind === "create" ? { body: { id: reference } } : { body }),
          },
    });
  }

  async #create(
    record: WireTransaction,
    { call, body, key }: Pick<ExportedStep, "call" | "body" | "key">,
    isLost = false,
  ): Promise<void> {
    const { integration: token, id } = record;
    const noun = nounOf(record);
    const as = `${noun}_${++this.#counts[noun]}`;
    const faulty = (this.#deliveries.get(id) ?? []).filter(
      (one) => one.fault !== undefined && !isReordered(one),
    );
    const effect = faulty[0]?.fault;
    const isAtOnce = isCanceledAtOnce(record);
    const creation = { call, body, key: key ?? this.#keyOf(token, as) };
    if (isLost) {
      await this.#do(token, { ...creation, fault: "lost_answer", answer: { lost: true } });
      await this.#do(token, { call: `GET /_sandbox/${noun}s?order=desc&limit=1`, as });
      this.#references.set(id, `{{${as}.data.0.id}}`);
    } else {
      await this.#do(token, { ...creation, as, fault: isAtOnce ? effect : undefined });
      this.#references.set(id, `{{${as}.id}}`);
    }
    if (effect === undefined || isAtOnce) return;
    const match = { id: this.#references.get(id) };
    const fault = { on: "webhook", effect, times: faulty.length, match };
    await this.#do(token, { call: "POST /_sandbox/faults", body: fault });
  }

  /** Brings a transaction to its final status, unless it has it, such as by its rival. */
  async #settle(record: WireTransaction): Promise<void> {
    const { id, integration: token, status } = record;
    const reference = this.#references.get(id);
    if (reference === undefined) throw new Failed();
    const noun = nounOf(record);
    if (this.#deliveries.get(id)?.some(({ type }) => type === "payin.expired"))
      await this.#assume(token, { "payin.expiry_event": "webhook" });
    if (await this.#isSettled(record)) return;
    if (
      noun === "payin" &&
      status === "completed" &&
      this.#assumed.get(token)?.["payin.paid_status"] !== "completed"
    )
      return this.#do(token, {
        call: "POST /v1/payins/simulations",
        body: { transaction_id: reference, status },
      });
    const moves: Partial<Record<string, string>> = { canceled: "cancel", expired: "expire" };
    const move = moves[status] ?? (noun === "payin" ? "pay" : "complete");
    return this.#do(token, {
      call: `POST /_sandbox/${noun}s/${reference}/${move}`,
      answer: { status: 200, body: { status } },
    });
  }

  async #isSettled(record: WireTransaction | undefined): Promise<boolean> {
    const path = record && `/_sandbox/${nounOf(record)}s/${this.#references.get(record.id)}`;
    const found = path && ((await this.#send(record.integration, `GET ${path}`)) as Reply);
    return found ? (found.body as Members)["status"] !== "waiting" : false;
  }

  /** Expects the final status and the webhooks of a transaction. */
  async #lookAt(record: WireTransaction): Promise<void> {
    const { id, integration: token, status, value } = record;
    const reference = this.#references.get(id);
    if (reference === undefined) return;
    const call = `GET /_sandbox/${nounOf(record)}s/${reference}`;
    const isAlike = await this.#do(token, {
      call,
      answer: { status: 200, body: { status, value } },
    })
      .then(() => true)
      .catch(() => false);
    if (!isAlike) {
      this.left += 1;
      return;
    }
    if (record.settled_at === null) return;
    const stored = this.#deliveries.get(id) ?? [];
    const list = `GET /_sandbox/deliveries?transaction_id=${reference}`;
    const sent = (await this.#send(token, list)) as { body: { data: readonly WireDelivery[] } };
    const { data } = sent.body;
    if (typesOf(data).join() !== typesOf(stored).join()) return;
    const isLate = stored.some(({ fault = "" }) => LATE.has(readEffect(fault)?.kind));
    const isDelivered = !isLate && !data.some(({ attempts }) => attempts.some(hasFailed));
    const expected = data.map(({ type, status: outcome, attempts }) =>
      isDelivered
        ? { type, status: outcome, attempts: attempts.map(() => ({ status: 200 })) }
        : { type },
    );
    await this.#do(token, { call: list, answer: { status: 200, body: { data: expected } } });
  }

  #keyOf(token: string, key: string): string {
    const original = JSON.stringify([token, key]);
    const known = this.#keys.get(original) ?? `key_${this.#keys.size + 1}`;
    this.#keys.set(original, known);
    return known;
  }

  /** Takes a step, which passes. */
  async #do(
    token: string,
    step: Partial<ExportedStep> & Pick<ExportedStep, "call">,
  ): Promise<void> {
    const integration = [...this.#assumed.keys()].indexOf(token);
    const { answer = { status: 200 } } = step;
    const whole = { ...step, answer, integration: Math.max(0, integration) };
    const found = await this.#send(token, step.call, step);
    const { lost = false, ...expected } = answer;
    const wanted = this.#resolved(expected);
    if (lost ? found : !found || differencesOf(wanted, found).length > 0) throw new Failed();
    if (step.as !== undefined) this.#values.set(step.as, found?.body);
    this.steps.push(whole);
  }

  /** @returns undefined if the response is lost. */
  async #send(
    token: string,
    call: string,
    { body, key = randomUUID(), fault }: Partial<ExportedStep> = {},
  ): Promise<Reply | undefined> {
    const [method = "", path = ""] = call.split(" ");
    const headers = {
      ...this.#sandbox.headers(token),
      "x-idempotency-key": key,
      "content-type": "application/json",
      ...(fault !== undefined && { "x-sandbox-fault": fault }),
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(this.#resolved(body)) };
    try {
      const target = String(this.#resolved(path));
      const response = await this.#sandbox.fetch(target, { method, headers, ...sent });
      return { status: response.status, body: await response.json() };
    } catch (error) {
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  }

  #resolved(value: unknown): unknown {
    return resolve(value, (name, path) =>
      path.reduce((found, member) => (found as Members)?.[member], this.#values.get(name)),
    );
  }
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

function tokenOf(happening: Happening): string {
  return happening.kind === "called" ? happening.call.token : happening.record.integration;
}

function nounOf(record: WireTransaction): "payin" | "payout" {
  return "pix_key" in record ? "payout" : "payin";
}

function typesOf(deliveries: readonly WireDelivery[]): readonly string[] {
  return deliveries.map(({ type }) => type).toSorted();
}

/** The body of a call in which the webhook address is a reference, unless the call was refused for it. */
function bodyOf({ body, isAboutWebhookUrl }: LoggedCall): Members | undefined {
  if (body === undefined) return undefined;
  const { webhook_url: url } = body;
  const isReceiver = typeof url === "string" && /^https?:/i.test(url) && !isAboutWebhookUrl;
  const literal = withLiteralBraces(body) as Members;
  return isReceiver ? { ...literal, webhook_url: WEBHOOK_URL } : literal;
}

/** Braces in a text from outside begin no reference. */
function withLiteralBraces(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_name, one: unknown) =>
    typeof one === "string" ? one.replaceAll("{{", LITERAL_BRACES) : one,
  );
}

/** The request of a record. */
function rebuiltBody(record: WireTransaction): Members {
  const members =
    nounOf(record) === "payin"
      ? ["buyer_cpf", "buyer_name", "buyer_email", "generate_qrcode", "expiration"]
      : ["receiver_cpf", "receiver_name", "receiver_email", "pix_key", "pix_key_type"];
  const all = Object.entries(record).filter(([name]) =>
    ["value", "description", ...members].includes(name),
  );
  return { ...(withLiteralBraces(Object.fromEntries(all)) as Members), webhook_url: WEBHOOK_URL };
}
