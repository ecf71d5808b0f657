import type { ChalkInstance } from "chalk";
import type { WireAttemptEvent, WireDelivery, WireSent } from "../../core/state/wire.ts";
import type { Activity } from "../../server/activity/activity.ts";
import type { PostOutcome } from "../../server/tools/tools.ts";
import { adviceFor } from "./advice.ts";
import { aheadOfRealTime } from "../../text/duration.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { localize } from "../terminal/language.ts";
import { cutToWidth, shortId } from "../terminal/table.ts";
import { toFullTime, toRelativeTime, toTime } from "../terminal/times.ts";
import { toMilliseconds, toMoney } from "../terminal/numbers.ts";
import { joined, type Message, plural, say } from "../../text/message.ts";

/** Renders a record as lines of name and value. */
export function renderRecord(record: object): string {
  const width = Math.max(...Object.keys(record).map(({ length }) => length));
  return Object.entries(record)
    .map(([name, value]) => `${name.padEnd(width)}  ${toSafeLine(shown(name, value))}`)
    .join("\n");
}

/** A member's value as a person reads it: amounts with their currency, times in the reader's zone. */
function shown(name: string, value: unknown): string {
  if (value === null) return "-";
  if (name === "value" && typeof value === "number") return toMoney(value);
  if (typeof value !== "string") return JSON.stringify(value);
  return name.endsWith("_at") ? toFullTime(new Date(value)) : value;
}

/** Renders an attempt as two lines, the request and the outcome, and advice if it failed. */
export function renderAttempt(event: WireAttemptEvent, color: ChalkInstance): string {
  const { attempt, attempt_number, type, transaction_id, url } = event;
  const again = renderAgain(attempt_number, attempt.resend === true);
  return [
    `${color.dim(toTime(new Date(attempt.sandbox_at)))}  -->  ${color.bold(type)}  ${transaction_id}  ${toSafeLine(url)}${again}`,
    ...renderOutcomeLines(event, "", color),
  ].join("\n");
}

/**
 * Renders the beginning of an attempt as one line.
 * @param columns the width of the terminal; undefined for a line of any length
 */
export function renderSent(
  { delivery_id, type, transaction_id, url, attempt_number, resend, sandbox_at }: WireSent,
  color: ChalkInstance,
  columns: number | undefined,
): string {
  const [time, again] = [toTime(new Date(sandbox_at)), renderAgain(attempt_number, resend)];
  const ids = [delivery_id, transaction_id]
    .map((one) => idFor(one, columns !== undefined))
    .join("  ");
  const others = `${time}  -->  ${type}  ${ids}  ${again}`;
  const address = fitTo(toSafeLine(url), others, columns);
  return `${color.dim(time)}  -->  ${color.bold(type)}  ${ids}  ${address}${again}`;
}

/** Cuts a text to what the other texts of its line leave of the terminal's width. */
export function fitTo(text: string, others: string, columns: number | undefined): string {
  return columns === undefined
    ? text
    : cutToWidth(text, Math.max(LEAST_WIDTH, columns - others.length));
}

/** A text that would have less of the width is not cut further. */
const LEAST_WIDTH = 12;

/** Renders the outcome of an attempt as one line, and advice if it failed. */
export function renderAnswered(
  { attempt: event, nowMs }: Extract<Activity, { kind: "answered" }>,
  color: ChalkInstance,
  isTerminal: boolean,
): string[] {
  const name = `${event.type}  ${idFor(event.id, isTerminal)}  `;
  return renderOutcomeLines(event, name, color, nowMs);
}

/** The beginning of an id on a terminal, long enough to name it in a command; the whole id elsewhere. */
export function idFor(id: string, isTerminal: boolean): string {
  return isTerminal ? shortId(id) : id;
}

function renderAgain(attemptNumber: number, isResend: boolean): string {
  if (isResend) return `  ${localize(say`resent`)}`;
  return attemptNumber > 1 ? `  ${localize(say`attempt ${attemptNumber}`)}` : "";
}

function renderOutcomeLines(
  { attempt, next_attempt_at, status }: WireAttemptEvent,
  name: string,
  color: ChalkInstance,
  nowMs?: number,
): string[] {
  const next = next_attempt_at === null ? undefined : new Date(next_attempt_at);
  const answeredAt = new Date(nowMs ?? attempt.sandbox_at);
  const isReceived = status === "delivered";
  const fate = isReceived
    ? ""
    : next === undefined
      ? `  ${localize(say`gave up`)}`
      : nowMs === undefined
        ? `  ${localize(say`next attempt at ${toTime(next)}`)}`
        : `  ${localize(say`next attempt`)} ${toRelativeTime(next.getTime(), nowMs)}`;
  return [
    `${color.dim(toTime(answeredAt))}  <--  ${name}${renderOutcome(attempt, color)}  ${toMilliseconds(attempt.duration_ms)}${fate}${renderAnswer(attempt, color)}`,
    ...renderAdvice(attempt, color),
  ];
}

