import { LocalizedError } from "../../core/records/errors.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { say } from "../../text/message.ts";

/** An address such as `postgres://user:password@host/db?sandbox=name`. */
export interface PostgresAddress {
  /** For the driver: without parameters. It contains the password. */
  readonly url: string;
  /** Pass `host` and `database` to the driver too: it cannot read an IPv6 host or an encoded name from `url`. */
  readonly host: string;
  readonly database: string;
  readonly sandbox: string;
  readonly sslmode: "disable" | "require" | "verify-full" | undefined;
  /** In seconds. */
  readonly connectTimeout: number;
  /** Where the state is, safe to print. */
  readonly place: string;
}

/** An address that cannot be used. The text never contains the password. */
export class PostgresAddressError extends LocalizedError {
  override readonly name = "PostgresAddressError";
}

/** One host and one database. An "@" after the host may belong to a password with a "/", "?" or "#". */
const FORM = /^postgres(?:ql)?:\/\/[^/?#]+\/[^/?#@]+(?:\?[^#@]*)?$/i;
const EXAMPLE = "postgres://user:password@host/db?sandbox=name";

/** The form of each query parameter. */
const PARAMETERS = new Map([
  ["sandbox", /^[\w.-]{1,64}$/],
  ["sslmode", /^(?:disable|require|verify-full)$/],
  ["connect_timeout", /^[1-9]\d{0,2}$/],
]);

/** @throws PostgresAddressError for a text that is not an address, and for an unknown or invalid parameter */
export function parseAddress(text: string): PostgresAddress {
  const { url, host, database } = readUrl(text);
  const { sandbox, sslmode, connect_timeout: seconds = 3 } = readParameters(url.searchParams);
  url.search = "";
  const shown = new URL(url);
  if (shown.password !== "") shown.password = "***";
  if (sandbox !== undefined) shown.search = `?sandbox=${sandbox}`;
  return {
    url: url.href,
    host,
    database,
    sandbox: sandbox ?? "default",
    sslmode: sslmode as PostgresAddress["sslmode"],
    connectTimeout: Number(seconds),
    place: shown.href,
  };
}

function readUrl(text: string): { readonly url: URL; host: string; database: string } {
  try {
    const url = new URL(text);
    const host = decodeURIComponent(url.hostname);
    decodeURIComponent(url.username + url.password);
    if (!FORM.test(text) || /^$|[/,]/.test(host)) throw new URIError(text);
    const database = decodeURIComponent(url.pathname.slice(1));
    return { url, host: host.replace(/^\[|\]$/g, ""), database };
  } catch {
    throw new PostgresAddressError(
      say`The address of the state is not valid. Use the form ${EXAMPLE}, with one host, and percent-encode special characters in each part, such as %40 for "@".`,
    );
  }
}

function readParameters(query: URLSearchParams): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of query) {
    if (!PARAMETERS.get(name)?.test(value) || name in given)
      throw new PostgresAddressError(
        say`The address of the state has an unknown or invalid parameter ${toSafeLine(JSON.stringify(name))}. It can have sandbox (1 to 64 letters, digits, ".", "_" or "-"), sslmode (disable, require or verify-full) and connect_timeout (1 to 999 seconds).`,
      );
    given[name] = value;
  }
  return given;
}
