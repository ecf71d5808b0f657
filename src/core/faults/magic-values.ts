import { GatewayError, type TopLevelCode } from "../records/errors.ts";
import type { OperationEffect } from "./effects.ts";
import type { LocalizedText } from "../../text/localized-text.ts";
import type { PixKeyType } from "../records/pix-key.ts";

/** A row of the table: what a call with one of the values does. */
interface Meaning extends Readonly<Record<PixKeyType, string>> {
  readonly happens: LocalizedText;
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
    happens: {
      en: "The call is refused with 422 `NOT_PROCESSABLE`. Nothing is created; its key stays unused.",
      pt: "A chamada é recusada com 422 `NOT_PROCESSABLE`. Nada é criado; a chave dela continua sem uso.",
    },
    effect: { kind: "error", code: "NOT_PROCESSABLE" },
    cpf: "00000000191",
    email: "rejected@magic.example",
    phone: "+5500900000001",
    evp: "00000000-0000-4000-8000-000000000001",
  },
  provider_down: {
    happens: {
      en: "The call is refused with 502 `EXTERNAL_ERROR`. Nothing is created; its key stays unused.",
      pt: "A chamada é recusada com 502 `EXTERNAL_ERROR`. Nada é criado; a chave dela continua sem uso.",
    },
    effect: { kind: "error", code: "EXTERNAL_ERROR" },
    cpf: "00000000272",
    email: "provider-down@magic.example",
    phone: "+5500900000002",
    evp: "00000000-0000-4000-8000-000000000002",
  },
  slow: {
    happens: {
      en: "The call waits for 3 s of real time first.",
      pt: "A chamada espera 3 s de tempo real primeiro.",
    },
    effect: { kind: "latency_ms", ms: 3000 },
    cpf: "00000000353",
    email: "slow@magic.example",
    phone: "+5500900000003",
    evp: "00000000-0000-4000-8000-000000000003",
  },
  lost_answer: {
    happens: {
      en: "The record is created, then the connection closes without a response. A retry with the same key gets the first response.",
      pt: "O registro é criado, depois a conexão se fecha sem resposta. Uma nova tentativa com a mesma chave recebe a primeira resposta.",
    },
    effect: { kind: "lost_answer" },
    cpf: "00000000434",
    email: "lost-answer@magic.example",
    phone: "+5500900000004",
    evp: "00000000-0000-4000-8000-000000000004",
  },
  canceled_later: {
    happens: {
      en: "The record is canceled after 5 s of sandbox time, unless it is final by then. A webhook reports it: for a payout always, for a payin if `payment.failed` is configured.",
      pt: "O registro é cancelado após 5 s do tempo do sandbox, a menos que já seja final. Um webhook avisa: para um payout sempre, para um payin se `payment.failed` estiver configurado.",
    },
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
    happens: happens.en,
    cpf,
    email,
    phone,
    evp,
  }));
}

export type MagicRow = ReturnType<typeof describeMagic>[number];

/** The error of a call that a magic value refuses. */
export function magicError(code: TopLevelCode, name: MagicName): GatewayError {
  return new GatewayError(code, {
    en: `A magic value of this call means ${name}, and the sandbox refuses it; nothing was done. Send any other value, or start the sandbox without --magic.`,
    pt: `Um valor mágico desta chamada significa ${name}, e o sandbox a recusa; nada foi feito. Envie qualquer outro valor, ou inicie o sandbox sem --magic.`,
  });
}
