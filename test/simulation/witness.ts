import type { Delivery } from "../../src/core/records/delivery.ts";
import { toEpochMs } from "../../src/wire/timestamp.ts";
import type { Payin, Payout } from "../../src/core/records/transaction.ts";
import type { Records } from "../../src/core/state/records.ts";
import type { WebhookRequest } from "../../src/delivery/sender.ts";
import type { Chronicle } from "./chronicle.ts";

/** What somebody was told of a record: in an answer, by a read or by a webhook. */
interface Told {
  readonly id: string;
  readonly description: string;
  readonly value: number;
  status: string | undefined;
  /** The step after which everybody may know its final status. */
  finalSince: number;
  byWebhook: boolean;
}

/** A webhook's text, as far as it is looked at. */
interface Message {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly id: string; readonly status: string; readonly description: string };
}

/** Which statuses each event tells of. */
const TOLD_BY: Readonly<Record<string, readonly string[]>> = {
  "payin.paid": ["paid", "completed"],
  "payin.expired": ["expired"],
  "payout.completed": ["completed"],
  "payout.canceled": ["canceled"],
  "payment.received": ["paid", "completed"],
  "payment.failed": ["canceled", "expired"],
};

/** How many attempts each ladder has. */
const LADDERS: Readonly<Record<string, number>> = { laptop: 4, production: 10, none: 1 };

/**
 * Remembers all that was told to anybody, and holds the gateway to it.
 *
 * A record's `description` is its order: the key of the call, and whether it was sent with another
 * body. A reset begins a new age of its integration, of which older orders are no part.
 */
export class Witness {
  readonly #chronicle: Chronicle;
  readonly #retentionMs: number;
  readonly #ladder: number;
  readonly #tellsExpiry: boolean;
  readonly #allowsRivals: boolean;
  readonly #told = new Map<string, Told>();
  /** By webhook id and order: the bytes that were sent, and by which process first. */
  readonly #sent = new Map<string, { readonly body: string; readonly process: number }>();
  readonly #received = new Set<string>();
  /** By order: the age of its integration in which it was sent. */
  readonly #ages = new Map<string, Age>();
  readonly #newest = new Map<string, Age>();

  constructor(
    chronicle: Chronicle,
    assumptions: {
      readonly "idempotency.retention_seconds": number;
      readonly "webhook.retries": string;
      readonly "payin.expiry_event": string;
      readonly "payout.rival": string;
    },
  ) {
    this.#chronicle = chronicle;
    this.#retentionMs = assumptions["idempotency.retention_seconds"] * 1000;
    this.#ladder = LADDERS[assumptions["webhook.retries"]] ?? 0;
    this.#tellsExpiry = assumptions["payin.expiry_event"] === "webhook";
    this.#allowsRivals = assumptions["payout.rival"] === "allow";
  }

  /** The age that an integration is in now. */
  ageOf(integration: string): Age {
    const age = this.#newest.get(integration) ?? new Age(integration);
    this.#newest.set(integration, age);
    return age;
  }

  /** An order is placed, and belongs to its age from then on. */
  noteOrder(description: string, age: Age): void {
    this.#ages.set(description, age);
  }

  /** A reset is decided: whether it is kept shows when it is answered, or at the next start. */
  resetBegins(integration: string): Age {
    const before = this.ageOf(integration);
    this.#newest.set(integration, new Age(integration, before));
    return before;
  }

