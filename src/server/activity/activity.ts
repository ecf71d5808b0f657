import type { WireAttemptEvent, WireRequest } from "../../core/state/wire.ts";
import type { SentWebhook } from "../../delivery/worker.ts";

export type { SentWebhook };

/** What a gateway call did: the id of its record, or why it was refused. */
export interface CallResult {
  readonly id?: string | undefined;
  readonly code?: string | undefined;
  /** The first field at fault. */
  readonly field?: string | undefined;
  /** Why it was refused. */
  readonly message?: string | undefined;
}

/** What a running sandbox reports as it happens. */
export type Activity =
  | {
      /** A gateway call was answered. */
      readonly kind: "call";
      readonly request: WireRequest;
      readonly result: CallResult;
    }
  | ({
      /** An attempt of a webhook begins. */
      readonly kind: "sent";
    } & SentWebhook)
  | {
      /** An attempt of a webhook has ended. */
      readonly kind: "answered";
      readonly attempt: WireAttemptEvent;
      /** Sandbox time, as of the next attempt. */
      readonly nowMs: number;
    };
