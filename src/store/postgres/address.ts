import { toUrl } from "../../wire/url.ts";
import { LocalizedError } from "../../core/records/errors.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { joined, type Message, say } from "../../text/message.ts";

/** How a connection uses TLS, with the meaning that libpq gives each mode. */
export type TlsMode = (typeof TLS_MODES)[number];

const TLS_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;

/** The TLS of a connection. The files are paths as given; a missing `rootCertFile` means the system's certificates. */
export interface PostgresTls {
  readonly mode: TlsMode;
  readonly rootCertFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** An address such as `postgres://user:password@host/db?sandbox=name`. */
export interface PostgresAddress {
  /** The address for the driver: without this project's own parameters and those of TLS. It contains the password. */
  readonly url: string;
  /** Pass `host`, `port` and `database` to the driver too: it cannot read an IPv6 host or an encoded name from `url`. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly sandbox: string;
  readonly leaseMs: number;
  /** Undefined if the address has no parameter about TLS. */
  readonly tls: PostgresTls | undefined;
  /** The address without its password, safe to print. */
  readonly masked: string;
}

/** An address of a PostgreSQL database that cannot be used. The text never contains the password. */
export class PostgresAddressError extends LocalizedError {
  override readonly name = "PostgresAddressError";
}

const EXAMPLE = "postgres://user:password@host/db?sandbox=name";
const DEFAULT_PORT = 5432;
const DEFAULT_SANDBOX = "default";
const DEFAULT_LEASE_MS = 2000;
/** In seconds. */
const LEASE = { min: 1, max: 60 } as const;
/** In seconds. */
const MAX_CONNECT_TIMEOUT = 600;
/** The value of `sslrootcert` for the system's certificates, as in libpq: any server can have a valid one, so its name matters. */
const SYSTEM = "system";

interface Parameter {
  readonly isValid: (value: string) => boolean;
  /** Completes "must be …". */
  readonly expected: Message;
  /** Whether the driver gets it. */
  readonly isPassedOn?: true;
}

const A_FILE: Parameter = {
  isValid: (value) => value !== "",
  expected: say`a file name`,
};

/** Every query parameter of an address. */
const PARAMETERS = {
  sandbox: {
    isValid: (value) => /^[\w.-]{1,64}$/.test(value),
    expected: say`1 to 64 letters, digits, ".", "_" or "-"`,
  },
  lease: {
    isValid: (value) =>
      /^\d+(?:\.\d+)?$/.test(value) && Number(value) >= LEASE.min && Number(value) <= LEASE.max,
    expected: say`a number of seconds from ${LEASE.min} to ${LEASE.max}, such as 2.5`,
  },
  sslmode: {
    isValid: (value) => TLS_MODES.some((mode) => mode === value),
    expected: say`one of ${TLS_MODES.join(", ")}`,
  },
  sslrootcert: A_FILE,
  sslcert: A_FILE,
  sslkey: A_FILE,
  application_name: {
    isValid: (value) => value !== "",
    expected: say`a non-empty name`,
    isPassedOn: true,
  },
  connect_timeout: {
    isValid: (value) =>
      /^\d+$/.test(value) && Number(value) >= 1 && Number(value) <= MAX_CONNECT_TIMEOUT,
    expected: say`a whole number of seconds from 1 to ${MAX_CONNECT_TIMEOUT}`,
    isPassedOn: true,
  },
} satisfies Record<string, Parameter>;

type ParameterName = keyof typeof PARAMETERS;

/**
 * Reads an address of a PostgreSQL database.
 * @throws PostgresAddressError for an address that is not one, and for an unknown or invalid parameter.
 */
export function parseAddress(text: string): PostgresAddress {
  const masked = maskAddress(text);
  const url = readUrl(text, masked);
  const values = readParameters(url.searchParams, masked);
  for (const [name, { isPassedOn }] of Object.entries<Parameter>(PARAMETERS))
    if (!isPassedOn) url.searchParams.delete(name);
  return {
    url: url.href,
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? DEFAULT_PORT : Number(url.port),
    database: decodeURIComponent(url.pathname.slice(1)),
    sandbox: values.sandbox ?? DEFAULT_SANDBOX,
    leaseMs:
      values.lease === undefined ? DEFAULT_LEASE_MS : Math.round(Number(values.lease) * 1000),
    tls: readTls(values, masked),
    masked,
  };
}

/**
 * Replaces the password in an address by `***` and makes it safe to print. It needs no valid address: a password with
 * an unencoded `/`, `?`, `#` or `@` is masked as well.
 */
export function maskAddress(text: string): string {
  const [, start = "", rest = ""] = /^([^/]*\/\/)?(.*)$/s.exec(text) ?? [];
  const at = rest.lastIndexOf("@");
  const user = at === -1 ? "" : `${maskUser(rest.slice(0, at))}@`;
  const place = rest.slice(at + 1);
  // Without an "@" the password may stand where a port belongs.
  const safePlace =
    at === -1 ? place.replace(/^([^:/?#[]*:)(?!\d*(?:[/?#]|$)).*/s, "$1***") : place;
  return toSafeLine(start + user + maskQuery(safePlace));
}

/** Masks everything unless the user and the password are clearly apart. */
function maskUser(userAndPassword: string): string {
  const [, user, colon] = /^([^:/?#@]*)(?:(:)[^/?#@]*)?$/s.exec(userAndPassword) ?? [];
  return user === undefined ? "***" : user + (colon === undefined ? "" : ":***");
}

function maskQuery(place: string): string {
  const [, before = "", query] = /^([^?]*\?)(.*)$/s.exec(place) ?? [];
  if (query === undefined) return place;
  const pairs = query.split("&").map((pair) => {
    const [name = ""] = pair.split("=");
    return /pass|pwd/i.test(decoded(name) ?? name) ? `${name}=***` : pair;
  });
  return before + pairs.join("&");
}

/** Undefined for an invalid encoding. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function readUrl(text: string, masked: string): URL {
  const authority = /^postgres(?:ql)?:\/\/([^/?#]*)/i.exec(text);
  if (authority?.[1]?.split("@").at(-1)?.includes(",")) throw refuse(masked, ONE_HOST);
  // An "@" after the host may belong to a password with a "/", "?" or "#": then the parts are not clear.
  const url = toUrl(text);
  if (!authority || text.slice(authority[0].length).includes("@") || !url)
    throw refuse(
      masked,
      say`is not an address. Use the form ${EXAMPLE}, and percent-encode special characters in each part, such as %40 for "@"`,
    );
  const parts = [url.username, url.password, url.hostname, url.pathname].map(decoded);
  if (parts.includes(undefined) || url.hash !== "")
    throw refuse(
      masked,
      say`is not an address: it has an invalid percent-encoding or a fragment. Write "%" as %25 and "#" as %23`,
    );
  if (!/^(?:\[[\da-f:.]+\]|[^/,]+)$/i.test(parts[2] ?? "")) throw refuse(masked, ONE_HOST);
  if (!/^\/[^/]+$/.test(url.pathname))
    throw refuse(masked, say`must contain one database name, as in ${EXAMPLE}`);
  return url;
}

const ONE_HOST: Message = say`must contain one host name or IP address, as in ${EXAMPLE}. Unix sockets and several hosts are not supported`;

type Values = { readonly [Name in ParameterName]?: string };

function readParameters(query: URLSearchParams, masked: string): Values {
  const values: { [Name in ParameterName]?: string } = {};
  for (const [name, value] of query) {
    if (!isParameter(name)) throw refuse(masked, unknownParameter(name));
    if (values[name] !== undefined)
      throw refuse(masked, say`contains the parameter ${name} twice. Remove one of them`);
    const { isValid, expected } = PARAMETERS[name] as Parameter;
    if (!isValid(value))
      throw refuse(masked, say`has an invalid parameter ${name}. It must be ${expected}`);
    values[name] = value;
  }
  return values;
}

function isParameter(name: string): name is ParameterName {
  return Object.hasOwn(PARAMETERS, name);
}

function unknownParameter(name: string): Message {
  const known = Object.keys(PARAMETERS).join(", ");
  const printable = toSafeLine(JSON.stringify(name));
  return say`has an unknown parameter ${printable}. The parameters are ${known}`;
}

/**
 * As in libpq, `require` with a root certificate means `verify-ca`. Unlike libpq, files that the mode would ignore are
 * refused: the connection would be less safe than it looks.
 */
function readTls(
  { sslmode, sslrootcert, sslcert, sslkey }: Values,
  masked: string,
): PostgresTls | undefined {
  const mode = TLS_MODES.find((each) => each === sslmode);
  const hasFile = [sslrootcert, sslcert, sslkey].some((file) => file !== undefined);
  if (hasFile && (mode === undefined || mode === "disable" || mode === "prefer"))
    throw refuse(
      masked,
      say`must contain sslmode=verify-full, verify-ca or require if it names certificate files`,
    );
  if ((sslcert === undefined) !== (sslkey === undefined))
    throw refuse(masked, say`must contain both sslcert and sslkey, or neither`);
  const isSystem = sslrootcert === SYSTEM;
  if (isSystem && mode !== "verify-full")
    throw refuse(masked, say`must contain sslmode=verify-full with sslrootcert=${SYSTEM}`);
  if (mode === undefined) return undefined;
  return {
    mode: mode === "require" && sslrootcert !== undefined ? "verify-ca" : mode,
    rootCertFile: isSystem ? undefined : sslrootcert,
    certFile: sslcert,
    keyFile: sslkey,
  };
}

function refuse(masked: string, wrong: Message): PostgresAddressError {
  return new PostgresAddressError(
    joined([joined([say`The state's address ${masked} `, wrong], ""), "."], ""),
  );
}
