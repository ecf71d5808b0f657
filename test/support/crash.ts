import { watch } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { Answered } from "./calls.ts";
import { type Received, verified, type WebhookBody } from "./merchant.ts";

export type Noun = "payin" | "payout";

export interface Listed {
  readonly id: string;
  readonly status: string;
  /** The idempotency key: no route shows that one, so a creation's body says it here. */
  readonly description?: string;
  readonly receiver_cpf?: string;
  readonly [member: string]: unknown;
}

/** The body of `PUT /v1/webhooks`; undefined before the first. */
export type Configuration = Readonly<Record<string, unknown>> | undefined;

/** Everything that a sandbox says of itself, read while nobody writes and its time stands still. */
export interface Listing {
  readonly payins: readonly Listed[];
  readonly payouts: readonly Listed[];
  readonly deliveries: readonly { readonly id: string; readonly body: string }[];
  readonly configuration: Configuration;
  /** The sandbox's time, ISO 8601. */
  readonly now: string;
}

/** One call that creates a record, made as often as it takes, and what is known of its record. */
export interface Creation {
  readonly noun: Noun;
  readonly key: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** From an answer, or from a list where no call was answered. */
  id?: string;
  /** The first answer. */
  answer?: Readonly<Record<string, unknown>>;
  /** The final status, once anything has told of one. */
  status?: string;
  /** Whether a simulation was answered with 200, which happens once. */
  isSimulated?: boolean;
  /** Whether a simulation was refused, which says that the record is final. */
  isRefused?: boolean;
  /** As the last list showed it. */
  listed?: Listed;
}

/** A webhook that was listed as a delivery, came to the merchant, or both. */
interface Webhook {
  readonly body: string;
  readonly transactionId: string;
  readonly status: string;
  hasArrived: boolean;
}

/**
 * What the writers were told over all rounds, which no sandbox may ever take back. What is wrong is
 * written down and not thrown, so that a run can say how much of it there was.
 */
export class Ledger {
  /** What was acknowledged and is not there, or not as it was. */
  readonly lost = new Set<string>();
  /** What happened twice. */
  readonly duplicates = new Set<string>();
  /** Whatever else may not be. */
  readonly wrong = new Set<string>();
  /** How many were acknowledged; how many died, and which of those creations turned out to have happened. */
  readonly calls = { creates: 0, updates: 0, unknown: 0, unknownFound: 0 };
  /** How often the run saw what it is there to see. */
  readonly seen = {
    callsUnderWayAtAKill: 0,
    unknownCreatesRepeated: 0,
    repeatsReplayed: 0,
    simulationsRefused: 0,
    payoutsCanceled: 0,
    payinsExpired: 0,
    webhooksRetried: 0,
  };
  readonly creations: Creation[] = [];
  readonly #byKey = new Map<string, Creation>();
  readonly #byId = new Map<string, Creation>();
  readonly #webhooks = new Map<string, Webhook>();
  /** Webhook ids by what they tell of. */
  readonly #idsOfEvents = new Map<string, string>();
  /** The ids that the last list held, in its order. */
  readonly #order: Record<Noun, readonly string[]> = { payin: [], payout: [] };
  /** The one that holds: the last that was acknowledged, or one whose call came after it and died. */
  #configurations: Configuration[] = [undefined];
  #now = "";
  #heard = 0;

  /** A creation that no call was made for yet. */
  plan(noun: Noun, key: string, members: Readonly<Record<string, unknown>>): Creation {
    const creation: Creation = { noun, key, body: { ...members, description: key } };
    this.creations.push(creation);
    this.#byKey.set(key, creation);
    return creation;
  }

  /** The creations that were called for without ever an answer. */
  unanswered(): readonly Creation[] {
    return this.creations.filter(({ answer }) => answer === undefined);
  }

  /** @param known the id that was known when the call was made */
  created(creation: Creation, { status, headers, body }: Answered, known?: string): void {
    const name = nameOf(creation);
    const isReplayed = headers.get("idempotent-replayed") === "true";
    const id = String(body["id"]);
    if (status !== 200) {
      this.wrong.add(`${name} was answered ${status} ${JSON.stringify(body)}.`);
      return;
    }
    if (known !== undefined && !isReplayed)
      this.duplicates.add(`${name} was there and was created anew as ${id}.`);
    if (creation.id !== undefined && creation.id !== id)
      this.duplicates.add(`${name} is ${creation.id} and ${id}.`);
    if (creation.answer && !isDeepStrictEqual(creation.answer, body))
      this.lost.add(`${name} is answered otherwise than at first: ${JSON.stringify(body)}.`);
    creation.id ??= id;
    creation.answer ??= body;
    this.#byId.set(id, creation);
    this.calls.creates++;
    if (isReplayed) this.seen.repeatsReplayed++;
  }

