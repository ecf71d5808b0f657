import { LocalizedError } from "../../core/records/errors.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { toUrl } from "../../wire/url.ts";
import { type Message, say } from "../../text/message.ts";

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

/** Every query parameter of an address: its form, and what it must be. */
const PARAMETERS = new Map<string, readonly [form: RegExp, expected: Message]>([
  ["sandbox", [/^[\w.-]{1,64}$/, say`1 to 64 letters, digits, ".", "_" or "-"`]],
  ["sslmode", [/^(?:disable|require|verify-full)$/, say`disable, require or verify-full`]],
  ["connect_timeout", [/^[1-9]\d{0,2}$/, say`a whole number of seconds from 1 to 999`]],
]);

/** @throws PostgresAddressError for a text that is not an address, and for an unknown or invalid parameter */
export function parseAddress(text: string): PostgresAddress {
  const url = FORM.test(text) ? toUrl(text) : undefined;
  const host = url && decode(url.hostname);
  const database = url && decode(url.pathname.slice(1));
  const isReadable = url && decode(url.username + url.password) !== undefined;
  if (!isReadable || !database || !host || /[/,]/.test(host))
    throw new PostgresAddressError(
      say`The address of the state is not valid. Use the form ${EXAMPLE}, with one host, and percent-encode special characters in each part, such as %40 for "@".`,
    );
  const { sandbox, sslmode, connect_timeout: seconds = 3 } = readParameters(url.searchParams);
  url.search = "";
  const shown = new URL(url);
  if (shown.password !== "") shown.password = "***";
  if (sandbox !== undefined) shown.search = `?sandbox=${sandbox}`;
  return {
    url: url.href,
    host: host.replace(/^\[|\]$/g, ""),
    database,
    sandbox: sandbox ?? "default",
    sslmode: sslmode as PostgresAddress["sslmode"],
    connectTimeout: Number(seconds),
    place: shown.href,
  };
}

function readParameters(query: URLSearchParams): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of query) {
    const [form, expected] = PARAMETERS.get(name) ?? [];
    if (!form || !expected) {
      const known = [...PARAMETERS.keys()].join(", ");
      throw new PostgresAddressError(
        say`The address of the state has an unknown parameter ${toSafeLine(JSON.stringify(name))}. The parameters are ${known}.`,
      );
    }
    if (!form.test(value) || name in given)
      throw new PostgresAddressError(
        say`The address of the state has an invalid parameter ${name}. It must be ${expected}.`,
      );
    given[name] = value;
  }
  return given;
}

/** @returns undefined if the text is not percent-encoded well */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
