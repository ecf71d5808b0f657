import type { AssumptionName } from "../core/assumptions/table.ts";
import { RETRY_WAITS_MS } from "../core/records/delivery.ts";
import { type Language, LANGUAGE_NAMES } from "../text/languages.ts";
import { type Message, say } from "../text/message.ts";
import {
  codeIn,
  codeWord,
  type Exchange,
  gradeMembers,
  idIn,
  languageOf,
  membersOf,
  type Response,
  type SeenWebhook,
} from "./exchange.ts";
import type { Model } from "./model.ts";
import { type AutoRange, EXPERIMENTS, PATIENCE_S, type Receiving } from "./plan.ts";
import type { Observed } from "./runner.ts";

/** What was seen of one row of the table. */
export interface Verdict {
  /** `specification`: what the specification itself shows. */
  readonly name: AssumptionName | "specification";
  readonly verdict: "observed" | "contradicted" | "not_observable";
  readonly choice: string | number | null;
  readonly says: Message;
  readonly evidence: readonly Exchange[];
}

export type Judged = Omit<Verdict, "name" | "evidence">;

export function observedAs(choice: string | number, says: Message): Judged {
  return { verdict: "observed", choice, says };
}

export function notObservable(says: Message): Judged {
  return { verdict: "not_observable", choice: null, says };
}

export function contradicted(says: Message): Judged {
  return { verdict: "contradicted", choice: null, says };
}

/** The rows that webhooks, times or all responses together tell, and that no comparison of single responses does. */
export const OWN_JUDGES: Partial<
  Record<AssumptionName, (observed: Observed, predict: Predict) => Promise<Judged> | Judged>
> = {
  "payin.v2": () => notObservable(say`The specification does not show its path.`),
  "webhook.configuration": () => notObservable(say`The specification does not show its path.`),
  "payin.paid_status": () => notObservable(say`No buyer pays in staging.`),
  "error.language": judgeLanguage,
  "payout.auto": judgeAuto,
  "rate_limit.per_minute": judgeLimit,
  "payin.expiry_event": (observed) =>
    withWebhooks(observed, "webhook_expired", (seen) =>
      seen.length === 0
        ? observedAs("none", say`No webhook came.`)
        : typeOf(seen[0]) === "payin.expired"
          ? observedAs("webhook", say`A webhook came.`)
          : typeOf(seen[0]) === "undefined"
            ? notObservable(say`A webhook came, but it names no type.`)
            : contradicted(say`Another webhook came: ${typeOf(seen[0])}.`),
    ),
  "webhook.payload": judgePayload,
  "webhook.signature": judgeSignature,
  "webhook.success": (observed) =>
    withWebhooks(observed, "webhook", (seen) =>
      seen.length > 1
        ? observedAs("only_200", say`The response 201 was not enough: the webhook came again.`)
        : seen.length === 0
          ? notObservable(say`No webhook reached the receiver.`)
          : webhooksOf(observed, "webhook_refused").length < 2
            ? notObservable(say`Failed webhooks are not repeated either.`)
            : observedAs("2xx", say`After the response 201 the webhook did not come again.`),
    ),
  "webhook.timeout_seconds": judgeTimeout,
  "webhook.retries": judgeRetries,
};

async function judgeLimit(observed: Observed, { responses }: Predict): Promise<Judged> {
  const { limited, calls, resumedMs = 0 } = observed;
  if (!limited) return notObservable(say`${calls} calls met no limit.`);
  const { atMs, response } = limited;
  if (codeIn(response) !== "NOT_PROCESSABLE" || !("retry-after" in response.headers))
    return contradicted(say`The call that was too much was refused with ${codeWord(response)}.`);
  const predicted = new Map<Exchange, Response>();
  for (const [name, made] of Object.entries(observed.exchanges)) {
    const found = await responses(name);
    for (const [index, exchange] of made.entries())
      predicted.set(exchange, found[index] ?? exchange.response);
  }
  const within = (ms: number): number =>
    admitted(observed, atMs - ms, predicted).filter((one) => one.atMs < atMs).length;
  const most = within(MINUTE_MS + NETWORK_MS);
  // The gateway counts a call when it arrives.
  return most === within(MINUTE_MS - NETWORK_MS) && resumedMs < atMs - MINUTE_MS
    ? observedAs(most, say`The next call within a minute was refused.`)
    : notObservable(say`About ${most} calls within a minute are accepted.`);
}

