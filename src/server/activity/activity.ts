import type { Events } from "../../core/state/events.ts";
import type { Clock } from "../../core/time/clock.ts";
import {
  toWireAttemptEvent,
  type WireAttemptEvent,
  type WireRequest,
  type WireSent,
} from "../../core/state/wire.ts";
import type { Answer } from "../../http/calls/call.ts";
import { type RequestLog, toWireRequest } from "../../http/context/request-log.ts";

/** What a gateway call did: the id of its record, or why it was refused. */
export interface CallResult {
  readonly id?: string | undefined;
  readonly code?: string | undefined;
  /** The first field at fault. */
  readonly field?: string | undefined;
  /** Why it was refused. */
  readonly message?: string | undefined;
  /** Whether a fault that was armed before refused it or lost its response. */
  readonly isByFault?: boolean | undefined;
}

/** What a running sandbox reports as it happens. */
export type Activity =
  | {
      /** A gateway call was answered. */
      readonly kind: "call";
      readonly request: WireRequest;
      readonly result: CallResult;
    }
  | {
      /** An attempt of a webhook begins. */
      readonly kind: "sent";
      readonly sent: WireSent;
    }
  | {
      /** An attempt of a webhook has ended. */
      readonly kind: "answered";
      readonly attempt: WireAttemptEvent;
      /** Sandbox time, as of the next attempt. */
      readonly nowMs: number;
    };

/** The parts that report something. */
export interface ActivitySources {
  readonly events: Events;
  readonly requests: Pick<RequestLog, "onEntry">;
  readonly clock: Pick<Clock, "nowMs">;
}

/** Calls `listener` with everything that happens from now on. @returns a function that removes the listener. */
export function onActivity(
  { events, requests, clock }: ActivitySources,
  listener: (activity: Activity) => void,
): () => void {
  const stops = [
    requests.onEntry((request) =>
      listener({ kind: "call", request: toWireRequest(request), result: resultOf(request.answer) }),
    ),
    events.listen((event) => {
      if (event.kind === "sent") listener(event);
      if (event.kind !== "attempt") return;
      const attempt = toWireAttemptEvent(event.delivery);
      listener({ kind: "answered", attempt, nowMs: clock.nowMs() });
    }),
  ];
  return () => stops.forEach((stop) => stop());
}

function resultOf({ outcome: { transactionId, refusal, fault } = {} }: Answer): CallResult {
  const isByFault = fault?.id != null && /^(?:error=|lost_answer$)/.test(fault.effect);
  if (!refusal) return { id: transactionId, isByFault };
  const { code, field, message } = { ...refusal, ...refusal.errors[0] };
  return { code, field, message, isByFault };
}
