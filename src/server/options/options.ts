import type { AssumptionChanges } from "../../core/assumptions/table.ts";
import type { Credential } from "../../core/records/credentials.ts";
import type { FaultPlace } from "../../core/faults/effects.ts";
import type { PayinDraft, PayinStatus } from "../../core/records/payin.ts";
import type { PayoutDraft, PayoutStatus } from "../../core/records/payout.ts";

/** Records and faults to create at the start. A fixtures file holds the same members in snake_case. */
export interface Fixtures {
  readonly payins?: readonly PayinFixture[] | undefined;
  readonly payouts?: readonly PayoutFixture[] | undefined;
  readonly faults?: readonly FaultFixture[] | undefined;
}

/** A request of `POST /v1/payins`, with its integration and its status. */
export interface PayinFixture extends Omit<
  PayinDraft,
  "valueCents" | "valueUnit" | "generateQrcode" | "expirationSeconds"
> {
  /** The `x-api-token` of its integration. Default `sandbox`. */
  readonly token?: string | undefined;
  /** Default `waiting`. */
  readonly status?: PayinStatus | undefined;
  readonly value: number;
  readonly generateQrcode?: boolean | undefined;
  readonly expiration?: number | undefined;
}

/** A request of `POST /v1/payouts`, with its integration and its status. */
export interface PayoutFixture extends Omit<PayoutDraft, "valueCents" | "valueUnit"> {
  readonly token?: string | undefined;
  readonly status?: PayoutStatus | undefined;
  readonly value: number;
}

/** A body of `POST /_sandbox/faults`. Without a token it applies to all integrations. */
export interface FaultFixture {
  readonly token?: string | undefined;
  readonly on: FaultPlace;
  /** Such as `error=EXTERNAL_ERROR`. */
  readonly effect: string;
  /** Values by field, with the names of the wire format. */
  readonly match?: Readonly<Record<string, unknown>> | undefined;
  readonly times?: number | undefined;
  readonly probability?: number | undefined;
}

/** This machine only. */
export const DEFAULT_HOST = "127.0.0.1";

/** The options of a sandbox. All are optional. */
export interface SandboxOptions {
  /** The address to listen on. Default 127.0.0.1: this machine only. */
  readonly host?: string | undefined;
  /** Default 0: a free port. A busy port is an error. */
  readonly port?: number | undefined;
  /**
   * The JSON file that stores the state, or the address of a PostgreSQL database, which several processes can share:
   * `postgres://user:password@host/db?sandbox=name`. Default: the state is in memory and lost at the end.
   */
  readonly stateFile?: string | undefined;
  /** What a stored change survives: `always` a loss of power, `none` the end of the process. Default `always`. */
  readonly durability?: "always" | "none" | undefined;
  /** Whether to refuse a state file that was changed since it was written, instead of reporting the change. Default false. */
  readonly strictState?: boolean | undefined;
  /** How many finished deliveries are stored. Default 10,000. */
  readonly keepDeliveries?: number | undefined;
  /** How many requests the request log holds, and webhooks the sandbox's own receiver, in memory. Default 1,000. */
  readonly keepRequests?: number | undefined;
  /** Fixtures for the start and after each reset: names of JSON files, or objects. */
  readonly fixtures?: readonly (string | Fixtures)[] | undefined;
  /**
   * Makes ids repeatable: every run, and each reset, draws the same ones. Also determines the secret of a new state.
   * Default: the stored seed, or a random one; ids then never repeat.
   */
  readonly seed?: string | undefined;
  /** A `frozen` clock stands still until it is advanced. Default `real`. */
  readonly clock?: "real" | "frozen" | undefined;
  /** The sandbox's time at the start, as a Date or in ISO 8601. Default: now, or the stored time. */
  readonly now?: Date | string | undefined;
  /** Choices by assumption name, for what the specification leaves open. */
  readonly assumptions?: AssumptionChanges | undefined;
  /** Whether the header `x-sandbox-assumption` lists every assumption that affected a response, not only changed ones. Default false. */
  readonly explain?: boolean | undefined;
  /** Whether the values that `pix-sandbox magic` lists trigger their effects. Default false. */
  readonly magic?: boolean | undefined;
  /** The active credentials if the assumption `credentials` is `listed`. Each needs its own `apiKey`. */
  readonly credentials?: readonly Credential[] | undefined;
  /** Whether to serve HTTPS with a self-signed certificate. Default false. */
  readonly https?: boolean | undefined;
  /** A PEM file with the server's certificate and its chain. Together with `tlsKey` it turns HTTPS on. */
  readonly tlsCert?: string | undefined;
  /** A PEM file with the private key of `tlsCert`, not encrypted. */
  readonly tlsKey?: string | undefined;
  /** The base URL of the locations in BR Codes. Default: a host that cannot exist. */
  readonly publicUrl?: string | undefined;
  /** The city in BR Codes. Default `SAO PAULO`. */
  readonly city?: string | undefined;
  /** Host names that are accepted in addition to this machine's own. */
  readonly allowHosts?: readonly string[] | undefined;
  /** Origins whose pages may call the sandbox. */
  readonly corsOrigins?: readonly string[] | undefined;
  /**
   * Protects the control routes: all routes under `/_sandbox` but the health check and the payer's page then need the
   * header `authorization: Bearer` with this token. Default: they need none.
   */
  readonly controlToken?: string | undefined;
  /**
   * Whether a sandbox with its state in a database may accept connections from other machines without `controlToken`.
   * Anyone who can reach it can then read and change all data. Default false. Without a database it has no effect.
   */
  readonly openControl?: boolean | undefined;
  /** Whether this process passes calls on to the leader while another process leads. Default false: it refuses them. */
  readonly standbyForward?: boolean | undefined;
  /** The URL at which the other processes of the same database reach this one, without a path. Default: its own URL. */
  readonly advertise?: string | undefined;
  /** Allowed webhook addresses: `all` but link-local and metadata addresses, or `loopback` (this machine) only. Default `all`. */
  readonly webhookAllow?: "all" | "loopback" | undefined;
  /** Receives a line about each internal problem. Default: writes it to stderr. */
  readonly report?: ((line: string) => void) | undefined;
}
