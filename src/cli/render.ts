import type { ChalkInstance } from "chalk";
import type { WireAttemptEvent, WireDelivery, WireFault } from "../core/wire.ts";
import type { WirePayin } from "../core/payments/payin.ts";
import type { WirePayout } from "../core/payments/payout.ts";
import type { PostOutcome } from "../sandbox/tools.ts";
import { adviceFor } from "./advice.ts";
import { toSafeLine } from "../core/safe-text.ts";
import { retell, t, tell } from "./language.ts";

/** A record as lines of name and value. */
export function renderRecord(record: Readonly<Record<string, unknown>>): string {
  const width = Math.max(...Object.keys(record).map(({ length }) => length));
  return Object.entries(record)
    .map(
      ([name, value]) =>
        `${name.padEnd(width)}  ${toSafeLine(value === null ? "-" : typeof value === "string" ? value : JSON.stringify(value))}`,
    )
    .join("\n");
}

/** Rows under their titles, in columns. */
export function renderTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  colour: ChalkInstance,
): string {
  const lines = [titles, ...rows.map((row) => row.map(toSafeLine))];
  const widths = titles.map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? "").length)),
  );
  const texts = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [colour.dim(texts[0] ?? ""), ...texts.slice(1)].join("\n");
}

export function renderPayins(payins: readonly WirePayin[], colour: ChalkInstance): string {
  if (payins.length === 0) return t`No payins.`;
  const rows = payins.map((payin) => [
    payin.id,
    payin.status,
    String(payin.value),
    payin.created_at,
    payin.buyer_name,
    payin.integration,
  ]);
  return renderTable(
    ["ID", "STATUS", t`VALUE`, t`CREATED`, t`BUYER`, t`INTEGRATION`],
    rows,
    colour,
  );
}

export function renderPayouts(payouts: readonly WirePayout[], colour: ChalkInstance): string {
  if (payouts.length === 0) return t`No payouts.`;
  const rows = payouts.map((payout) => [
    payout.id,
    payout.status,
    String(payout.value),
    payout.created_at,
    payout.receiver_name,
    payout.integration,
  ]);
  return renderTable(
    ["ID", "STATUS", t`VALUE`, t`CREATED`, t`RECEIVER`, t`INTEGRATION`],
    rows,
    colour,
  );
}

export function renderDeliveries(
  deliveries: readonly WireDelivery[],
  colour: ChalkInstance,
): string {
  if (deliveries.length === 0) return t`No webhooks.`;
  const rows = deliveries.map(({ id, type, status, attempts, transaction_id, url }) => {
    const last = attempts.at(-1);
    return [
      id,
      type,
      status,
      String(attempts.length),
      last ? outcomeOf(last) : "-",
      transaction_id,
      url,
    ];
  });
  return renderTable(
    ["ID", t`TYPE`, "STATUS", t`ATTEMPTS`, t`LAST`, t`TRANSACTION`, "URL"],
    rows,
    colour,
  );
}

export function renderFaults(faults: readonly WireFault[], colour: ChalkInstance): string {
  if (faults.length === 0) return t`No faults.`;
  const rows = faults.map(({ id, on, effect, used, times, held, match, integration }) => [
    id,
    on,
    effect,
    String(used),
    times === undefined ? t`for ever` : String(times),
    held === undefined ? "-" : String(held.length),
    match === undefined ? "-" : JSON.stringify(match),
    integration ?? t`all`,
  ]);
  return renderTable(
    ["ID", t`ON`, t`EFFECT`, t`USED`, t`LEFT`, t`HELD`, t`MATCH`, t`INTEGRATION`],
    rows,
    colour,
  );
}

/** Two lines an attempt: what left, and what came back; and what to check where nothing did. */
export function renderAttempt(event: WireAttemptEvent, colour: ChalkInstance): string {
  const { attempt, attempt_number, type, transaction_id, url, next_attempt_at, status } = event;
  const sentAt = new Date(attempt.at);
  const answeredAt = new Date(sentAt.getTime() + attempt.duration_ms);
  const isReceived = status === "delivered";
  const fate = isReceived
    ? ""
    : next_attempt_at === null
      ? `  ${t`gave up`}`
      : `  ${t`next attempt at ${toTime(new Date(next_attempt_at))}`}`;
  const again = attempt.resend
    ? `  ${t`resent`}`
    : attempt_number > 1
      ? `  ${t`attempt ${attempt_number}`}`
      : "";
  return [
    `${colour.dim(toTime(sentAt))}  -->  ${colour.bold(type)}  ${transaction_id}  ${toSafeLine(url)}${again}`,
    `${colour.dim(toTime(answeredAt))}  <--  ${renderOutcome(attempt, colour)}  ${attempt.duration_ms} ms${fate}${renderAnswer(attempt, colour)}`,
    ...renderAdvice(attempt, colour),
  ].join("\n");
}