export function renderForwarded(
  url: string,
  { status, error, durationMs, response, location }: PostOutcome,
  color: ChalkInstance,
): string {
  const answer: Answer = {
    ...(status === null ? { error } : { status }),
    ...(response !== null && { response }),
    ...(location !== undefined && { location }),
  };
  return [
    `${" ".repeat(toTime(new Date()).length)}  <--  ${renderOutcome(answer, color)}  ${toMilliseconds(durationMs)}  ${localize(say`forwarded to ${toSafeLine(url)}`)}${renderAnswer(answer, color)}`,
    ...renderAdvice(answer, color),
  ].join("\n");
}

export function renderDelivery(delivery: WireDelivery, color: ChalkInstance): string {
  const { body, attempts, ...rest } = delivery;
  return [renderRecord(rest), "", toSafeLine(body), "", renderAttempts(attempts, color)].join("\n");
}

/** Renders a webhook in three lines: its event, its address, and the response to its first attempt. */
export function renderWebhook(webhook: WireDelivery, color: ChalkInstance): string {
  const { id, type, url, attempts } = webhook;
  const [first] = attempts;
  const outcome = first
    ? `${renderOutcome(first, color)}  ${toMilliseconds(first.duration_ms)}${renderAnswer(first, color)}`
    : localize(say`No attempts yet.`);
  return [
    `${color.bold(type)}  ${id}`,
    `   -->  ${toSafeLine(url)}`,
    `   <--  ${outcome}`,
    ...(first ? renderAdvice(first, color).map((line) => `   ${line}`) : []),
  ].join("\n");
}

function renderAttempts(attempts: WireDelivery["attempts"], color: ChalkInstance): string {
  if (attempts.length === 0) return localize(say`No attempts yet.`);
  const lines = attempts.flatMap((attempt, index) => [
    `${index + 1}. ${toFullTime(new Date(attempt.sandbox_at))}  ${renderOutcome(attempt, color)}  ${toMilliseconds(attempt.duration_ms)}${attempt.resend ? `  ${localize(say`resent`)}` : ""}${renderAnswer(attempt, color)}`,
    ...renderRealTime(attempt, color),
    ...Object.entries(attempt.headers).map(([name, value]) => color.dim(`   ${name}: ${value}`)),
    ...renderAdvice(attempt, color).map((line) => `   ${line}`),
  ]);
  return lines.join("\n");
}

/** The real time of an attempt, if it is another one. */
function renderRealTime(
  { at, sandbox_at }: Pick<WireDelivery["attempts"][number], "at" | "sandbox_at">,
  color: ChalkInstance,
): string[] {
  if (!aheadOfRealTime(Date.parse(sandbox_at) - Date.parse(at))) return [];
  return [color.dim(`   ${localize(say`real time`)}: ${toFullTime(new Date(at))}`)];
}

export interface Answer {
  readonly status?: number;
  readonly error?: string | null;
  readonly response?: string;
  readonly location?: string;
}

/** Whether a POST was answered with 2xx. */
export function isAnswered({ status }: Answer): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

function renderOutcome(answer: Answer, color: ChalkInstance): string {
  return (isAnswered(answer) ? color.green : color.red)(toSafeLine(outcomeOf(answer)));
}

/** The address of a redirect, and the start of the body. */
function renderAnswer({ response = "", location }: Answer, color: ChalkInstance): string {
  const redirect =
    location === undefined
      ? ""
      : `  ${localize(say`redirects to ${cutLong(location)}; webhooks do not follow redirects`)}`;
  const body = cutLong(response.trim());
  return `${redirect}${body === "" ? "" : `  ${color.dim(body)}`}`;
}

function renderAdvice({ error }: Answer, color: ChalkInstance): string[] {
  const advice = adviceFor(error ?? "");
  return advice === undefined ? [] : [color.yellow(`!!  ${localize(advice)}`)];
}

/** A text that came from outside, on one line, cut if it is long. */
function cutLong(text: string): string {
  return cutToWidth(toSafeLine(text), MAX_SHOWN);
}

const MAX_SHOWN = 120;

/** The status of a response, or the reason why there is none. */
export function outcomeOf({ status, error }: Answer): string {
  return String(status ?? error ?? "");
}

/** Such as "1 payin, 2 payouts". */
export function countsOf(payins: number, payouts: number): Message {
  return joined(
    [
      plural(payins, say`${payins} payin`, say`${payins} payins`),
      plural(payouts, say`${payouts} payout`, say`${payouts} payouts`),
    ],
    ", ",
  );
}
