import type { CallEffect } from "./effects.ts";
import { type Message, say } from "../../text/message.ts";

/** A row of the table: what a call with the CPF does. */
interface Meaning {
  readonly cpf: string;
  readonly happens: Message;
  /** The effect on the call, as if its header had requested it. */
  readonly effect?: CallEffect;
  /** When the created record is canceled, in sandbox time, unless it is final by then. */
  readonly cancelsAfterMs?: number;
}

/**
 * CPFs with a special effect in a sandbox that was started with `--magic`: as `buyer_cpf` of a payin, as
 * `receiver_cpf` or `pix_key` of a payout. `pix-sandbox magic` prints them.
 *
 * No CPF is reserved for tests. These have valid check digits and begin with eight zeros: probably, but not
 * certainly, they belong to no person.
 */
export const MAGIC = {
  rejected: {
    happens: say`The call is refused with 422 \`NOT_PROCESSABLE\`. Nothing is created; its key stays unused.`,
    effect: "error=NOT_PROCESSABLE",
    cpf: "00000000191",
  },
  provider_down: {
    happens: say`The call is refused with 502 \`EXTERNAL_ERROR\`. Nothing is created; its key stays unused.`,
    effect: "error=EXTERNAL_ERROR",
    cpf: "00000000272",
  },
  slow: {
    happens: say`The call waits for 3 s of real time first.`,
    effect: "latency_ms=3000",
    cpf: "00000000353",
  },
  lost_answer: {
    happens: say`The record is created, then the connection closes without a response. A retry with the same key gets the first response.`,
    effect: "lost_answer",
    cpf: "00000000434",
  },
  canceled_later: {
    happens: say`The record is canceled after 5 s of sandbox time, unless it is final by then. A webhook reports it: for a payout always, for a payin if \`payment.failed\` is configured.`,
    cancelsAfterMs: 5000,
    cpf: "00000000515",
  },
} as const satisfies Record<string, Meaning>;

export type MagicName = keyof typeof MAGIC;

/** A row with its name. */
export interface Magic extends Meaning {
  readonly name: MagicName;
}

/** All rows. */
export const MAGIC_ROWS: readonly Magic[] = Object.entries<Meaning>(MAGIC).map(
  ([name, meaning]) => ({ name: name as MagicName, ...meaning }),
);

/** The row of the first magic value among the given values. */
export function magicIn(...values: readonly string[]): Magic | undefined {
  for (const value of values) {
    const magic = MAGIC_ROWS.find(({ cpf }) => cpf === value);
    if (magic) return magic;
  }
  return undefined;
}