/** The lines of an answer to something that was forwarded. */
export function renderForwarded(
  url: string,
  { status, error, durationMs, response, location }: PostOutcome,
  colour: ChalkInstance,
): string {
  const answer: Answer = {
    ...(status === null ? { error } : { status }),
    ...(response !== null && { response }),
    ...(location !== undefined && { location }),
  };
  return [
    `${colour.dim(toTime(new Date()))}  <--  ${renderOutcome(answer, colour)}  ${durationMs} ms  ${t`forwarded to ${toSafeLine(url)}`}${renderAnswer(answer, colour)}`,
    ...renderAdvice(answer, colour),
  ].join("\n");
}

/** A webhook with its bytes and each attempt. */
export function renderDelivery(delivery: WireDelivery, colour: ChalkInstance): string {
  const { body, attempts, ...rest } = delivery;
  const lines = attempts.flatMap((attempt, index) => [
    `${index + 1}. ${attempt.at}  ${renderOutcome(attempt, colour)}  ${attempt.duration_ms} ms${attempt.resend ? `  ${t`resent`}` : ""}${renderAnswer(attempt, colour)}`,
    ...Object.entries(attempt.headers).map(([name, value]) => colour.dim(`   ${name}: ${value}`)),
    ...renderAdvice(attempt, colour).map((line) => `   ${line}`),
  ]);
  return [
    renderRecord(rest),
    "",
    toSafeLine(body),
    "",
    ...(lines.length > 0 ? lines : [t`No attempts yet.`]),
  ].join("\n");
}

/** What came of a POST. */
interface Answer {
  readonly status?: number;
  readonly error?: string | null;
  readonly response?: string;
  readonly location?: string;
}

function renderOutcome(answer: Answer, colour: ChalkInstance): string {
  const isReceived = answer.status !== undefined && answer.status >= 200 && answer.status < 300;
  return (isReceived ? colour.green : colour.red)(toSafeLine(outcomeOf(answer)));
}

/** Where it redirects to, and the beginning of what it says. */
function renderAnswer({ response = "", location }: Answer, colour: ChalkInstance): string {
  const redirect =
    location === undefined
      ? ""
      : `  ${t`redirects to ${toSafeLine(cut(location))}, which is not followed`}`;
  const shown = cut(response.trim());
  return `${redirect}${shown === "" ? "" : `  ${colour.dim(toSafeLine(shown))}`}`;
}

function renderAdvice({ error }: Answer, colour: ChalkInstance): string[] {
  const advice = adviceFor(error ?? "");
  return advice === undefined ? [] : [colour.yellow(`!!  ${tell(advice)}`)];
}

function cut(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** How much of an answer fits a line. */
const MAX_SHOWN = 120;

function outcomeOf({ status, error }: Answer): string {
  return String(status ?? retell(error ?? ""));
}

/** The clock as its routes answer it. */
export interface WireClock {
  readonly now: string;
  readonly mode: string;
  readonly happened: readonly {
    readonly at: string;
    readonly kind: string;
    readonly data: unknown;
  }[];
}

/** What time it is, and what happened on the way there, a line each. */
export function renderClock({ now, mode, happened }: WireClock, colour: ChalkInstance): string {
  const lines = happened.map(({ at, kind, data }) => {
    if (kind === "reset") return `${colour.dim(at)}  ${t`reset`}`;
    const record = data as { id: string; type?: string; status: string; attempt?: Answer };
    const what = record.type === undefined ? record.id : `${record.type} ${record.id}`;
    const outcome = record.attempt
      ? `: ${outcomeOf(record.attempt)}`
      : ` ${t`is ${record.status}`}`;
    return `${colour.dim(at)}  ${kind} ${toSafeLine(`${what}${outcome}`)}`;
  });
  return [...lines, `${now}  ${colour.dim(mode)}`].join("\n");
}

function toTime(time: Date): string {
  return time.toTimeString().slice(0, 8) + `.${String(time.getMilliseconds()).padStart(3, "0")}`;
}
