import type { Assumptions, Credentials, Profile } from "../../core/assumptions/table.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { FixtureLoader } from "../../core/operations/fixture-loader.ts";
import type { Gateway } from "../../core/operations/gateway.ts";
import type { Lease, WebhookSender, Snapshots } from "../../core/state/ports.ts";
import type { Reviewer } from "../../review/reviewer.ts";
import type { ClockDriver } from "../../core/operations/clock-driver.ts";
import type { About } from "../schemas/sandbox.ts";
import type { ControlToken } from "./control-token.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { RequestLog } from "./request-log.ts";
import type { Sink } from "./sink.ts";

/** The parts that the routes work with. */
export interface Context {
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly clockDriver: ClockDriver;
  readonly sender: WebhookSender;
  readonly snapshots: Snapshots;
  /** Loads the fixtures that a reset goes back to; absent if there are none. */
  readonly fixtures?: FixtureLoader | undefined;
  readonly rateLimit: RateLimit;
  readonly requests: RequestLog;
  /** Judges the integrations by their calls and webhooks. */
  readonly reviewer: Reviewer;
  /** Writes what an integration (`null`: all of them) did as one HTML file. */
  readonly writeTrace: (integration: string | null) => Promise<string>;
  readonly sink: Sink;
  /** Whether webhooks to an address would call a control route of this sandbox. */
  readonly isOwnControlRoute: (address: string) => boolean;
  readonly credentials: Credentials;
  /** Choices that were observed, if the sandbox was started with them. */
  readonly profile?: Profile | undefined;
  /** The secret that signs an integration's webhooks; the sandbox's own for `null`. */
  readonly secretOf: (integration: string | null) => string;
  /** The seed of the ids; failures report it, so that the run can be repeated. */
  readonly seed: string;
  /** Host names that the server accepts beside those that no web page can forge. */
  readonly allowedHosts: readonly string[];
  /** Origins whose pages may call, with CORS headers. */
  readonly corsOrigins: readonly string[];
  /** The hosts, with their ports and in lower case, by which clients have reached the sandbox. */
  readonly reachedHosts: Set<string>;
  /** Protects the control routes; absent if they are open. */
  readonly controlToken?: ControlToken | undefined;
  /** Whether each gateway response names every assumption that it depends on, defaults too. */
  readonly explain: boolean;
  /** Whether magic values have a meaning. */
  readonly magic: boolean;
  /** Describes every route under these assumptions: an OpenAPI document. */
  readonly describeApi: (
    assumptions: Assumptions,
    isProtected: boolean,
  ) => Promise<{ readonly openapi: string }>;
  /** What `GET /_sandbox/about` shows. @internal */
  readonly about: () => About;
  /** The right to answer; absent if no other process has it. */
  readonly lease?: Lease | undefined;
  /** Aborts when the server closes, which ends every open stream. */
  readonly closing: AbortSignal;
  /** Reports an unexpected error on stderr. */
  readonly report: (error: unknown) => void;
}