export const MINUTE_MS = 60_000;
const NETWORK_MS = 2000;
/** Such calls are refused before the rate limit counts them. */
const NOT_COUNTED = new Set(["VALIDATION_ERROR", "NO_ACTIVE_CREDENTIAL", "DUPLICATED_VALUE"]);

/** The calls since a time that a rate limit has counted. @param predicted their codes, for refusals without one */
export function admitted(
  { exchanges }: Pick<Observed, "exchanges">,
  sinceMs: number,
  predicted?: ReadonlyMap<Exchange, Response>,
): readonly Exchange[] {
  return Object.values(exchanges).flatMap((made) =>
    made.filter((exchange, index) => {
      const { atMs, headers, response } = exchange;
      const code = codeIn(response);
      const known = code === "undefined" ? predicted?.get(exchange) : response;
      const key = headers[KEY];
      const before = made.slice(0, index);
      const isUsed = key !== undefined && before.some((one) => one.headers[KEY] === key);
      // A key that was forgotten creates another record.
      const isNew = before.every((one) => idIn(one.response.body) !== idIn(response.body));
      return (
        atMs > sinceMs &&
        headers["x-api-token"] !== STRANGER &&
        !(isUsed && (code !== undefined || !isNew)) &&
        !(known && NOT_COUNTED.has(codeIn(known) ?? ""))
      );
    }),
  );
}

const KEY = "x-idempotency-key";
/** In the place of a token that does not exist. */
export const STRANGER = "stranger";

/** What the sandbox does in an experiment under the choices that fit. */
export interface Predict {
  readonly responses: (experiment: string) => Promise<readonly Response[]>;
  /** The bodies of the webhooks about its transactions. */
  readonly webhooks: (experiment: string) => Promise<readonly string[]>;
}

export function predictor(observed: Observed, model: Model, choices: object): Predict {
  const exchangesOf = (experiment: string) => observed.exchanges[experiment] ?? [];
  return {
    async responses(experiment) {
      const predicted = await model.responses(exchangesOf(experiment), choices);
      return predicted.map(({ response }) => response);
    },
    async webhooks(experiment) {
      const exchanges = exchangesOf(experiment);
      const last = exchanges.at(-1)?.atMs ?? 0;
      const predicted = await model.replay(exchanges, choices, last + 1000);
      return predicted.flatMap(({ webhooks }) => webhooks);
    },
  };
}

function webhooksOf({ webhooks }: Observed, experiment: string): readonly SeenWebhook[] {
  return webhooks[experiment] ?? [];
}

/** Judges by the webhooks of an experiment, if any webhook at all reached the receiver. */
function withWebhooks(
  observed: Observed,
  experiment: string,
  toJudged: (seen: readonly SeenWebhook[]) => Judged,
): Judged {
  if (!observed.finished.includes(experiment)) return notObservable(NEEDS_RECEIVER);
  if (Object.values(observed.webhooks).every(({ length }) => length === 0))
    return notObservable(say`No webhook reached the receiver.`);
  if ((observed.exchanges[experiment] ?? []).some(({ response }) => codeIn(response) !== undefined))
    return notObservable(say`A call was refused, so no webhook was due.`);
  return toJudged(webhooksOf(observed, experiment));
}

const NEEDS_RECEIVER = say`Only webhooks show it: pass --public-url.`;

function secondsOf(experiment: string): number {
  const receives: Receiving | undefined = EXPERIMENTS[experiment]?.receives;
  return receives?.seconds ?? 0;
}

function typeOf(webhook: SeenWebhook | undefined): string {
  return String(membersOf(webhook?.body ?? "").get("type"));
}