  /** @param known the final status that was known when the call was made */
  simulated(creation: Creation, outcome: string, { status, body }: Answered, known?: string): void {
    const name = nameOf(creation);
    if (status === 200) {
      if (creation.isSimulated || known !== undefined)
        this.duplicates.add(`${name} was settled twice.`);
      creation.isSimulated = true;
      this.#becomesFinal(creation, outcome);
      this.calls.updates++;
    } else if (status === 422) {
      creation.isRefused = true;
      this.seen.simulationsRefused++;
    } else this.wrong.add(`Settling ${name} was answered ${status} ${JSON.stringify(body)}.`);
  }

  /** @param known the final status that was known when the call was made */
  shown(creation: Creation, { status, body }: Answered, known?: string): void {
    if (status === 200) this.#compare(creation, body as Listed, known);
    else this.lost.add(`${nameOf(creation)} was shown as ${status} ${JSON.stringify(body)}.`);
  }

  /** A call to `PUT /v1/webhooks` is made: by one writer alone, so that the last one is known. */
  configuring(configuration: Configuration): void {
    this.#configurations.push(configuration);
  }

  configured(configuration: Configuration, { status, body }: Answered): void {
    if (status !== 200 || !isDeepStrictEqual(body, configuration))
      this.wrong.add(`The configuration was answered ${status} ${JSON.stringify(body)}.`);
    this.#configurations = [configuration];
    this.calls.updates++;
  }

  /** The time was moved: by one writer alone, likewise. */
  advanced({ status, body }: Answered): void {
    if (status !== 200) this.wrong.add(`The clock answered ${status} ${JSON.stringify(body)}.`);
    else this.#now = String(body["now"]);
    this.calls.updates++;
  }

