import type { InCamelCase } from "../../text/plain/camel-case.ts";
import type { FaultPlace } from "../../core/faults/effects.ts";
import type {
  PayinDraft,
  PayinStatus,
  PayoutDraft,
  PayoutStatus,
} from "../../core/records/transaction.ts";

/** Records and faults to create at the start. A fixtures file holds the same members in snake_case. */
export interface Fixtures {
  readonly payins?: readonly PayinFixture[] | undefined;
  readonly payouts?: readonly PayoutFixture[] | undefined;
  readonly faults?: readonly FaultFixture[] | undefined;
}

/** A request of `POST /v1/payins`, with its integration and its status. */
export interface PayinFixture extends InCamelCase<
  Omit<PayinDraft, "description" | "generate_qrcode" | "expiration">
> {
  /** The `x-api-token` of its integration. Default `sandbox`. */
  readonly token?: string | undefined;
  /** Default `waiting`. */
  readonly status?: PayinStatus | undefined;
  readonly description?: string | undefined;
  readonly generateQrcode?: boolean | undefined;
  readonly expiration?: number | undefined;
}

/** A request of `POST /v1/payouts`, with its integration and its status. */
export interface PayoutFixture extends InCamelCase<Omit<PayoutDraft, "description">> {
  readonly description?: string | undefined;
  readonly token?: string | undefined;
  readonly status?: PayoutStatus | undefined;
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
