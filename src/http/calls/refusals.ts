import { type FieldError, GatewayError, type TopLevelCode } from "../../core/records/errors.ts";
import { type Message, say } from "../../text/message.ts";

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
    text: Message,
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

export function unreadableBody(why: Message): HttpRefusal {
  return new HttpRefusal(400, "VALIDATION_ERROR", why);
}

/** The request's target is no path, or cannot be decoded. */
export function malformedAddress(): HttpRefusal {
  return unreadableBody(say`The request's address is malformed.`);
}

export function bodyTooLarge(): HttpRefusal {
  return new HttpRefusal(413, "VALIDATION_ERROR", say`The body is larger than 1 MiB.`);
}

export function bodyCutShort(): HttpRefusal {
  return unreadableBody(say`The body was cut short.`);
}

export function unknownRoute(method: string, path: string): HttpRefusal {
  const text = say`This path does not exist. The gateway is under /v1, the sandbox's own routes are under /_sandbox.`;
  return new HttpRefusal(404, "NOT_PROCESSABLE", withOwnRoute(text, method, path));
}

export function wrongMethod(allowed: readonly string[], method: string, path: string): HttpRefusal {
  const list = allowed.join(", ");
  const text = withOwnRoute(say`This path accepts ${list}.`, method, path);
  return new HttpRefusal(405, "NOT_PROCESSABLE", text, { headers: { allow: list } });
}

/** Adds the sandbox's own route to read the records that the gateway does not show. */
function withOwnRoute(text: Message, method: string, path: string): Message {
  const [, records] = /^\/v[12](\/pay(?:in|out)s(?:\/(?!simulations$)[\w-]+)?)$/.exec(path) ?? [];
  if (method !== "GET" || records === undefined) return text;
  return say`${text} To read records, use the sandbox's own route: GET /_sandbox${records}.`;
}

/** A call beyond a limit a minute. @param seconds until the next is admitted */
export function tooManyRequests(text: Message, seconds: number): HttpRefusal {
  const headers = { "retry-after": String(seconds) };
  return new HttpRefusal(429, "NOT_PROCESSABLE", text, { headers });
}

/** The record does not exist, or belongs to another integration. */
export function unknownRecord(
  what: "payin" | "payout" | "delivery" | "fault" | "request",
  id: string,
): HttpRefusal {
  const nouns = {
    payin: say.for("record")`payin`,
    payout: say`payout`,
    delivery: say`delivery`,
    fault: say`fault`,
    request: say`request`,
  };
  return new HttpRefusal(
    404,
    "NOT_PROCESSABLE",
    say`There is no ${nouns[what]} with the id ${id}.`,
  );
}

/** No payin of the integration has the BR Code. */
export function unknownCode(text: Message): HttpRefusal {
  return new HttpRefusal(404, "NOT_PROCESSABLE", text);
}

export function unknownSnapshot(name: string): HttpRefusal {
  return new HttpRefusal(
    404,
    "NOT_PROCESSABLE",
    say`There is no snapshot with the name ${name}; GET /_sandbox/snapshots lists the existing ones.`,
  );
}

/** No matching record came in time; `members` describe the ones that did. */
export function timedOut(text: Message, members: Readonly<Record<string, unknown>>): HttpRefusal {
  return new HttpRefusal(408, "NOT_PROCESSABLE", text, { members });
}

/** A call of this process to a closed sandbox. */
export class SandboxClosedError extends Error {
  override readonly name = "SandboxClosedError";
}

/** A bundler has taken the package without the files of its page. */
export function pageFilesMissing(): HttpRefusal {
  return new HttpRefusal(
    404,
    "NOT_PROCESSABLE",
    say`The files of this page are missing, since pix-sandbox is in a bundle. Keep it out, for example with --external:pix-sandbox.`,
  );
}

export function stopping(): HttpRefusal {
  return new HttpRefusal(503, "EXTERNAL_ERROR", say`The sandbox is stopping.`);
}
