import { LocalizedError } from "../../core/records/errors.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { joined, type Message, say } from "../../text/message.ts";
import { toUrl } from "../../wire/url.ts";

/** An address such as `postgres://user:password@host/db?sandbox=name`. */
export interface PostgresAddress {
  /** For the driver: without parameters. It contains the password. */
  readonly url: string;
  /** Pass `host`, `port` and `database` to the driver too: it cannot read an IPv6 host or an encoded name from `url`. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly sandbox: string;
  readonly sslmode: SslMode | undefined;
  /** In seconds. */
  readonly connectTimeout: number;
  /** Where the state is, safe to print. */
  readonly place: string;
}

const SSL_MODES = ["disable", "require", "verify-full"] as const;
export type SslMode = (typeof SSL_MODES)[number];

/** An address that cannot be used. The text never contains the password. */
export class PostgresAddressError extends LocalizedError {
  override readonly name = "PostgresAddressError";
}

const EXAMPLE = "postgres://user:password@host/db?sandbox=name";

/** Every query parameter of an address: what it must be. */
const PARAMETERS: Readonly<Record<string, { readonly form: RegExp; readonly expected: Message }>> =
  {
    sandbox: {
      form: /^[\w.-]{1,64}$/,
      expected: say`1 to 64 letters, digits, ".", "_" or "-"`,
    },
    sslmode: {
      form: new RegExp(`^(?:${SSL_MODES.join("|")})$`),
      expected: say`one of ${SSL_MODES.join(", ")}`,
    },
    connect_timeout: {
      form: /^[1-9]\d{0,2}$/,
      expected: say`a whole number of seconds from 1 to 999`,
    },
  };

/** @throws PostgresAddressError for a text that is not an address, and for an unknown or invalid parameter */
export function parseAddress(text: string): PostgresAddress {
  const url = toUrl(text);
  const [, rest = "@"] = /^postgres(?:ql)?:\/\/[^/?#]*(.*)$/is.exec(text) ?? [];
  // An "@" after the host may belong to a password with a "/", "?" or "#": then the parts are not clear.
  const parts = url && !rest.includes("@") && url.hash === "" ? partsOf(url) : undefined;
  if (!url || !parts)
    throw refuse(
      say`is not an address. Use the form ${EXAMPLE}, with one host, and percent-encode special characters in each part, such as %40 for "@"`,
      text,
    );
  const given = readParameters(url.searchParams, text);
  url.search = "";
  const { sandbox = "default", sslmode, connect_timeout: seconds = "3" } = given;
  return {
    url: url.href,
    ...parts,
    port: Number(url.port || 5432),
    sandbox,
    sslmode: SSL_MODES.find((mode) => mode === sslmode),
    connectTimeout: Number(seconds),
    place: maskAddress(text),
  };
}

/** @returns undefined unless there is one host and one database */
function partsOf(url: URL): { readonly host: string; readonly database: string } | undefined {
  try {
    const [, database = ""] = /^\/([^/]+)$/.exec(url.pathname) ?? [];
    const host = decodeURIComponent(url.hostname);
    decodeURIComponent(url.username + url.password);
    if (database === "" || !/^(?:\[[\da-f:.]+\]|[^/,]+)$/i.test(host)) return undefined;
    return { host: host.replace(/^\[|\]$/g, ""), database: decodeURIComponent(database) };
  } catch {
    return undefined;
  }
}

function readParameters(query: URLSearchParams, text: string): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of query) {
    const parameter = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
    if (!parameter) {
      const known = Object.keys(PARAMETERS).join(", ");
      const printable = toSafeLine(JSON.stringify(name));
      throw refuse(say`has an unknown parameter ${printable}. The parameters are ${known}`, text);
    }
    const { form, expected } = parameter;
    if (!form.test(value) || name in given)
      throw refuse(say`has an invalid parameter ${name}. It must be ${expected}`, text);
    given[name] = value;
  }
  return given;
}

/**
 * The address with `***` for its password and without parameters but `sandbox`, safe to print. It needs no valid
 * address: unless user and password are clearly apart, all of it up to the last "@" is masked.
 */
export function maskAddress(text: string): string {
  const [, start = "", rest = ""] = /^([^/]*\/\/)?(.*)$/s.exec(text) ?? [];
  const at = rest.lastIndexOf("@");
  const [, user = "", colon] = /^([^:/?#@]*)(?:(:)[^/?#@]*)?$/s.exec(
    rest.slice(0, Math.max(0, at)),
  ) ?? ["", "***"];
  const owner = at === -1 ? "" : `${user}${colon === undefined ? "" : ":***"}@`;
  const [before = "", query = ""] = rest.slice(at + 1).split("?");
  const [, sandbox] = /(?:^|&)sandbox=([\w.-]+)/.exec(query) ?? [];
  // Without an "@" the password may stand where a port belongs.
  const host = before.replace(/^([^:/#[]*:)(?!\d*(?:[/#]|$)).*/s, "$1***");
  return toSafeLine(`${start}${owner}${host}${sandbox === undefined ? "" : `?sandbox=${sandbox}`}`);
}

function refuse(wrong: Message, text: string): PostgresAddressError {
  return new PostgresAddressError(
    joined([joined([say`The state's address ${maskAddress(text)} `, wrong], ""), "."], ""),
  );
}
