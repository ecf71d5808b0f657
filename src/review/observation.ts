import type { Payin, Transaction } from "../core/records/transaction.ts";
import type { Attempt, Delivery } from "../core/records/delivery.ts";

/** A call that creates a payin or a payout, and what its client learned. */
export interface SeenCreation {
  readonly noun: Noun;
  readonly integration: string;
  /** In the request log. */
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** Sandbox time. */
  readonly atMs: number;
  /** Real time. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Not empty. */
  readonly key: string;
  /** The start of the body's text; undefined if it was not read. */
  readonly body: string | undefined;
  readonly status: number;
  /** `lost`: the response did not reach the client. `failed`: it does not say whether the call was handled. */
  readonly outcome: "known" | "lost" | "failed";
  /** Whether the client closed the connection itself, since it did not wait any longer. */
  readonly hasLeft?: boolean | undefined;
  /** Whether the key was new, or the call got the response of an earlier one, or was refused because of its key. */
  readonly keyUse: "new" | "repeated" | "refused";
  /** The `retry-after` of the response, if it has one. */
  readonly retryAfterMs?: number | undefined;
}

export type Noun = "payin" | "payout";

/** An attempt of a webhook to the merchant has ended. */
export interface SeenAttempt {
  /** With the attempt, the last of its attempts. */
  readonly delivery: Delivery;
  readonly attempt: Attempt;
  /** Whether the merchant can know the transaction: a call of its own, not of the sandbox's commands, created it. */
  readonly isOfMerchant: boolean;
  /** Sandbox time. */
  readonly atMs: number;
  /** Real time at which it began. */
  readonly startedAtMs: number;
  readonly verdict: "accepted" | "refused" | "unanswered";
  /** Whether an earlier attempt was accepted. */
  readonly wasAccepted: boolean;
  /** Whether its signature is wrong, because of a fault. */
  readonly isForged: boolean;
}

/**
 * Judges some of the rules by what it sees. Its methods are called in the order of what happens: a call when its
 * response is sent; a final status when it is committed; an attempt when it has
 * ended.
 */
export interface Watch {
  /** The only transactions that it judges. Default: all. */
  readonly of?: Noun;
  /** @param created what the call has created, if it is known to have */
  readonly creation?: (call: SeenCreation, created: Transaction | undefined) => void;
  /** A payin has its final status, or is no longer judged. */
  readonly settled?: (payin: Payin) => void;
  readonly attempt?: (attempt: SeenAttempt) => void;
  /** The records and keys of an integration, or of all (`null`), are gone. */
  readonly reset?: (integration: string | null) => void;
}
