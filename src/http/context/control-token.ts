import { createHash, timingSafeEqual } from "node:crypto";
import type { Call } from "../calls/call.ts";
import { readHeader } from "../calls/headers.ts";
import { HttpRefusal, tooManyRequests } from "../calls/refusals.ts";
import { RateLimit } from "./rate-limit.ts";
import { type Message, say } from "../../text/message.ts";

/** The token that protects the control routes: programs send it as a Bearer token, browsers as a password (Basic). */
export class ControlToken {
  readonly #digest: Buffer;
  readonly #wrongTokens: RateLimit;

  /** @param nowMs monotonic real time */
  constructor(token: string, nowMs?: () => number) {
    this.#digest = digest(token);
    this.#wrongTokens = new RateLimit(nowMs);
  }

  /**
   * The refusal of a call without the token; undefined for other calls. Of wrong tokens, each address gets only some a
   * minute refused with 401: more look like guesses, and get 429.
   */
  refusalOf(call: Pick<Call, "address" | "headers" | "method">): HttpRefusal | undefined {
    const sent = tokenOf(call);
    if (sent === undefined) return unauthorized(call, MISSING);
    if (this.matches(sent)) return undefined;
    try {
      this.#wrongTokens.admit(call.address, WRONG_PER_MINUTE, tooManyWrong);
    } catch (error) {
      return error as HttpRefusal;
    }
    return unauthorized(call, WRONG);
  }

  /** Whether a text is the token. The comparison takes the same time for each text. */
  matches(text: string): boolean {
    return timingSafeEqual(digest(text), this.#digest);
  }
}

/** Of one address. */
const WRONG_PER_MINUTE = 10;

/** Digests have the same length, whatever the texts are: `timingSafeEqual` requires it. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** The token in the header `authorization`: that of Bearer, or the password of Basic. Undefined if it has neither. */
function tokenOf(call: Pick<Call, "headers">): string | undefined {
  const [, scheme, sent = ""] =
    /^(bearer|basic) +(.*)$/i.exec(readHeader(call, "authorization") ?? "") ?? [];
  if (scheme?.toLowerCase() !== "basic") return scheme && sent.trim();
  const [, password = ""] = /^[^:]*:(.*)$/s.exec(Buffer.from(sent, "base64").toString()) ?? [];
  return password.trim();
}

/** Only a page's address asks for Basic: after a call of a script, a browser would interrupt with a dialog. */
function unauthorized(call: Pick<Call, "headers" | "method">, why: Message): HttpRefusal {
  const isPage = call.method === "GET" && readHeader(call, "accept")?.includes("text/html");
  const headers = { "www-authenticate": isPage ? 'Basic realm="pix-sandbox"' : "Bearer" };
  return new HttpRefusal(401, "NO_ACTIVE_CREDENTIAL", why, { headers });
}

function tooManyWrong(limit: number, seconds: number): HttpRefusal {
  const text = say`More than ${limit} wrong control tokens came from this address within a minute. Send the token that the sandbox was started with, or try again in ${seconds} s.`;
  return tooManyRequests(text, seconds);
}

const MISSING = say`This sandbox is protected by a control token. Send it in the header authorization: Bearer TOKEN; in a browser, reload and enter it as the password, with any user name. Commands and tests read it from PIX_SANDBOX_CONTROL_TOKEN.`;
const WRONG = say`The control token in the header authorization is wrong. Send the token that the sandbox was started with. Commands and tests read it from PIX_SANDBOX_CONTROL_TOKEN.`;
