import type { Clock } from "../core/time/clock.ts";
import type { Credentials } from "../core/credentials.ts";
import type { FixtureLoader } from "../core/state/fixture-loader.ts";
import type { Gateway } from "../core/gateway.ts";
import type { WebhookSender, Snapshots } from "../core/ports.ts";
import type { ClockDriver } from "../core/time/clock-driver.ts";
import type { OriginSettings } from "./origin.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { RequestLog } from "./request-log.ts";

/** What the routes work with. */
export interface Context {
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly clockDriver: ClockDriver;
  readonly sender: WebhookSender;
  readonly snapshots: Snapshots;
  /** What a reset goes back to; absent where there are no fixtures. */
  readonly fixtures?: FixtureLoader | undefined;
  readonly rateLimit: RateLimit;
  /** What the gateway was sent. */
  readonly requests: RequestLog;
  readonly credentials: Credentials;
  /** What signs an integration's webhooks; the sandbox's own secret where it is null. */
  readonly secretOf: (integration: string | null) => string;
  /** What ids are drawn from; a failure says it, so that the run can be had again. */
  readonly seed: string;
  /** Names the event stream; event numbers belong to it, and it outlives a restart of the same state. */
  readonly stream: string;
  readonly origins: OriginSettings;
  /** Whether each gateway answer names every assumption that was asked for it, defaults too. */
  readonly explain: boolean;
  /** Whether magic values mean something. */
  readonly magic: boolean;
  /** Ends with the server, and with it every open stream. */
  readonly closing: AbortSignal;
  /** Says on stderr what nobody foresaw. */
  readonly report: (error: unknown) => void;
}