  /** Takes what has come to the merchant since the last time. */
  heard(received: readonly Received[], secret: string): void {
    for (const one of received.slice(this.#heard)) {
      try {
        verified(one, secret);
      } catch (error) {
        this.wrong.add(`A webhook's signature does not hold: ${String(error)} ${one.body}`);
      }
      const webhook = this.#learn(String(one.headers["webhook-id"]), one.body);
      if (webhook.hasArrived) this.seen.webhooksRetried++;
      webhook.hasArrived = true;
    }
    this.#heard = received.length;
  }

  /** Holds what a sandbox says of itself against everything that was ever acknowledged. */
  verify({ payins, payouts, deliveries, configuration, now }: Listing): void {
    this.#verifyRecords([...payins, ...payouts]);
    this.#verifyOrder("payin", payins);
    this.#verifyOrder("payout", payouts);
    for (const { id, body } of deliveries) this.#learn(id, body);
    this.#verifyWebhooks();

    if (!this.#configurations.some((possible) => isDeepStrictEqual(possible, configuration)))
      this.lost.add(`The configuration is ${JSON.stringify(configuration)}.`);
    this.#configurations = [configuration];
    if (now < this.#now) this.lost.add(`It is ${now}, after it was ${this.#now}.`);
    this.#now = now;
  }

  /** Once nothing is left to be sent: every webhook that there ever was has come to the merchant. */
  verifyArrivals(): void {
    for (const [id, { hasArrived, body }] of this.#webhooks)
      if (!hasArrived) this.lost.add(`The webhook ${id} never came: ${body}`);
  }

  /** @throws Error that names the first things that are wrong, where anything is. */
  assertClean(): void {
    const sentences = [...this.lost, ...this.duplicates, ...this.wrong];
    if (sentences.length === 0) return;
    const [lost, duplicates, wrong] = [this.lost, this.duplicates, this.wrong].map(
      ({ size }) => size,
    );
    throw new Error(
      [
        `${lost} lost, ${duplicates} duplicates, ${wrong} otherwise wrong:`,
        ...sentences.slice(0, 5),
      ].join("\n"),
    );
  }

  #verifyRecords(records: readonly Listed[]): void {
    const keys = new Set<string>();
    const receivers = new Set<string>();
    for (const record of records) {
      const { id, status, description = "", receiver_cpf } = record;
      const creation = this.#byKey.get(description);
      if (!creation) {
        this.wrong.add(`Nobody asked for ${JSON.stringify(record)}.`);
        continue;
      }
      const name = nameOf(creation);
      if (keys.has(description)) this.duplicates.add(`${name} has a second record, ${id}.`);
      keys.add(description);
      this.#compare(creation, record, creation.status);
      if (creation.isRefused && status === "waiting")
        this.lost.add(`${name} is waiting, after a simulation was refused because it was final.`);
      if (creation.listed && !isSuccessor(record, creation.listed))
        this.lost.add(
          `${name} was listed as ${JSON.stringify(creation.listed)} and is ${JSON.stringify(record)}.`,
        );
      if (creation.id === undefined) this.calls.unknownFound++;
      creation.id ??= id;
      creation.listed = record;
      this.#byId.set(id, creation);
      if (status !== "waiting" || receiver_cpf === undefined) continue;
      if (receivers.has(receiver_cpf))
        this.duplicates.add(`${receiver_cpf} has two payouts in progress, one of them ${id}.`);
      receivers.add(receiver_cpf);
    }
    for (const creation of this.creations)
      if (creation.id !== undefined && !keys.has(creation.key))
        this.lost.add(`${nameOf(creation)} is gone.`);
    this.seen.payoutsCanceled = records.filter(({ status }) => status === "canceled").length;
    this.seen.payinsExpired = records.filter(({ status }) => status === "expired").length;
  }

  /** Lists are in order of creation: nothing comes in between later. */
  #verifyOrder(noun: Noun, records: readonly Listed[]): void {
    const ids = records.map(({ id }) => id);
    const before = this.#order[noun];
    if (!isDeepStrictEqual(ids.slice(0, before.length), before))
      this.wrong.add(`The list of ${noun}s does not go on from where it was.`);
    this.#order[noun] = ids;
  }

  /**
   * A webhook tells of what no restart forgets, and a final status has its webhook from the first.
   * Delivered ones may be gone from the list, but then they came.
   */
  #verifyWebhooks(): void {
    for (const [id, { transactionId, status }] of this.#webhooks) {
      const found = this.#byId.get(transactionId)?.listed?.status;
      if (found !== status)
        this.lost.add(`The webhook ${id} says that ${transactionId} is ${status}; it is ${found}.`);
    }
    for (const creation of this.creations)
      if (creation.status !== undefined && !this.#idsOfEvents.has(`own ${creation.id}`))
        this.lost.add(`${nameOf(creation)} is ${creation.status} without a webhook.`);
  }

  /** One id always has the same bytes, and one transaction one webhook of its own and one configured. */
  #learn(id: string, body: string): Webhook {
    const known = this.#webhooks.get(id);
    if (known) {
      if (known.body !== body)
        this.wrong.add(`The webhook ${id} has two bodies: ${known.body} and ${body}`);
      return known;
    }
    const { id: said, type, data } = JSON.parse(body) as WebhookBody;
    if (said !== id) this.wrong.add(`The webhook ${id} says that it is ${said}.`);
    const transactionId = String(data["id"]);
    const event = `${type.startsWith("payment.") ? "configured" : "own"} ${transactionId}`;
    const other = this.#idsOfEvents.get(event);
    if (other !== undefined)
      this.duplicates.add(`${transactionId} has the webhooks ${other} and ${id}.`);
    this.#idsOfEvents.set(event, id);
    const learned = { body, transactionId, status: String(data["status"]), hasArrived: false };
    this.#webhooks.set(id, learned);
    return learned;
  }

  #compare(creation: Creation, record: Listed, known: string | undefined): void {
    const name = nameOf(creation);
    if (creation.id !== undefined && creation.id !== record.id)
      this.duplicates.add(`${name} is ${creation.id} and ${record.id}.`);
    // A payout is answered as it was created, whatever has become of it.
    for (const [member, value] of Object.entries({ ...creation.body, ...creation.answer }))
      if (member !== "status" && !isDeepStrictEqual(record[member], value))
        this.lost.add(`${name} has another ${member}: ${JSON.stringify(record)}.`);
    if (record.status !== "waiting") this.#becomesFinal(creation, record.status);
    else if (known !== undefined) this.lost.add(`${name} was ${known} and is waiting.`);
  }

  #becomesFinal(creation: Creation, status: string): void {
    creation.status ??= status;
    if (creation.status !== status)
      this.lost.add(`${nameOf(creation)} was ${creation.status} and is ${status}.`);
  }
}

/** Resolves `seen` when `count` files of a folder have come, gone or been renamed: steps of something larger, mostly. */
export function nextChanges(
  folder: string,
  count: number,
): Disposable & { readonly seen: Promise<void> } {
  let left = count;
  let resolve = (): void => undefined;
  const seen = new Promise<void>((settle) => {
    resolve = settle;
  });
  const watcher = watch(folder, (what) => {
    // Writes have the other name.
    if (what === "rename" && --left === 0) resolve();
  });
  return { seen, [Symbol.dispose]: () => watcher.close() };
}

function nameOf({ noun, key }: Creation): string {
  return `The ${noun} of ${key}`;
}

/** Whether a record can have become another one: only what a final status brings may be new. */
function isSuccessor(record: Listed, before: Listed): boolean {
  if (before.status !== "waiting") return isDeepStrictEqual(record, before);
  const { status, settled_at, end_to_end_id } = before;
  return isDeepStrictEqual({ ...record, status, settled_at, end_to_end_id }, before);
}
