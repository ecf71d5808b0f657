import * as z from "zod";
import { DELIVERY_STATUSES } from "../../core/records/delivery.ts";
import type { JournalEntry } from "./lines.ts";
import { PAYIN_STATUSES, PAYOUT_STATUSES } from "../../core/records/transaction.ts";
import { TABLE_NAMES, type TableName } from "../../core/state/records.ts";
import { isSigningSecret, SECRET_PREFIX } from "../../wire/forms.ts";
import { FAULT_PLACES, readEffect } from "../../core/faults/effects.ts";

/** The first members of a state file. */
export const FORMAT = "pix-sandbox";
export const VERSION = 3;

const text = z.string();
const time = z.number();

/** A record: what the engine reads. Others members are stored as they are. */
const record = {
  id: text,
  integration: text,
  value: time,
  webhook_url: text,
  created_at: z.iso.datetime(),
  settled_at: z.iso.datetime().nullable(),
  end_to_end_id: text.nullable(),
};

const rowMembers = {
  ordinal: z.int(),
  key: text,
  request: text,
  dueMs: time.nullable(),
  whenDue: z.literal("canceled").optional(),
  fixture: text.optional(),
};

const transaction = z.discriminatedUnion("kind", [
  z.looseObject({
    kind: z.literal("payin"),
    record: z.looseObject({
      ...record,
      status: z.enum(PAYIN_STATUSES),
      pix_id: text,
      qr_code: text,
      expires_at: z.iso.datetime(),
    }),
    ...rowMembers,
  }),
  z.looseObject({
    kind: z.literal("payout"),
    record: z.looseObject({
      ...record,
      status: z.enum(PAYOUT_STATUSES),
      receiver_cpf: text,
      pix_key: text,
    }),
    ...rowMembers,
  }),
]);

const effect = text.refine((one) => readEffect(one) === one);

const attempt = z.looseObject({
  atMs: time,
  durationMs: time,
  status: z.int().nullable(),
  error: text.nullable(),
});

const delivery = z.looseObject({
  id: text,
  integration: text,
  type: text,
  transaction: z.enum(["payin", "payout"]),
  transactionId: text,
  url: z.url(),
  body: text,
  status: z.enum(DELIVERY_STATUSES),
  nextAttemptAtMs: time.nullable(),
  attempts: z.array(attempt),
  createdAtMs: time,
  fault: effect.optional(),
  faultId: text.optional(),
});

const clock = z.union([
  z.object({ mode: z.literal("real"), offsetMs: time }),
  z.object({ mode: z.literal("frozen"), nowMs: time }),
]);
const identity = z.object({
  seed: text,
  isSeedGiven: z.boolean().optional(),
  secret: z.string().startsWith(SECRET_PREFIX).refine(isSigningSecret),
});

/** The schema of a row of each table. */
const rowSchemas: Readonly<Record<TableName, z.ZodType>> = {
  identity,
  clock,
  webhookConfigurations: z.looseObject({
    integration: text,
    webhook_url: z.url(),
    events: z.array(text),
  }),
  changedAssumptions: z.looseObject({
    integration: text.nullable(),
    changes: z.record(text, z.unknown()),
  }),
  faultOrdinals: z.object({ integration: text.nullable(), ordinal: z.int().min(0) }),
  transactions: transaction,
  deliveries: delivery,
  faults: z.looseObject({
    id: text,
    integration: text.nullable(),
    ordinal: z.int(),
    on: z.enum(FAULT_PLACES),
    effect: effect,
    match: z.record(text, z.unknown()).optional(),
    times: z.int().optional(),
    probability: time.optional(),
    used: z.int(),
    drawn: z.int(),
  }),
};

/** The same schemas, compiled: a state may have a million rows. */
export const rowCheckers = Object.fromEntries(
  TABLE_NAMES.map((name) => {
    const compiled = z.compile(rowSchemas[name]);
    return [name, (row: unknown) => compiled.safeParse(row)];
  }),
) as Readonly<Record<TableName, (row: unknown) => z.ZodSafeParseResult<unknown>>>;

/** The header of a state file: all but its lists. */
export const headerSchema = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  /** The last commit in the file. Later ones are in the journal. */
  sequence: z.int().min(0).default(0),
  /** Present if the file is a snapshot. */
  snapshot: z
    .strictObject({
      integration: text.nullable(),
      takenAtMs: time,
      payins: z.int().min(0),
      payouts: z.int().min(0),
      deliveries: z.int().min(0),
    })
    .optional(),
});

export type Header = z.infer<typeof headerSchema>;

const journalLine = z.strictObject({
  crc32: text,
  sequence: z.int().min(1),
  change: z.array(
    z.union([
      z.tuple([z.literal("reset"), text.nullable()]),
      z.tuple([z.enum(TABLE_NAMES), z.null(), text]),
      z
        .tuple([z.enum(TABLE_NAMES), z.unknown()])
        .refine(([table, row]) => rowCheckers[table](row).success),
    ]),
  ),
});

/** Whether a value is one commit of the journal. */
export function isJournalLine(value: unknown): value is JournalEntry {
  return journalLine.safeParse(value).success;
}
