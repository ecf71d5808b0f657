import type { ChalkInstance } from "chalk";
import type { WireAttemptEvent, WireDelivery, WirePayin, WirePayout } from "../core/wire.ts";
import { toSafeLine } from "./safe-text.ts";

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
  if (payins.length === 0) return "No payins.";
  const rows = payins.map((payin) => [
    payin.id,
    payin.status,
    String(payin.value),
    payin.created_at,
    payin.buyer_name,
    payin.integration,
  ]);
  return renderTable(["ID", "STATUS", "VALUE", "CREATED", "BUYER", "INTEGRATION"], rows, colour);
}

export function renderPayouts(payouts: readonly WirePayout[], colour: ChalkInstance): string {
  if (payouts.length === 0) return "No payouts.";
  const rows = payouts.map((payout) => [
    payout.id,
    payout.status,
    String(payout.value),
    payout.created_at,
    payout.receiver_name,
    payout.integration,
  ]);
  return renderTable(["ID", "STATUS", "VALUE", "CREATED", "RECEIVER", "INTEGRATION"], rows, colour);
}

export function renderDeliveries(
  deliveries: readonly WireDelivery[],
  colour: ChalkInstance,
): string {
  if (deliveries.length === 0) return "No webhooks.";
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
    ["ID", "TYPE", "STATUS", "ATTEMPTS", "LAST", "TRANSACTION", "URL"],
    rows,
    colour,
  );
}

/** Two lines an attempt: what left, and what came back. */
export function renderAttempt(event: WireAttemptEvent, colour: ChalkInstance): string {
  const { attempt, attempt_number, type, transaction_id, url, next_attempt_at, status } = event;
  const sentAt = new Date(attempt.at);
  const answeredAt = new Date(sentAt.getTime() + attempt.duration_ms);
  const isReceived = status === "delivered";
  const fate = isReceived
    ? ""
    : next_attempt_at === null
      ? "  gave up"
      : `  next attempt at ${toTime(new Date(next_attempt_at))}`;
  const outcome = (isReceived ? colour.green : colour.red)(toSafeLine(outcomeOf(attempt)));
  const again = attempt_number > 1 ? `  attempt ${attempt_number}` : "";
  return [
    `${colour.dim(toTime(sentAt))}  -->  ${colour.bold(type)}  ${transaction_id}  ${toSafeLine(url)}${again}`,
    `${colour.dim(toTime(answeredAt))}  <--  ${outcome}  ${attempt.duration_ms} ms${fate}`,
  ].join("\n");
}

/** The line of an answer to something that was forwarded. */
export function renderForwarded(
  url: string,
  outcome: { status: number | null; error: string | null; durationMs: number },
  colour: ChalkInstance,
): string {
  const isReceived = outcome.status !== null && outcome.status >= 200 && outcome.status < 300;
  const text = (isReceived ? colour.green : colour.red)(
    toSafeLine(String(outcome.status ?? outcome.error)),
  );
  return `${colour.dim(toTime(new Date()))}  <--  ${text}  ${outcome.durationMs} ms  forwarded to ${toSafeLine(url)}`;
}

function outcomeOf(attempt: { status?: number; error?: string | null }): string {
  return String(attempt.status ?? attempt.error);
}

function toTime(time: Date): string {
  return time.toTimeString().slice(0, 8) + `.${String(time.getMilliseconds()).padStart(3, "0")}`;
}
