import {
  ASSUMPTION_NAMES,
  type AssumptionChanges,
  type AssumptionName,
  STANDARD_ASSUMPTIONS,
  triedChoices,
} from "../core/assumptions/table.ts";
import {
  type Exchange,
  type Grade,
  type Graded,
  gradeMembers,
  idIn,
  type Members,
  membersOf,
  placedMembers,
} from "./exchange.ts";
import { LATER, type Model, type Predicted } from "./model.ts";
import { admitted, MINUTE_MS } from "./own-verdicts.ts";
import type { RecordedWebhook, Recording } from "./recording.ts";

/** A member that the sandbox sends otherwise than the gateway of a recording did. */
export interface Difference extends Graded {
  /** The place of the call. A webhook belongs to the call that created its transaction. */
  readonly call: number;
  /** The number of the webhook about that transaction, from 1; 0 for the response. */
  readonly webhook: number;
  /** The assumptions that the sandbox's response depends on. */
  readonly dependsOn: readonly AssumptionName[];
  /** The choices that together mend it; empty if none do. */
  readonly mends: AssumptionChanges;
}

export interface Drift {
  readonly counts: Readonly<Record<Grade, number>>;
  readonly differences: readonly Difference[];
}

type Compared = Omit<Difference, "mends">;

/** Replays a recording against the sandbox with some choices, and grades what differs. */
export async function findDrift(
  recording: Recording,
  model: Model,
  inForce: AssumptionChanges,
): Promise<Drift> {
  return new Comparison(recording, model).drift(inForce);
}

class Comparison {
  readonly #recording: Recording;
  readonly #model: Model;
  /** Without the calls that the rate limit refused: they were not processed. */
  readonly #calls: readonly Exchange[];

  constructor(recording: Recording, model: Model) {
    this.#recording = recording;
    this.#model = model;
    this.#calls = recording.calls.filter(({ response }) => response.status !== TOO_MANY);
  }

