import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Call } from "./call.ts";
import { readHeader } from "./parse/headers.ts";
import { HttpRefusal } from "./answers/refusals.ts";

/**
 * The token that protects the control routes. Programs send it in each call; a browser cannot do so for a page, so
 * a sign-in sets a cookie.
 */
export class ControlToken {
  readonly #digest: Buffer;
  /** The cookie's value and its digest. It is derived: a browser does not store the token itself. */
  readonly #session: string;
  readonly #sessionDigest: Buffer;

  constructor(token: string) {
    this.#digest = digest(token);
    this.#session = createHmac("sha256", token).update("pix-sandbox sign-in").digest("hex");
    this.#sessionDigest = digest(this.#session);
  }

  /** The refusal of a call that has neither the token nor the cookie of a sign-in; undefined for other calls. */
  refusalOf(call: Call): HttpRefusal | undefined {
    const sent = bearerOf(call);
    if (sent === undefined ? this.#isSignedIn(call) : this.matches(sent)) return undefined;
    return new HttpRefusal(401, "NO_ACTIVE_CREDENTIAL", sent === undefined ? MISSING : WRONG, {
      headers: { "www-authenticate": "Bearer" },
    });
  }

  /** Whether a text is the token. The comparison takes the same time for each text. */
  matches(text: string): boolean {
    return timingSafeEqual(digest(text), this.#digest);
  }

  /** The `set-cookie` header of a sign-in. */
  signIn(call: Call): string {
    return toCookie(call, this.#session);
  }

  #isSignedIn(call: Call): boolean {
    return cookiesOf(call, cookieName(call)).some((value) =>
      timingSafeEqual(digest(value), this.#sessionDigest),
    );
  }
}

/** The `set-cookie` header of a sign-out. */
export function signOut(call: Call): string {
  return `${toCookie(call, "")}; Max-Age=0`;
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

const MISSING = {
  en: "This sandbox is protected by a control token. Send it in the header authorization: Bearer TOKEN. Commands and tests read it from PIX_SANDBOX_CONTROL_TOKEN.",
  pt: "Este sandbox é protegido por um token de controle. Envie-o no cabeçalho authorization: Bearer TOKEN. Comandos e testes o leem de PIX_SANDBOX_CONTROL_TOKEN.",
};
const WRONG = {
  en: "The control token in the header authorization is wrong. Send the token that the sandbox was started with. Commands and tests read it from PIX_SANDBOX_CONTROL_TOKEN.",
  pt: "O token de controle no cabeçalho authorization está errado. Envie o token com que o sandbox foi iniciado. Comandos e testes o leem de PIX_SANDBOX_CONTROL_TOKEN.",
};