  /** Changes are accepted again: a reset that was refused is void, and what was ordered since is of the age before it. */
  resetsAreVoid(): void {
    for (const [integration, newest] of this.#newest) {
      const refused = new Set<Age>();
      let lasting = newest;
      for (; lasting.before && !lasting.before.isOver; lasting = lasting.before) {
        refused.add(lasting);
        // The merchant gives up what it ordered in it, since none of that was accepted.
        lasting.isOver = true;
      }
      this.#newest.set(integration, lasting);
      for (const [order, age] of this.#ages) if (refused.has(age)) this.#ages.set(order, lasting);
    }
  }

  /** What was told before it holds nobody to anything any more, and is not to be told again. */
  resetAnswered(before: Age): void {
    for (let age: Age | undefined = before; age; age = age.before) age.isOver = true;
    for (const [key, { description }] of this.#told)
      if (this.#ages.get(description)?.isOver) this.#told.delete(key);
  }

  /**
   * Somebody is told of a record.
   * @param asked the step at which that was asked for: what was asked for earlier may be answered later
   * @param isCreation whether the answer tells no status
   */
  tell(record: Payin | Payout, asked: number, isCreation = false): void {
    const { id, description = "", value, status } = record;
    this.#note({ id, description, value }, isCreation ? undefined : status, asked);
  }

  /** A webhook leaves, sent by a process that knows these records. */
  left({ body, headers }: WebhookRequest, records: Records, process: number): void {
    const { id, type, data } = JSON.parse(body) as Message;
    const record = records.transactions.get(data.id)?.record;
    const name = `${type} of ${data.description} (${data.status})`;
    this.#chronicle.note(`webhook ${name} leaves`, body);
    if (this.#ages.get(data.description)?.isOver)
      return this.#chronicle.violated("nothing old is sent after a reset", name);
    const key = `${id} ${data.description}`;
    const before = this.#sent.get(key);
    if (!before) this.#sent.set(key, { body, process });
    if (before && before.process !== process && !this.#received.has(key))
      this.#chronicle.meet("delivery retried over a crash");
    if (headers["webhook-id"] !== id || (before && before.body !== body))
      this.#chronicle.violated("every attempt carries the same id and bytes", name);
    if (!TOLD_BY[type]?.includes(data.status) || record?.status !== data.status)
      this.#chronicle.violated(
        "a webhook tells the final status of its record",
        `${name}; the record is ${record?.status}`,
      );
    if (!record) return;
    const { value } = record;
    const told = { id: data.id, description: data.description, value };
    this.#note(told, data.status, this.#chronicle.steps.length).byWebhook = true;
  }

  /** A webhook is there, and gets its answer. */
  arrived({ body }: WebhookRequest, status: number): void {
    const { id, type, data } = JSON.parse(body) as Message;
    this.#chronicle.note(`webhook ${type} of ${data.description} arrives, and gets ${status}`);
    if (status < 200 || status >= 300) return;
    const key = `${id} ${data.description}`;
    if (this.#received.has(key)) this.#chronicle.meet("webhook received twice");
    this.#received.add(key);
  }

  /** Whatever was told is still so. */
  compare(records: Records, isRestart: boolean): void {
    if (isRestart) this.#judgeResets(records);
    for (const told of this.#told.values()) {
      const { id, description, value, status } = told;
      // What a reset under way has taken, the next start may find again.
      if (!isRestart && !this.#isOfNewest(told)) continue;
      const record = records.transactions.get(id)?.record;
      const isSame = record?.description === description && record.value === value;
      if (!isSame || (record.status === "waiting" && isFinal(status)))
        this.#chronicle.violated(
          told.byWebhook
            ? "no webhook tells of what is forgotten"
            : "an acknowledged record is never lost",
          `${description} (${status ?? "created"}) was told, and is ${isSame ? record.status : "gone"}`,
        );
      else if (isFinal(status) && record.status !== status)
        this.#chronicle.violated(
          "a final status never changes",
          `${description} was told to be ${status}, and is ${record.status}`,
        );
      if (isRestart && told.byWebhook)
        this.#chronicle.meet("webhook's record read after a restart");
    }
    this.#compareKeys(records);
    this.#compareExpiry(records);
  }

  /** Looks at all payouts: at any time there is one in progress, or none, to each receiver. */
  lookAtRivals(records: Records): void {
    if (this.#allowsRivals) return;
    const receivers = new Set<string>();
    for (const { kind, record } of records.transactions.all()) {
      if (kind !== "payout" || record.status !== "waiting") continue;
      const { integration, receiver_cpf, description } = record;
      const receiver = `${integration} ${receiver_cpf}`;
      if (receivers.has(receiver))
        this.#chronicle.violated(
          "at most one payout in progress per receiver",
          `${description} is the second one to ${receiver}`,
        );
      receivers.add(receiver);
    }
  }

  /** All is at rest: whatever was to be told has been told, or given up. */
  lookAtRest(records: Records): void {
    for (const { record } of records.transactions.all()) {
      if (record.status === "waiting")
        this.#chronicle.violated("everything comes to rest", `${record.description} still waits`);
      const type = this.#typeFor(record);
      const isTold = ({ transactionId, type: each }: Delivery): boolean =>
        transactionId === record.id && each === type;
      if (type && records.deliveries.all().filter(isTold).length !== 1)
        this.#chronicle.violated("every final record is told of", `${record.description}: ${type}`);
    }
    for (const delivery of records.deliveries.all()) this.#lookAtEnd(delivery);
  }

  #lookAtEnd({ id, type, status, nextAttemptAtMs, attempts, body }: Delivery): void {
    const { data } = JSON.parse(body) as Message;
    const name = `${type} of ${data.description}, ${status} after ${attempts.length} attempts`;
    const made = attempts.filter(({ isResend }) => !isResend).length;
    const isDisconnected = attempts.some((attempt) => attempt.status === 410);
    if (status === "pending" || nextAttemptAtMs !== null)
      this.#chronicle.violated("everything comes to rest", name);
    if (status === "delivered" && !this.#received.has(`${id} ${data.description}`))
      this.#chronicle.violated("every final record is told of", `${name}, and nobody received it`);
    if (status === "failed" && made < this.#ladder && !isDisconnected)
      this.#chronicle.violated("every final record is told of", `${name}, too early`);
    if (status === "failed" && made === this.#ladder) this.#chronicle.meet("ladder exhausted");
  }

  #typeFor(record: Payin | Payout): string | undefined {
    if ("receiver_cpf" in record) return `payout.${record.status}`;
    if (record.status === "paid" || record.status === "completed") return "payin.paid";
    return record.status === "expired" && this.#tellsExpiry ? "payin.expired" : undefined;
  }

  #note(
    { id, description, value }: Pick<Told, "id" | "description" | "value">,
    status: string | undefined,
    asked: number,
  ): Told {
    const key = `${id} ${description}`;
    const before = this.#told.get(key);
    const told = before ?? {
      id,
      description,
      value,
      status,
      finalSince: Number.POSITIVE_INFINITY,
      byWebhook: false,
    };
    // What was under way when all gave way to a reset is told of nothing that anybody is held to.
    if (!this.#ages.get(description)?.isOver) this.#told.set(key, told);
    if (isFinal(told.status) && status !== undefined && status !== told.status) {
      if (isFinal(status) || asked > told.finalSince)
        this.#chronicle.violated(
          "a final status never changes",
          `${description} was told to be ${told.status}, and now to be ${status}`,
        );
    } else {
      if (isFinal(status) && !isFinal(before?.status))
        told.finalSince = this.#chronicle.steps.length;
      told.status = status ?? told.status;
    }
    return told;
  }

  #isOfNewest({ description }: Told): boolean {
    const age = this.#ages.get(description);
    return age !== undefined && this.#newest.get(age.integration) === age;
  }

  /** Resets that were under way when all ended were kept or not: each takes all that was there, or nothing. */
  #judgeResets(records: Records): void {
    const all = records.transactions.all().map(({ record }) => record);
    for (const [integration, newest] of this.#newest) {
      if (!newest.before || newest.before.isOver) continue;
      const found = all
        .filter((record) => record.integration === integration)
        .map(({ description = "" }) => this.#ages.get(description));
      const lasting = found[0] ?? newest;
      if (found.some((age) => age !== lasting))
        this.#chronicle.violated("a reset takes all or nothing", `some of ${integration} is left`);
      this.#chronicle.meet(
        `reset ${lasting === newest ? "kept" : "forgotten"} that was never answered`,
      );
      for (let age = newest; age !== lasting && age.before; age = age.before) age.isOver = true;
      this.#newest.set(integration, lasting);
      if (lasting.before) this.resetAnswered(lasting.before);
    }
  }

  #compareKeys(records: Records): void {
    const taken = new Map<string, Payin | Payout>();
    const all = records.transactions.all().toSorted((one, other) => one.ordinal - other.ordinal);
    for (const { record } of all) {
      const key = `${record.integration} ${keyOf(record.description)}`;
      const before = taken.get(key);
      taken.set(key, record);
      if (!before) continue;
      this.#chronicle.meet("key used anew after its retention");
      if (toEpochMs(record.created_at) < toEpochMs(before.created_at) + this.#retentionMs)
        this.#chronicle.violated(
          "one key, one record",
          `${key} has ${before.description} and ${record.description}`,
        );
    }
  }

  /** At the very moment of its expiration a payin is expired. */
  #compareExpiry(records: Records): void {
    for (const { kind, record } of records.transactions.all()) {
      if (kind !== "payin" || !["paid", "completed"].includes(record.status)) continue;
      // Times of one form can be compared as texts.
      if ((record.settled_at ?? "") >= record.expires_at)
        this.#chronicle.violated(
          "a payin is not paid once it has expired",
          `${record.description}`,
        );
    }
  }
}

/** The time of an integration between two resets. */
export class Age {
  readonly integration: string;
  readonly before: Age | undefined;
  isOver = false;

  constructor(integration: string, before?: Age) {
    this.integration = integration;
    this.before = before;
  }
}

function isFinal(status: string | undefined): boolean {
  return status !== undefined && status !== "waiting";
}

/** Of an order, what it has in common with one that was sent under the same key. */
function keyOf(description = ""): string {
  return description.replace(" (other)", "");
}
