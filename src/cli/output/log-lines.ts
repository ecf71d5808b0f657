import type { ChalkInstance } from "chalk";
import { toSafeJson, toSafeLine } from "../../text/plain/safe-text.ts";
import type { WireAttemptEvent } from "../../core/state/wire.ts";
import type { Activity } from "../../server/activity/activity.ts";
import { SIGNATURE_STATUSES, VERIFY_STEP } from "./advice.ts";
import { urlOption } from "../client/command-client.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { fitTo, idFor, renderAnswered, renderSent } from "./render.ts";
import { toMilliseconds } from "../terminal/numbers.ts";
import { toTime } from "../terminal/times.ts";
import { PROGRAM } from "../../platform/program.ts";
import { say } from "../../text/message.ts";

export function renderJson(activity: Activity): string {
  return toSafeJson(toJson(activity));
}

type Call = Extract<Activity, { kind: "call" }>;

function toJson(activity: Activity) {
  switch (activity.kind) {
    case "call": {
      const { request } = activity;
      const { isByFault: _, ...result } = activity.result;
      const { at, method, path, status, duration_ms, lost, integration } = request;
      return { type: "call", at, method, path, status, duration_ms, lost, integration, ...result };
    }
    case "sent": {
      const { delivery_id: id, type: event, resend, at, sandbox_at, ...rest } = activity.sent;
      const { transaction_id, url, attempt_number, integration } = rest;
      return {
        type: "webhook_sent",
        at,
        sandbox_at,
        id,
        event,
        transaction_id,
        url,
        attempt_number,
        ...(resend && { resend }),
        integration,
      };
    }
    case "answered": {
      const { id, type, transaction_id, url, attempt, attempt_number, status, next_attempt_at } =
        activity.attempt;
      return {
        type: "webhook_answered",
        at: attempt.at,
        sandbox_at: attempt.sandbox_at,
        id,
        event: type,
        transaction_id,
        url,
        attempt_number,
        ...("status" in attempt ? { status: attempt.status } : { error: attempt.error }),
        duration_ms: attempt.duration_ms,
        delivery: status,
        next_attempt_at,
        integration: activity.attempt.integration,
      };
    }
  }
}

/**
 * Renders an activity for people; a failed webhook also gets lines with advice. All times are the sandbox's.
 * @param url the sandbox's
 */
export function renderActivity(
  activity: Activity,
  url: string,
  io: Pick<Io, "errorColor" | "isTerminal" | "columns">,
): string {
  const color = io.errorColor;
  const columns = io.isTerminal ? (io.columns ?? USUAL_WIDTH) : undefined;
  switch (activity.kind) {
    case "call":
      return [
        renderCall(activity, color, columns),
        ...(activity.result.isByFault ? faultSteps(url) : []).map((step) =>
          color.yellow(`!!  ${step}`),
        ),
      ].join("\n");
    case "sent":
      return renderSent(activity.sent, color, columns);
    case "answered":
      return [
        ...renderAnswered(activity, color, io.isTerminal),
        ...nextSteps(activity.attempt, url, io.isTerminal).map((step) =>
          color.yellow(`!!  ${step}`),
        ),
      ].join("\n");
  }
}

/** The width of a terminal that reports none. */
const USUAL_WIDTH = 80;

function renderCall(call: Call, color: ChalkInstance, columns: number | undefined): string {
  const { method, path, status, duration_ms, lost, integration } = call.request;
  const { id, code, field, message = "" } = call.result;
  const isRefused = status >= 400;
  const what = isRefused
    ? `${[code, field].filter(Boolean).join(" ")}: ${message}`
    : id === undefined
      ? ""
      : idFor(id, columns !== undefined);
  const [time, verb] = [toTime(new Date(call.request.at)), method.padEnd(4)];
  const route = toSafeLine(path).padEnd(PATH_WIDTH);
  const others = [
    toMilliseconds(duration_ms < 10 ? duration_ms : Math.round(duration_ms)).padStart(6),
    toSafeLine(integration ?? "-"),
    ...(lost ? [localize(say`the client received no response`)] : []),
  ].join("  ");
  const shown = fitTo(
    toSafeLine(what),
    `${time}  ${verb} ${route}  ${status}  ${others}  `,
    columns,
  );
  const paint = isRefused ? color.red : color.green;
  return `${color.dim(time)}  ${color.bold(verb)} ${route}  ${paint(String(status))}  ${others}  ${shown}`.trimEnd();
}

/** The longest path of the gateway. */
const PATH_WIDTH = "/v1/payouts/simulations".length;

/** What to do about a fault. */
function faultSteps(url: string): string[] {
  const at = urlOption(url);
  return [
    localize(say`a fault caused this: ${PROGRAM} faults list${at}`),
    localize(say`to remove all faults: ${PROGRAM} faults clear${at}`),
  ];
}

/** What to do about an attempt that failed. */
function nextSteps(
  { id, status, attempt, attempt_number, next_attempt_at, fault }: WireAttemptEvent,
  url: string,
  isTerminal: boolean,
): string[] {
  if (status === "delivered") return [];
  const isRefused = "status" in attempt && SIGNATURE_STATUSES.has(attempt.status);
  const isLast = next_attempt_at === null;
  const command = `${PROGRAM} webhooks resend ${idFor(id, isTerminal)}${urlOption(url)}`;
  return [
    ...(fault !== undefined && (attempt_number === 1 || isLast) ? faultSteps(url) : []),
    ...(isRefused && (attempt_number === 1 || isLast) ? [localize(VERIFY_STEP)] : []),
    ...(isLast ? [localize(say`to send it again: ${command}`)] : []),
  ];
}
