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
