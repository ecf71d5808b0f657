import type { Call } from "./call.ts";

/** A call as its face received it, with what the checks of all routes need. */
export interface ReceivedCall extends Call {
  /** The request's target before anything in it is resolved or decoded. */
  readonly target: string;
  /** Whether the protocol allows a request without a Host header. */
  readonly mayOmitHost: boolean;
  /** Whether the client can no longer receive the response. */
  readonly isDisconnected: boolean;
  /** Breaks the connection, so that the client does not receive the response. */
  loseAnswer(): void;
}