function judgeLanguage({ exchanges }: Observed): Judged {
  const seen = Object.values(exchanges)
    .flat()
    .flatMap(({ response }) => [...membersOf(response.body)])
    .filter(([path]) => path.endsWith("message"))
    .map(([, value]) => languageOf(String(value)))
    .filter((language) => language !== undefined);
  const countOf = (language: Language): number => seen.filter((one) => one === language).length;
  const [most] = LANGUAGE_NAMES.toSorted((one, other) => countOf(other) - countOf(one));
  if (most === undefined || seen.length === 0)
    return notObservable(say`The messages do not show their language.`);
  return countOf(most) < MOST * seen.length
    ? contradicted(say`Some messages are in English, others in Portuguese.`)
    : observedAs(most, say`The messages are in this language.`);
}

/** The language of a short message is not always recognized. */
const MOST = 0.75;

async function judgePayload(observed: Observed, predict: Predict): Promise<Judged> {
  const different = new Set<string>();
  let isSeen = false;
  for (const experiment of ["webhook", "webhook_completed", "webhook_canceled"]) {
    const [first] = webhooksOf(observed, experiment);
    if (!observed.finished.includes(experiment) || !first) continue;
    isSeen = true;
    if (first.method !== "POST") different.add(first.method);
    const [predicted = ""] = await predict.webhooks(experiment);
    const [created] = observed.exchanges[experiment] ?? [];
    // The transaction: what it was created with, what the response had, and its status.
    const own = new Map<string, unknown>([
      ...membersOf(created?.body ?? ""),
      ...membersOf(created?.response.body ?? ""),
    ]);
    const [actual, expected] = [membersOf(first.body), new Map(membersOf(predicted))];
    for (const [name, value] of own)
      if (expected.has(`data.${name}`) && name !== "status") expected.set(`data.${name}`, value);
    own.set("status", undefined);
    for (const { path, grade } of gradeMembers(actual, expected))
      // What else the transaction has is not documented, only its default.
      if (
        grade === "different" ||
        (grade === "missing" && (!path.startsWith("data.") || own.has(path.slice("data.".length))))
      )
        different.add(path);
  }
  if (!isSeen) return withWebhooks(observed, "webhook", () => notObservable(NEEDS_RECEIVER));
  return different.size === 0
    ? observedAs("only", say`Every member fits.`)
    : contradicted(say`The webhooks differ in: ${[...different].join(", ")}.`);
}

function judgeSignature(observed: Observed): Judged {
  return withWebhooks(observed, "webhook", () => {
    const seen = Object.values(observed.webhooks).flat();
    const counts = seen.map(({ headers }) => SIGNATURE.filter((name) => name in headers).length);
    if (counts.every((count) => count === SIGNATURE.length))
      return observedAs(
        "standard_webhooks",
        say`The three headers came; the secret was not checked.`,
      );
    const others = seen
      .flatMap(({ headers }) => Object.keys(headers))
      .find((name) => /signature/i.test(name));
    return counts.some((count) => count > 0) || others !== undefined
      ? contradicted(say`Only some of the three headers came, or others: ${others ?? ""}.`)
      : observedAs("none", say`No header of a signature came.`);
  });
}

const SIGNATURE = ["webhook-id", "webhook-timestamp", "webhook-signature"];

/** The sender counts from before it connects, so a webhook is held for less. A number that attempts dispute is open. */
function judgeTimeout(observed: Observed): Judged {
  return withWebhooks(observed, "webhook_hanging", (seen) => {
    const held = seen.flatMap(({ heldMs }) => (heldMs === undefined ? [] : [heldMs / 1000]));
    if (held.length === 0)
      return notObservable(say`The connection stayed open for ${secondsOf("webhook_hanging")} s.`);
    const shown = held.map((one) => one.toFixed(1)).join(", ");
    const says = say`The connection was closed after ${shown} s.`;
    const possible = held.flatMap((one) => [0.4, 0.2].map((late) => Math.ceil(one - late)));
    const [first = 0, ...others] = new Set(possible.map((one) => Math.max(1, one)));
    return others.length === 0 ? observedAs(first, says) : notObservable(says);
  });
}

