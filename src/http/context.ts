import type { Clock } from "../core/clock.ts";
import type { Gateway } from "../core/gateway.ts";
import type { Timekeeper } from "../core/timekeeper.ts";
import type { OriginSettings } from "./origin.ts";

/** What the routes work with. */
export interface Context {
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly timekeeper: Timekeeper;
  readonly secret: string;
  readonly origins: OriginSettings;
  /** Ends with the server, and with it every open stream. */
  readonly closing: AbortSignal;
  /** Says on stderr what nobody foresaw. */
  readonly report: (error: unknown) => void;
}
