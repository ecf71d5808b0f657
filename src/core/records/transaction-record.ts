import type { Assumptions } from "../assumptions/table.ts";
import { INTEGER, nullable, oneOf, optional, type StoredForm, TEXT, TIME } from "./stored-form.ts";

/** The request's members that payins and payouts share. */
export interface TransactionDraft {
  readonly valueCents: number;
  /** The unit in which `value` was sent and is shown; absent in a record of an older version. */
  readonly valueUnit?: Assumptions["value.unit"] | undefined;
  readonly description?: string | undefined;
  readonly webhookUrl: string;
}

/** The members that payins and payouts share. */
export interface TransactionRecord extends TransactionDraft {
  readonly id: string;
  /** The `x-api-token` of the integration that the record belongs to. */
  readonly integration: string;
  /** Counts the records of the integration; the record's random ids are drawn from it. */
  readonly ordinal: number;
  /** The call's `x-idempotency-key` and its body's JSON text: they identify a repeat. */
  readonly idempotencyKey: string;
  readonly request: string;
  readonly createdAtMs: number;
  /** When it is canceled automatically, if ever. */
  readonly cancelsAtMs?: number | undefined;
  /** When it reached its final status. */
  readonly settledAtMs: number | null;
  /** The payment's id in the Pix system; null without a payment. */
  readonly endToEndId: string | null;
  /** The name of the fixture that it comes from, if any: each fixture is created once. */
  readonly fixture?: string | undefined;
}

export const STORED_TRANSACTION: StoredForm<TransactionRecord> = {
  id: TEXT,
  integration: TEXT,
  ordinal: INTEGER,
  idempotencyKey: TEXT,
  request: TEXT,
  valueCents: INTEGER,
  valueUnit: optional(oneOf(["reais", "centavos"])),
  description: optional(TEXT),
  webhookUrl: TEXT,
  createdAtMs: TIME,
  cancelsAtMs: optional(TIME),
  settledAtMs: nullable(TIME),
  endToEndId: nullable(TEXT),
  fixture: optional(TEXT),
};
