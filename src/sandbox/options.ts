import type { AssumptionChanges } from "../core/assumptions/table.ts";
import type { Credential } from "../core/credentials.ts";
import type { FaultPlace } from "../core/faults/effects.ts";
import type { PayinStatus } from "../core/payments/payin.ts";
import type { PayoutStatus } from "../core/payments/payout.ts";
import type { PixKeyType } from "../core/payments/pix-key.ts";

/** Records and failures that there are from the start, as a fixtures file holds them under names in snake_case. */
export interface Fixtures {
  readonly payins?: readonly PayinFixture[] | undefined;
  readonly payouts?: readonly PayoutFixture[] | undefined;
  readonly faults?: readonly FaultFixture[] | undefined;
}

/** A request of `POST /v1/payins`, whose it is, and what became of it. */
export interface PayinFixture {
  /** The `x-api-token` of its integration. Default `sandbox`. */
  readonly token?: string | undefined;
  /** Default `waiting`. */
  readonly status?: PayinStatus | undefined;
  readonly value: number;
  readonly description?: string | undefined;
  readonly buyerCpf: string;
  readonly buyerName: string;
  readonly buyerEmail: string;
  readonly webhookUrl: string;
  readonly generateQrcode?: boolean | undefined;
  readonly expiration?: number | undefined;
}

/** A request of `POST /v1/payouts`, likewise. */
export interface PayoutFixture {
  readonly token?: string | undefined;
  readonly status?: PayoutStatus | undefined;
  readonly value: number;
  readonly description?: string | undefined;
  readonly receiverCpf: string;
  readonly receiverName: string;
  readonly receiverEmail: string;
  readonly webhookUrl: string;
  readonly pixKey: string;
  readonly pixKeyType: PixKeyType;
}

/** A body of `POST /_sandbox/faults`; for everyone where it names no token. */
export interface FaultFixture {
  readonly token?: string | undefined;
  readonly on: FaultPlace;
  /** Such as `error=EXTERNAL_ERROR`. */
  readonly effect: string;
  /** By their names on the wire. */
  readonly match?: Readonly<Record<string, unknown>> | undefined;
  readonly times?: number | undefined;
  readonly probability?: number | undefined;
}

/** How a sandbox is started; everything has a default. */
export interface SandboxOptions {
  /** Default 127.0.0.1: this machine alone. */
  readonly host?: string | undefined;
  /** Default 0, a free port; a busy one is an error. */
  readonly port?: number | undefined;
  /** The JSON file that keeps the state; without one nothing outlives the process. */
  readonly stateFile?: string | undefined;
  /** When a change of a state file counts as done: `always` outlasts a loss of power, `none` the process. Default `always`. */
  readonly durability?: "always" | "none" | undefined;
  /** Whether a state file that was changed by hand, or damaged, since it was written is refused, not reported. Default false. */
  readonly strictState?: boolean | undefined;
  /** How many finished deliveries are remembered. Default 10,000. */
  readonly keepDeliveries?: number | undefined;
  /** How many requests are remembered, in memory alone. Default 1,000. */
  readonly keepRequests?: number | undefined;
  /** What there is from the start and after each reset: JSON files by their names, or fixtures as they are. */
  readonly fixtures?: readonly (string | Fixtures)[] | undefined;
  /**
   * Makes ids repeat, in every run and after each reset, and fixes the secret of a new state. Default: the
   * state's own, or a random one; no id repeats unless a seed was given.
   */
  readonly seed?: string | undefined;
  /** `frozen` time stands still until it is advanced. Default `real`. */
  readonly clock?: "real" | "frozen" | undefined;
  /** The sandbox's time at the start, as a Date or in ISO 8601. Default: now, or where the state left off. */
  readonly now?: Date | string | undefined;
  /** Choices where the specification is silent, by name. */
  readonly assumptions?: AssumptionChanges | undefined;
  /** Whether the header `x-sandbox-assumption` names every assumption that was asked, not only changed ones. Default false. */
  readonly explain?: boolean | undefined;
  /** Whether the values that `pix-sandbox magic` lists mean something. Default false. */
  readonly magic?: boolean | undefined;
  /** Who may call where `credentials` is assumed to be `listed`: each with an `apiKey` of its own. */
  readonly credentials?: readonly Credential[] | undefined;
  readonly https?: boolean | undefined;
  /** The address whose host BR codes carry in place of one that cannot exist. */
  readonly publicUrl?: string | undefined;
  /** The city on BR codes. Default `SAO PAULO`. */
  readonly city?: string | undefined;
  /** Host names that are answered beside this machine's own. */
  readonly allowHosts?: readonly string[] | undefined;
  /** Origins whose pages may call. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Where webhooks may go: anywhere but to link-local and metadata addresses, or to this machine alone. Default `all`. */
  readonly webhookAllow?: "all" | "loopback" | undefined;
  /** Hears of what failed inside, a line at a time. Default: stderr. */
  readonly report?: ((line: string) => void) | undefined;
}