function judgeRetries(observed: Observed): Judged {
  return withWebhooks(observed, "webhook_refused", (seen) => {
    const [first] = seen;
    if (!first) return notObservable(say`No webhook reached the receiver.`);
    const waits = seen.slice(1).map(({ atMs }, index) => (atMs - (seen[index]?.atMs ?? 0)) / 1000);
    const fitting = Object.entries(RETRY_WAITS_MS).find(([, schedule]) => fits(waits, schedule));
    const shown = waits.map((wait) => wait.toFixed(1)).join(", ");
    if (!fitting)
      return contradicted(say`The webhook came again after these seconds: ${shown || "-"}.`);
    return observedAs(
      fitting[0],
      waits.length === 0
        ? say`The webhook did not come again within ${secondsOf("webhook_refused")} s.`
        : say`The webhook came again after these seconds: ${shown}.`,
    );
  });
}

/** Whether the waits are those of a schedule, as far as the receiver listened. */
function fits(waits: readonly number[], [, ...schedule]: readonly number[]): boolean {
  let leftS = secondsOf("webhook_refused") - 1;
  const expected: number[] = [];
  for (const ms of schedule) {
    leftS -= ms / 1000;
    if (leftS > 0) expected.push(ms / 1000);
    else break;
  }
  return (
    expected.length === waits.length &&
    expected.every(
      (wait, index) => Math.abs(wait - (waits[index] ?? 0)) <= Math.max(0.75, wait * 0.1),
    )
  );
}

/** A webhook comes after its event, never before it: a late one does not add a second. */
const CLOCK_ERROR_MS = 50;
/** A response that took longer can add one. */
const SLOW_MS = 500;

/**
 * When payouts complete by themselves, as webhooks and looks show it. Between a call and its response, the gateway can
 * process it at any time.
 */
export function autoRange(observed: Observed): AutoRange {
  const webhook = webhooksOf(observed, "webhook_auto").find(
    (one) => typeOf(one) === "payout.completed",
  );
  const created = observed.exchanges["webhook_auto"]?.[0];
  if (webhook && created) {
    const { atMs, tookMs = 0 } = created;
    const ms = webhook.atMs - atMs + CLOCK_ERROR_MS;
    const toSeconds = (most: number): number => Math.max(1, Math.floor(most / 1000));
    return { from: toSeconds(tookMs < SLOW_MS ? ms : ms - tookMs), to: toSeconds(ms) };
  }
  let [from, to] = [1, Number.POSITIVE_INFINITY];
  for (const [name, { steps }] of Object.entries(EXPERIMENTS)) {
    const made = observed.exchanges[name] ?? [];
    const index = steps.findIndex(({ tells }) => tells?.includes("payout.auto"));
    const [first, looked] = [made[0], made[index]];
    if (!first || !looked || index === 0) continue;
    const ms = looked.atMs - first.atMs;
    if (codeIn(looked.response) === undefined)
      from = Math.max(from, Math.ceil((ms - (first.tookMs ?? 0)) / 1000));
    else to = Math.min(to, Math.floor((ms + (looked.tookMs ?? 0)) / 1000));
  }
  return { from, to };
}

function judgeAuto(observed: Observed): Judged {
  const { from, to } = autoRange(observed);
  if (to === Number.POSITIVE_INFINITY)
    return notObservable(
      say`A payout still waited after ${from - 1} s. It may complete later, or never.`,
    );
  if (from > to) return contradicted(say`Some payouts completed by themselves, others did not.`);
  return from === to
    ? observedAs(`complete_after:${from}`, say`A payout completed after ${from} s.`)
    : notObservable(
        say`Payouts complete by themselves after ${from} to ${to} s. Webhooks show when: pass --public-url.`,
      );
}

/** What no call shows exactly. */
export function withoutNumber(name: AssumptionName, judged: Judged): Judged {
  if (name !== "idempotency.retention_seconds") return judged;
  // What else is odd about a repeated key is judged by its own rows.
  if (judged.verdict !== "observed") return notObservable(judged.says);
  return notObservable(
    judged.choice === PATIENCE_S / 2
      ? say`Keys are forgotten within ${PATIENCE_S} s.`
      : say`Keys are remembered for at least ${PATIENCE_S} s.`,
  );
}
