import type { Payin } from "../payments/payin.ts";
import type { Payout } from "../payments/payout.ts";
import type { Attempt, Delivery } from "../webhooks/delivery.ts";

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
  readonly key: string;
  /** The body's text; undefined if it was not read. */
  readonly body: string | undefined;
  readonly status: number;
  /** `unknown`: the response was lost, or does not say whether the call was handled. */
  readonly outcome: "created" | "repeated" | "refused" | "unknown";
  /** Whether it was refused because of its key. */
  readonly isKeyRefused: boolean;
}

export type Noun = "payin" | "payout";

/** A payin or payout that a call has created. */
export interface SeenRecord {
  readonly noun: Noun;
  readonly record: Payin | Payout;
  /** Real time. */
  readonly realMs: number;
}

/** An attempt of a webhook to the merchant has ended. */
export interface SeenAttempt {
  /** With the attempt, the last of its attempts. */
  readonly delivery: Delivery;
  readonly attempt: Attempt;
  /** Sandbox time. */
  readonly atMs: number;
  readonly verdict: "accepted" | "refused" | "unanswered";
  /** Whether it was accepted before. */
  readonly wasAccepted: boolean;
}

/** Judges some of the rules by what it sees. Each of its methods is called in the order of what happens. */
export interface Watch {
  readonly creation?: (call: SeenCreation) => void;
  readonly record?: (created: SeenRecord) => void;
  readonly attempt?: (attempt: SeenAttempt) => void;
  /** The records and keys of an integration, or of all (`null`), are gone. */
  readonly reset?: (integration: string | null) => void;
}
