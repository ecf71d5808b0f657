import { GatewayError, type TopLevelCode } from "../records/errors.ts";
import type { OperationEffect } from "./effects.ts";
import type { PixKeyType } from "../records/pix-key.ts";
import { type Message, say } from "../../text/message.ts";
import { english } from "../../text/languages.ts";

/** A row of the table: what a call with one of the values does. */
interface Meaning extends Readonly<Record<PixKeyType, string>> {
  readonly happens: Message;
  /** The effect on the call, as if its header had requested it. */
  readonly effect?: OperationEffect;
  /** When the created record is canceled, in sandbox time, unless it is final by then. */
  readonly cancelsAfterMs?: number;
}

/**
 * Values with a special effect in a sandbox that was started with `--magic`: as `buyer_cpf` of a payin, as
 * `receiver_cpf` or `pix_key` of a payout. `pix-sandbox magic` and the docs' table are generated from here.
 *
 * No CPF is reserved for tests. These have valid check digits and begin with eight zeros: probably, but not
 * certainly, they belong to no person. The e-mail addresses' domain and the phones' area code cannot exist.
 */
export const MAGIC = {
  rejected: {
    happens: say`The call is refused with 422 \`NOT_PROCESSABLE\`. Nothing is created; its key stays unused.`,
    effect: { kind: "error", code: "NOT_PROCESSABLE" },
    cpf: "00000000191",
    email: "rejected@magic.example",
    phone: "+5500900000001",
    evp: "00000000-0000-4000-8000-000000000001",
  },
  provider_down: {
    happens: say`The call is refused with 502 \`EXTERNAL_ERROR\`. Nothing is created; its key stays unused.`,
    effect: { kind: "error", code: "EXTERNAL_ERROR" },
    cpf: "00000000272",
    email: "provider-down@magic.example",
    phone: "+5500900000002",
    evp: "00000000-0000-4000-8000-000000000002",
  },
  slow: {
    happens: say`The call waits for 3 s of real time first.`,
    effect: { kind: "latency_ms", ms: 3000 },
    cpf: "00000000353",
    email: "slow@magic.example",
    phone: "+5500900000003",
    evp: "00000000-0000-4000-8000-000000000003",
  },
  lost_answer: {
    happens: say`The record is created, then the connection closes without a response. A retry with the same key gets the first response.`,
    effect: { kind: "lost_answer" },
    cpf: "00000000434",
    email: "lost-answer@magic.example",
    phone: "+5500900000004",
    evp: "00000000-0000-4000-8000-000000000004",
  },
  canceled_later: {
    happens: say`The record is canceled after 5 s of sandbox time, unless it is final by then. A webhook reports it: for a payout always, for a payin if \`payment.failed\` is configured.`,
    cancelsAfterMs: 5000,
    cpf: "00000000515",
    email: "canceled-later@magic.example",
    phone: "+5500900000005",
    evp: "00000000-0000-4000-8000-000000000005",
  },
} as const satisfies Record<string, Meaning>;

export type MagicName = keyof typeof MAGIC;

/** A row with its name. */
export interface Magic extends Pick<Meaning, "effect" | "cancelsAfterMs"> {
  readonly name: MagicName;
}

/** The kinds of values, by their `pix_key_type`; a CPF has the same effect in every member. */
export const MAGIC_KINDS = ["cpf", "email", "phone", "evp"] as const satisfies PixKeyType[];

const byValue = new Map<string, Magic>(
  Object.entries<Meaning>(MAGIC).flatMap(([name, meaning]) =>
    MAGIC_KINDS.map((kind) => [meaning[kind], { name: name as MagicName, ...meaning }] as const),
  ),
);

/** The row of the first magic value among the given values. */
export function magicIn(...values: readonly string[]): Magic | undefined {
  for (const value of values) {
    const magic = byValue.get(value);
    if (magic) return magic;
  }
  return undefined;
}

/** The whole table, for the command that prints it. */
export function describeMagic() {
  return Object.entries<Meaning>(MAGIC).map(([name, { happens, cpf, email, phone, evp }]) => ({
    name: name as MagicName,
    happens: english(happens),
    cpf,
    email,
    phone,
    evp,
  }));
}

export type MagicRow = ReturnType<typeof describeMagic>[number];

export function magicError(code: TopLevelCode, name: MagicName): GatewayError {
  return new GatewayError(
    code,
    say`A magic value of this call means ${name}, and the sandbox refuses it; nothing was done. Send any other value, or start the sandbox without --magic.`,
  );
}
