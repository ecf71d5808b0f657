import type { AssumptionName } from "../../core/assumptions/table.ts";
import type { FaultyOperation } from "../../core/faults/effects.ts";
import type { CallFault } from "../../core/faults/fault.ts";
import type { Magic } from "../../core/faults/magic-values.ts";
import type { Gateway } from "../../core/operations/gateway.ts";
import type { Answer } from "../calls/answer.ts";
import type { GatewayBody, GatewayReader, Readers } from "../parse/readers.ts";
import type { ReadCall } from "./read-call.ts";

/** The draft that the reader of a gateway body returns. */
export type DraftOf<Name extends GatewayBody> =
  Readers[Name] extends GatewayReader<infer Draft> ? Draft : never;

/** An operation of the gateway, as the stages of {@link answerCall} use it. */
export interface Operation<Draft, Result> {
  /** The name of its body's reader; undefined if it takes no body. */
  readonly body?: GatewayBody;
  /** Assumptions that every response depends on, in addition to those of the body. */
  readonly dependsOn?: readonly AssumptionName[];
  /** Whether it takes an idempotency key. */
  readonly isKeyed?: boolean;
  /** Its name in faults; undefined if none can act on it. */
  readonly faults?: FaultyOperation;
  /** The meaning of a magic value in its body. */
  readonly findMagic?: (draft: Draft) => Magic | undefined;
  /** The result of the earlier call that this one repeats, once it is durable; undefined for a first call. */
  readonly findRepeat?: (call: ReadCall<Draft>, gateway: Gateway) => Promise<Result> | undefined;
  /** Decides before it returns; resolves when the result is durable. */
  readonly decide: (
    call: ReadCall<Draft>,
    gateway: Gateway,
    fault: CallFault | undefined,
  ) => Promise<Result>;
  readonly respond: (result: Result, call: ReadCall<Draft>) => Answer;
}
