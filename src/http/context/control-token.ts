import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Call } from "../calls/call.ts";
import { readHeader } from "../calls/headers.ts";
import { HttpRefusal, tooManyRequests } from "../calls/refusals.ts";
import { RateLimit } from "./rate-limit.ts";
import { type Message, say } from "../../text/message.ts";

/**
 * The token that protects the control routes. Programs send it in each call; a browser cannot do so for a page, so
 * a sign-in sets a cookie.
 */
export class ControlToken {
  readonly #digest: Buffer;
  /** The digests of the cookies of all sessions, the oldest first. */
  readonly #sessions = new Set<string>();
  readonly #wrongTokens: RateLimit;

  /** @param nowMs monotonic real time */
  constructor(token: string, nowMs?: () => number) {
    this.#digest = digest(token);
    this.#wrongTokens = new RateLimit(nowMs);
  }

  /** The refusal of a call that has neither the token nor the cookie of a session; undefined for other calls. */
  refusalOf(call: Call): HttpRefusal | undefined {
    const sent = bearerOf(call);
    if (sent !== undefined) return this.refusalOfToken(sent, call);
    return this.#sessionsOf(call).length > 0 ? undefined : unauthorized(MISSING);
  }

  /**
   * The refusal of a sent token; undefined for the right one. Of the wrong ones, each address gets only some a minute
   * refused with 401: more look like guesses, and get 429.
   */
  refusalOfToken(sent: string, { address }: Pick<Call, "address">): HttpRefusal | undefined {
    if (this.matches(sent)) return undefined;
    try {
      this.#wrongTokens.admit(address, WRONG_PER_MINUTE, tooManyWrong);
    } catch (error) {
      return error as HttpRefusal;
    }
    return unauthorized(WRONG);
  }

  /** Whether a text is the token. The comparison takes the same time for each text. */
  matches(text: string): boolean {
    return timingSafeEqual(digest(text), this.#digest);
  }

  /** Begins a session. @returns the `set-cookie` header */
  signIn(call: Call): string {
    const session = randomBytes(32).toString("hex");
    this.#sessions.add(nameOf(session));
    const [oldest] = this.#sessions;
    if (this.#sessions.size > MAX_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
    return toCookie(call, session);
  }

  /** Ends the session of a call: a copy of its cookie is worth nothing then. */
  signOut(call: Call): void {
    for (const session of this.#sessionsOf(call)) this.#sessions.delete(session);
  }

  #sessionsOf(call: Call): string[] {
    return cookiesOf(call, cookieName(call))
      .map(nameOf)
      .filter((session) => this.#sessions.has(session));
  }
}

/** Of one address. */
const WRONG_PER_MINUTE = 10;
const MAX_SESSIONS = 1000;

/** The `set-cookie` header that removes the cookie of a session. */
export function withoutCookie(call: Call): string {
  return `${toCookie(call, "")}; Max-Age=0`;
}

/** The name under which a session is stored: looking up the cookie itself would take a time that depends on it. */
function nameOf(session: string): string {
  return digest(session).toString("hex");
}

/** Whether a browser opens the address of a call as a page. */
export function isNavigation(call: Call): boolean {
  return call.method === "GET" && (readHeader(call, "accept") ?? "").includes("text/html");
}

/** Digests have the same length, whatever the texts are: `timingSafeEqual` requires it. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** The token in the header `authorization: Bearer …`; undefined if the call has none. */
function bearerOf(call: Call): string | undefined {
  return /^bearer +(.*)$/i.exec(readHeader(call, "authorization") ?? "")?.[1]?.trim();
}

/** The values of a call's cookies with a name: cookies of different paths can have the same one. */
function cookiesOf(call: Call, name: string): readonly string[] {
  return (readHeader(call, "cookie") ?? "").split(";").flatMap((pair) => {
    const [found = "", value = ""] = pair.trim().split("=");
    return found === name ? [value] : [];
  });
}

/** All servers of a host share its cookies, whatever their port is: the name contains the port. */
function cookieName({ url }: Call): string {
  const { port, protocol } = new URL(url.origin);
  return `pix-sandbox-${port || (protocol === "https:" ? "443" : "80")}`;
}

function toCookie(call: Call, value: string): string {
  const isSecure = call.url.origin.startsWith("https:");
  return `${cookieName(call)}=${value}; HttpOnly; SameSite=Strict; Path=/_sandbox${isSecure ? "; Secure" : ""}`;
}

function unauthorized(why: Message): HttpRefusal {
  const headers = { "www-authenticate": "Bearer" };
  return new HttpRefusal(401, "NO_ACTIVE_CREDENTIAL", why, { headers });
}

function tooManyWrong(limit: number, seconds: number): HttpRefusal {
  const text = say`More than ${limit} wrong control tokens came from this address within a minute. Send the token that the sandbox was started with, or try again in ${seconds} s.`;
  return tooManyRequests(text, seconds);
}

const MISSING = say`This sandbox is protected by a control token. Send it in the header authorization: Bearer TOKEN. Commands and tests read it from PIX_SANDBOX_CONTROL_TOKEN.`;
const WRONG = say`The control token in the header authorization is wrong. Send the token that the sandbox was started with. Commands and tests read it from PIX_SANDBOX_CONTROL_TOKEN.`;
