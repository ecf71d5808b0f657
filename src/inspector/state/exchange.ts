import { maskAddresses } from "../../text/plain/safe-text.ts";
import type { WireDelivery, WireRequest } from "./wire.ts";
import { type Message, say } from "../../text/message.ts";
import { type Language, translate } from "../../text/languages.ts";

/** A gateway call and its response, in Markdown, for a report. The log has no secrets: they are redacted. */
export function requestExchange(request: WireRequest, language: Language): string {
  const { method, path, at, duration_ms, status, lost } = request;
  return [
    `## ${method} ${maskAddresses(path)}`,
    `${at} · ${duration_ms} ms · ${request.id}`,
    `### ${translate(REQUEST, language)}`,
    fence([`${method} ${path}`, ...headerLines(request.headers), ...bodyLines(request.body)]),
    `### ${translate(RESPONSE, language)}`,
    fence([
      String(status),
      ...headerLines(request.response_headers),
      ...bodyLines(request.response),
    ]),
    ...(lost ? [translate(LOST, language)] : []),
  ].join("\n\n");
}

/** A webhook and all of its attempts, in Markdown, for a report. The secret that signs it is not part of it. */
export function webhookExchange(delivery: WireDelivery, language: Language): string {
  const { id, type, status, created_at, transaction_id, fault, attempts } = delivery;
  return [
    `## ${type} ${id}`,
    [status, created_at, transaction_id, ...(fault === undefined ? [] : [fault])].join(" · "),
    `### ${translate(BODY, language)}`,
    fence([delivery.body]),
    ...attempts.flatMap((attempt, index) => [
      `### ${translate(ATTEMPT, language)} ${index + 1}${attempt.resend ? ` (${translate(RESENT, language)})` : ""}`,
      `${attempt.sandbox_at} · ${attempt.duration_ms} ms`,
      fence([`POST ${delivery.url}`, ...headerLines(attempt.headers)]),
      fence([
        resultOf(attempt),
        ...("location" in attempt && attempt.location !== undefined
          ? [`location: ${attempt.location}`]
          : []),
        ...("retry_after_seconds" in attempt && attempt.retry_after_seconds !== undefined
          ? [`retry-after: ${attempt.retry_after_seconds}`]
          : []),
        ...bodyLines("response" in attempt ? (attempt.response ?? null) : null),
      ]),
    ]),
    ...(attempts.length === 0 ? [translate(NO_ATTEMPTS, language)] : []),
  ].join("\n\n");
}

/** The HTTP status of an attempt, or the error that there was instead of a response. */
export function resultOf(attempt: WireDelivery["attempts"][number]): string {
  return String(attempt.status ?? attempt.error);
}

/** How much of a merchant's response the sandbox stores. */
const MAX_RESPONSE_BYTES = 16 * 1024;

/** Whether a stored response of a merchant can be the beginning of a longer one. */
export function canBeCut(response: string): boolean {
  return new TextEncoder().encode(response).length >= MAX_RESPONSE_BYTES;
}

function headerLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

function bodyLines(body: string | null): string[] {
  return body === null || body === "" ? [] : ["", body];
}

/** A block of code with a fence that its lines do not contain. */
function fence(lines: readonly string[]): string {
  const text = withoutSecrets(lines.join("\n"));
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const mark = "`".repeat(longest + 1);
  return `${mark}\n${text}\n${mark}`;
}

/** Bodies contain addresses too, and a merchant can respond with anything. */
function withoutSecrets(text: string): string {
  return maskAddresses(text).replace(/whsec_[\w+/=-]+/g, "whsec_[redacted]");
}

const REQUEST: Message = say`Request`;
const RESPONSE: Message = say`Response`;
const BODY: Message = say`Body`;
const ATTEMPT: Message = say`Attempt`;
const RESENT: Message = say`resent`;
const NO_ATTEMPTS: Message = say`No attempts yet.`;
const LOST: Message = say`The client had disconnected before the response.`;
