import { type FieldError, GatewayError, type TopLevelCode } from "../../core/records/errors.ts";
import type { LocalizedText } from "../../text/localized-text.ts";

/** A refusal with an HTTP status of its own, in place of that of its code. */
export class HttpRefusal extends GatewayError {
  override readonly name = "HttpRefusal";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Members of the body beside those of the envelope. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    code: TopLevelCode,
    text: LocalizedText,
    {
      fields = [],
      headers = {},
      members = {},
    }: {
      fields?: readonly FieldError[];
      headers?: Readonly<Record<string, string>>;
      members?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super(code, text, fields);
    this.status = status;
    this.headers = headers;
    this.members = members;
  }
}

export function unreadableBody(why: LocalizedText): HttpRefusal {
  return new HttpRefusal(400, "VALIDATION_ERROR", why);
}

/** The request's target is no path, or cannot be decoded. */
export function malformedAddress(): HttpRefusal {
  return unreadableBody({
    en: "The request's address is malformed.",
    pt: "O endereço da requisição é inválido.",
  });
}

export function bodyTooLarge(maxBytes: number): HttpRefusal {
  const maximum = `${maxBytes / 1024 / 1024} MiB`;
  const text = {
    en: `The body is larger than ${maximum}.`,
    pt: `O corpo tem mais de ${maximum}.`,
  };
  return new HttpRefusal(413, "VALIDATION_ERROR", text);
}

export function bodyCutShort(): HttpRefusal {
  return unreadableBody({ en: "The body was cut short.", pt: "O corpo foi interrompido." });
}

export function unknownRoute(): HttpRefusal {
  return new HttpRefusal(404, "NOT_PROCESSABLE", {
    en: "This path does not exist. The gateway is under /v1, the sandbox's own routes are under /_sandbox.",
    pt: "Este caminho não existe. O gateway fica em /v1, e as rotas do próprio sandbox em /_sandbox.",
  });
}

export function wrongMethod(allowed: readonly string[]): HttpRefusal {
  const list = allowed.join(", ");
  const text = { en: `This path accepts ${list}.`, pt: `Este caminho aceita ${list}.` };
  return new HttpRefusal(405, "NOT_PROCESSABLE", text, { headers: { allow: list } });
}

/** A call beyond a limit a minute. @param seconds until the next is admitted */
export function tooManyRequests(text: LocalizedText, seconds: number): HttpRefusal {
  const headers = { "retry-after": String(seconds) };
  return new HttpRefusal(429, "NOT_PROCESSABLE", text, { headers });
}

/** The record does not exist, or belongs to another integration. */
export function unknownRecord(
  what: "payin" | "payout" | "delivery" | "fault",
  id: string,
): HttpRefusal {
  const nouns = { payin: "cobrança", payout: "payout", delivery: "entrega", fault: "falha" };
  return new HttpRefusal(404, "NOT_PROCESSABLE", {
    en: `There is no ${what} with the id ${id}.`,
    pt: `Não há ${nouns[what]} com o id ${id}.`,
  });
}

/** No payin of the integration has the BR Code. */
export function unknownCode(text: LocalizedText): HttpRefusal {
  return new HttpRefusal(404, "NOT_PROCESSABLE", text);
}

export function unknownSnapshot(name: string): HttpRefusal {
  return new HttpRefusal(404, "NOT_PROCESSABLE", {
    en: `There is no snapshot with the name ${name}; GET /_sandbox/snapshots lists the existing ones.`,
    pt: `Não há snapshot com o nome ${name}; GET /_sandbox/snapshots lista os que existem.`,
  });
}

/** No matching record came in time; `members` describe the ones that did. */
export function timedOut(
  text: LocalizedText,
  members: Readonly<Record<string, unknown>>,
): HttpRefusal {
  return new HttpRefusal(408, "NOT_PROCESSABLE", text, { members });
}

/** A call of this process to a closed sandbox. */
export class SandboxClosedError extends Error {
  override readonly name = "SandboxClosedError";
}

/** The code of a route could not be loaded, for example because no file descriptors are left. */
export function notLoaded(): HttpRefusal {
  return new HttpRefusal(503, "EXTERNAL_ERROR", {
    en: "The sandbox could not load this route. Its standard error gives the reason. Try again, or restart it.",
    pt: "O sandbox não conseguiu carregar esta rota. O motivo está na saída de erro. Tente de novo ou reinicie-o.",
  });
}

export function stopping(): HttpRefusal {
  return new HttpRefusal(503, "EXTERNAL_ERROR", {
    en: "The sandbox is stopping.",
    pt: "O sandbox está parando.",
  });
}
