import type { CallEffect } from "./effects.ts";
import { type Message, say } from "../../text/message.ts";

/** A CPF with a special effect: what a call with it does. */
export interface Magic {
  readonly name: string;
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
export const MAGIC: readonly Magic[] = [
  {
    name: "rejected",
    cpf: "00000000191",
    effect: "error=NOT_PROCESSABLE",
    happens: say`The call is refused with 422 \`NOT_PROCESSABLE\`. Nothing is created; its key stays unused.`,
  },
  {
    name: "provider_down",
    cpf: "00000000272",
    effect: "error=EXTERNAL_ERROR",
    happens: say`The call is refused with 502 \`EXTERNAL_ERROR\`. Nothing is created; its key stays unused.`,
  },
  {
    name: "slow",
    cpf: "00000000353",
    effect: "latency_ms=3000",
    happens: say`The call waits for 3 s of real time first.`,
  },
  {
    name: "lost_answer",
    cpf: "00000000434",
    effect: "lost_answer",
    happens: say`The record is created, then the connection closes without a response. A retry with the same key gets the first response.`,
  },
  {
    name: "canceled_later",
    cpf: "00000000515",
    cancelsAfterMs: 5000,
    happens: say`The record is canceled after 5 s of sandbox time, unless it is final by then. A webhook reports it: for a payout always, for a payin if \`payment.failed\` is configured.`,
  },
];

/** The row of the first magic value among the given values. */
export function magicIn(...values: readonly string[]): Magic | undefined {
  return values.map((value) => MAGIC.find(({ cpf }) => cpf === value)).find(Boolean);
}