  async drift(inForce: AssumptionChanges): Promise<Drift> {
    const base = await this.#compare(inForce);
    const counts = { equal: 0, equal_in_shape: 0, different: 0, missing: 0 };
    for (const { grade } of base) counts[grade] += 1;
    const differences = base.filter(isDifference);
    const fitted = await this.#fit(inForce, differences);
    const left = new Set((await this.#differences(fitted)).map(keyOf));
    const changed = changedRows(inForce, fitted);
    const without = new Map<AssumptionName, ReadonlySet<string>>();
    for (const row of changed) {
      const others = { ...fitted, [row]: choiceOf(row, inForce) };
      without.set(row, new Set((await this.#differences(others)).map(keyOf)));
    }
    const mendsOf = (one: Compared): AssumptionChanges => {
      if (left.has(keyOf(one))) return {};
      const needed = changed.filter((row) => without.get(row)?.has(keyOf(one)));
      return pick(fitted, needed.length > 0 ? needed : changed);
    };
    const limited = this.#limited(inForce);
    counts.different += limited.length;
    return {
      counts,
      differences: [...differences.map((one) => ({ ...one, mends: mendsOf(one) })), ...limited],
    };
  }

  /** Looks for the choices that together leave the fewest differences. */
  async #fit(inForce: AssumptionChanges, base: readonly Compared[]): Promise<AssumptionChanges> {
    let [fitted, left] = [inForce, base];
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const before = weightOf(left);
      const rows = new Set(left.flatMap(({ dependsOn }) => dependsOn));
      for (const row of rows)
        for (const choice of triedChoices(row)) {
          if (choice === choiceOf(row, fitted)) continue;
          const other = { ...fitted, [row]: choice };
          const found = await this.#differences(other);
          if (weightOf(found) < weightOf(left)) [fitted, left] = [other, found];
        }
      if (weightOf(left) === before) break;
    }
    // Another one may have made it needless.
    for (const row of changedRows(inForce, fitted)) {
      const other = { ...fitted, [row]: choiceOf(row, inForce) };
      const found = await this.#differences(other);
      if (weightOf(found) <= weightOf(left)) [fitted, left] = [other, found];
    }
    return fitted;
  }

  async #differences(choices: AssumptionChanges): Promise<Compared[]> {
    return (await this.#compare(choices)).filter(isDifference);
  }

  async #compare(choices: AssumptionChanges): Promise<Compared[]> {
    const { hasWebhooks, endMs } = this.#recording;
    const predicted = await this.#model.responses(this.#calls, choices, endMs - PATIENCE_MS);
    const bodies = this.#calls.map(({ response }) => response.body);
    const predictedBodies = predicted.map(({ response }) => response.body);
    return this.#calls.flatMap((exchange, index): Compared[] => {
      const other = predicted[index];
      if (!other) return [];
      const call = this.#recording.calls.indexOf(exchange);
      const { dependsOn } = other;
      const actual = withHead(placedMembers(bodies, index), exchange);
      const expected = withHead(placedMembers(predictedBodies, index), other);
      const graded = gradeMembers(actual, expected);
      return [
        ...graded.map((one) => ({ ...one, call, webhook: 0, dependsOn })),
        ...(hasWebhooks ? this.#compareWebhooks(index, other, choices) : []).map((one) => ({
          ...one,
          call,
          dependsOn: [...dependsOn, ...WEBHOOK_ROWS, ...LATER],
        })),
      ];
    });
  }

  /** Compares the webhooks about the transaction that a call created. */
  #compareWebhooks(
    index: number,
    { webhooks }: Predicted,
    choices: AssumptionChanges,
  ): (Graded & { readonly webhook: number })[] {
    const id = idIn(this.#calls[index]?.response.body ?? "");
    const { endMs } = this.#recording;
    const isFirst =
      id !== undefined &&
      this.#calls.findIndex(({ response }) => idIn(response.body) === id) === index;
    const seen = isFirst ? events(this.#recording.webhooks, id) : [];
    const count = Math.max(seen.length, webhooks.length);
    return Array.from({ length: count }, (_, at) => at).flatMap((at) => {
      const [actual, predicted] = [seen[at], webhooks[at]];
      // At the end it may not have come, or been due.
      const isOpen = (actual?.atMs ?? this.#calls[index]?.atMs ?? 0) > endMs - PATIENCE_MS;
      if (actual === undefined || predicted === undefined) {
        if (isOpen) return [];
        const missing = { path: WHOLE, grade: "missing" } as const;
        return [{ ...missing, actual: actual?.body, predicted, webhook: at + 1 }];
      }
      const isSigned = choiceOf("webhook.signature", choices) === "standard_webhooks";
      const expected = new Map(membersOf(predicted))
        .set("http method", "POST")
        .set("http signature", isSigned ? SIGNATURE : "");
      const found = new Map(membersOf(actual.body))
        .set("http method", actual.method)
        .set("http signature", signatureOf(actual));
      return gradeMembers(found, expected).map((one) => ({ ...one, webhook: at + 1 }));
    });
  }

  /** The calls that only a rate limit refuses. */
  #limited(inForce: AssumptionChanges): Difference[] {
    const { calls } = this.#recording;
    const first = calls.findIndex(({ response }) => response.status === TOO_MANY);
    const atMs = calls[first]?.atMs ?? 0;
    if (first === -1 || choiceOf("rate_limit.per_minute", inForce) !== 0) return [];
    const token = calls[first]?.headers["x-api-token"];
    const own = calls.slice(0, first).filter(({ headers }) => headers["x-api-token"] === token);
    const before = { exchanges: { calls: own } };
    const count = admitted(before, atMs - MINUTE_MS).length;
    const difference = { path: "http status", grade: "different", webhook: 0 } as const;
    const mends = { "rate_limit.per_minute": count };
    const dependsOn = ["rate_limit.per_minute"] as const;
    return [{ ...difference, call: first, actual: TOO_MANY, predicted: 200, dependsOn, mends }];
  }
}

const TOO_MANY = 429;
/** The path of a whole webhook. */
const WHOLE = "";
const MAX_PASSES = 3;
/** A webhook that was due at the end of a recording may not have come. */
const PATIENCE_MS = 1000;
const WEBHOOK_ROWS = ["webhook.payload", "webhook.signature"] as const;
const SIGNATURE = "webhook-id, webhook-signature, webhook-timestamp";

function signatureOf({ headers }: RecordedWebhook): string {
  const names = Object.keys(headers).filter((name) => /^webhook-|signature/.test(name));
  return names.toSorted().join(", ");
}

/** The webhooks about a transaction, without further attempts. */
function events(all: readonly RecordedWebhook[], id: string): RecordedWebhook[] {
  const own = all.filter(({ body }) => body.includes(JSON.stringify(id)));
  const bodies = own.map(({ body }) => body);
  return own.filter(({ body }, index) => bodies.indexOf(body) === index);
}

/** The members of a body, with the parts of the head that are documented. */
function withHead(
  members: Map<string, unknown>,
  { response: { status, headers } }: Pick<Exchange, "response">,
): Members {
  const replayed = headers["idempotent-replayed"];
  if (replayed !== undefined) members.set("http idempotent-replayed", replayed);
  return members.set("http status", status);
}

function isDifference({ grade }: Graded): boolean {
  return grade === "different" || grade === "missing";
}

/** That a call succeeds says more than its members, and so does that a webhook comes. */
function weightOf(differences: readonly Compared[]): number {
  const opposite = differences.filter(
    ({ path, actual, predicted }) =>
      path === "http status" && Number(actual) < 300 !== Number(predicted) < 300,
  );
  const absent = differences.filter(({ path }) => path === WHOLE);
  return differences.length + 10 * opposite.length + 100 * absent.length;
}

/** Not its values: another choice can bring another difference of the same member. */
function keyOf({ call, webhook, path }: Compared): string {
  return `${call} ${webhook} ${path}`;
}

function choiceOf(row: AssumptionName, choices: AssumptionChanges): string | number {
  return choices[row] ?? STANDARD_ASSUMPTIONS[row];
}

function changedRows(one: AssumptionChanges, other: AssumptionChanges): AssumptionName[] {
  return ASSUMPTION_NAMES.filter((row) => choiceOf(row, one) !== choiceOf(row, other));
}

function pick(choices: AssumptionChanges, rows: readonly AssumptionName[]): AssumptionChanges {
  return Object.fromEntries(rows.map((row) => [row, choiceOf(row, choices)]));
}
