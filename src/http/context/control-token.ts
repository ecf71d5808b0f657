import { createHash, timingSafeEqual } from "node:crypto";
import { type Message, say } from "../../text/message.ts";
import { type Call, readHeader } from "../calls/call.ts";
import { HttpRefusal } from "../calls/refusals.ts";
import { RateLimit } from "./rate-limit.ts";

type TokenCall = Pick<Call, "address" | "headers" | "method">;

/** The token that protects the control routes: programs send it as a Bearer token, browsers as a password (Basic). */
export class ControlToken {
  readonly #digest: Buffer;
  readonly #wrongTokens: RateLimit;

  /** @param nowMs monotonic real time */
  constructor(token: string, nowMs?: () => number) {
    this.#digest = digest(token);
    this.#wrongTokens = new RateLimit(nowMs, tooManyWrong);
  }

  /**
   * Refuses a call without the token. Of wrong tokens, each address gets only some a minute refused with 401: more
   * look like guesses.
   * @throws HttpRefusal 401, or 429 for too many wrong tokens
   */
  check(call: TokenCall): void {
    const sent = tokenOf(call);
    if (sent === undefined) throw unauthorized(call, MISSING);
    // Digests have the same length: the comparison takes the same time for each text.
    if (timingSafeEqual(digest(sent), this.#digest)) return;
    this.#wrongTokens.admit(call.address, WRONG_PER_MINUTE);
    throw unauthorized(call, WRONG);
  }
}

/** Of one address. */
const WRONG_PER_MINUTE = 10;

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** The token in the header `authorization`: that of Bearer, or the password of Basic. Undefined if it has neither. */
function tokenOf(call: TokenCall): string | undefined {
  const [, scheme, sent = ""] =
    /^(bearer|basic) +(.*)$/i.exec(readHeader(call, "authorization") ?? "") ?? [];
  if (scheme?.toLowerCase() !== "basic") return scheme && sent.trim();
  const [, password = ""] = /^[^:]*:(.*)$/s.exec(Buffer.from(sent, "base64").toString()) ?? [];
  return password.trim();
}

/** Only a page's address asks for Basic: after a call of a script, a browser would interrupt with a dialog. */
function unauthorized(call: TokenCall, why: Message): HttpRefusal {
  const isPage = call.method === "GET" && readHeader(call, "accept")?.includes("text/html");
  const headers = { "www-authenticate": isPage ? 'Basic realm="pix-sandbox"' : "Bearer" };
  return new HttpRefusal(401, why, { headers });
}

function tooManyWrong(limit: number, seconds: number): Message {
  return say`More than ${limit} wrong control tokens came from this address within a minute. Send the token that the sandbox was started with, or try again in ${seconds} s.`;
}

const MISSING = say`This sandbox is protected by a control token. Send it in the header authorization: Bearer TOKEN; in a browser, reload and enter it as the password, with any user name. Commands and tests read it from PIX_SANDBOX_CONTROL_TOKEN.`;
const WRONG = say`The control token in the header authorization is wrong. Send the token that the sandbox was started with. Commands and tests read it from PIX_SANDBOX_CONTROL_TOKEN.`;
