import { LANGUAGE_OPTIONS } from "../../text/languages.ts";
import type { AssumptionChanges, Credential, Profile } from "../../core/assumptions/table.ts";
import { isControlToken, isSigningSecret, toOrigin } from "../../wire/forms.ts";
import { isCity } from "../../core/records/br-code-writer.ts";
import { PROGRAM } from "../../platform/program.ts";
import type { Fixtures } from "./fixtures.ts";
import {
  type Check,
  filledText,
  filledTexts,
  isFilled,
  isObject,
  isHostRewrite,
  isPublicUrl,
  isStartTime,
  listOf,
  oneOf,
  textThat,
  toggle,
  valuesThat,
  valueThat,
  wholeNumber,
} from "./option-checks.ts";
import { type Message, say } from "../../text/message.ts";

/** Who has an option. */
export type Taker = "serve" | "exec" | "startSandbox";

/** The parts of the help, in its order. */
export const GROUPS = {
  network: say`Network`,
  state: say`State`,
  time: say`Time and ids`,
  gateway: say`Gateway`,
  control: say`Protection and team`,
  output: say`Start and output`,
} satisfies Record<string, Message>;

/** What flags call their values. */
type Argument =
  | "file"
  | "from=to"
  | "host"
  | "language"
  | "mode"
  | "n"
  | "name"
  | "name=choice"
  | "origin"
  | "port"
  | "text"
  | "time"
  | "url"
  | "what"
  | "when"
  | "where";

/** One option. Its types are those of a flag's value, of `startSandbox`'s value, and of the default. */
export interface Option<
  Value = unknown,
  Coded = Value,
  By extends Taker = Taker,
  Default = unknown,
> {
  readonly check: Check<Value>;
  /** The check for `startSandbox`, if it takes values that the flag does not take. */
  readonly inCode?: Check<Coded> | undefined;
  readonly takenBy: readonly By[];
  readonly default: Default;
  /** The defaults of commands that have another one. */
  readonly defaultOf?: { readonly serve?: Value; readonly exec?: Value };
  /** Describes the default in words, if no value of the flag can. */
  readonly unset?: Message;
  /** What the flag calls its value; a `file` is in the working directory. A switch has none. */
  readonly argument?: Argument;
  /** The flag's name, if it differs from the option's. */
  readonly flag?: string;
  readonly short?: "p" | "q";
  /** Whether an environment variable sets it. */
  readonly hasVariable?: boolean;
  /** Whether the config file sets it, as a member with the flag's name. */
  readonly isMember?: boolean;
  readonly group: keyof typeof GROUPS;
  readonly help: Message;
  /** A link to what docs/ say about it. */
  readonly see?: string;
}

const everywhere = optionOf("serve", "exec", "startSandbox");
const inCommands = optionOf("serve", "exec");
const inServe = optionOf("serve");
const inCode = optionOf("startSandbox");

/** @returns a function that declares an option of these takers; a switch is off by default */
function optionOf<By extends Taker>(...takers: readonly By[]) {
  return <
    Value,
    Coded = Value,
    const Default extends Value | Coded | false | undefined = [Value] extends [boolean]
      ? false
      : undefined,
  >(
    group: keyof typeof GROUPS,
    row: Omit<Option<Value, Coded, By, Default>, "takenBy" | "group" | "default"> & {
      readonly default?: Default;
    },
  ): Option<Value, Coded, By, Default> => {
    const standard = row.default ?? (row.check.kind === "switch" ? false : undefined);
    return { ...row, takenBy: takers, group, default: standard as Default };
  };
}

/**
 * Every option: the only place that declares one. From these rows come the flags and their help, the environment
 * variables, the members of the config file and its JSON Schema, the type and the validation of `startSandbox`'s
 * options, and the table in docs/cli.md.
 *
 * `publicUrl` is `--public-url`, `PIX_SANDBOX_PUBLIC_URL`, `public_url` in the config file, and `publicUrl` in
 * `startSandbox({ publicUrl })`. Editors show a row's comment for the member of `SandboxOptions`.
 */
export const OPTIONS = {
  /** The address to listen on. Default 127.0.0.1: this machine only. */
  host: everywhere("network", {
    check: filledText,
    argument: "host",
    default: "127.0.0.1",
    help: say`the host name or address to listen on`,
  }),
  /** Default 0: a free port. A busy port is an error. */
  port: everywhere("network", {
    check: wholeNumber(65_535),
    argument: "port",
    short: "p",
    default: 0,
    defaultOf: { serve: 7490 },
    help: say`the port; 0 picks a free one`,
  }),
  /** Whether to serve HTTPS with a self-signed certificate. Default false. */
  https: everywhere("network", {
    check: toggle,
    help: say`serve HTTPS with a self-signed certificate`,
    see: "[HTTPS](#https)",
  }),
  /** A PEM file with the server's certificate and its chain. Together with `tlsKey` it turns HTTPS on. */
  tlsCert: everywhere("network", {
    check: filledText,
    argument: "file",
    help: say`serve HTTPS with this PEM certificate; needs --tls-key`,
    see: "[HTTPS](#https)",
  }),
  /** A PEM file with the private key of `tlsCert`, not encrypted. */
  tlsKey: everywhere("network", {
    check: filledText,
    argument: "file",
    help: say`the private key of the certificate, in PEM`,
    see: "[HTTPS](#https)",
  }),
  /** The URL at which others reach the sandbox. Where it fits, it is in BR Codes too; else a host that cannot exist. */
  publicUrl: everywhere("network", {
    check: textThat(isPublicUrl, say`a URL without a query, such as https://pix.example.com`),
    argument: "url",
    unset: say`none; BR Codes have a host that cannot exist`,
    help: say`the URL at which others reach the sandbox, also in BR Codes`,
  }),
  /** Host names that are accepted in addition to this machine's own. */
  allowHosts: everywhere("network", {
    check: filledTexts,
    flag: "allow-host",
    argument: "name",
    default: [],
    help: say`accept this host name too`,
  }),
  /** Origins whose pages may call the sandbox. */
  corsOrigins: everywhere("network", {
    check: listOf(
      textThat(
        (text) => toOrigin(text) !== undefined,
        say`an origin without a path, such as http://localhost:5173`,
      ),
      say`a list of origins without a path, such as http://localhost:5173`,
    ),
    flag: "cors",
    argument: "origin",
    default: [],
    help: say`allow pages of this origin to call`,
  }),
  /** Allowed webhook addresses: `all` but link-local and metadata addresses, or `loopback` (this machine) only. Default `all`. */
  webhookAllow: everywhere("network", {
    check: oneOf("loopback"),
    inCode: oneOf("all", "loopback"),
    argument: "where",
    default: "all",
    unset: say`all hosts`,
    help: say`send webhooks only to this machine`,
  }),
  /** Whether webhooks go to receivers with any certificate, such as a self-signed one. Default false. */
  webhookInsecure: everywhere("network", {
    check: toggle,
    help: say`send webhooks to receivers with any certificate, such as a self-signed one`,
  }),
  /** Webhooks to one host go to another, as `from=to`: in a container, `localhost=host.docker.internal`. */
  webhookHostRewrites: everywhere("network", {
    check: listOf(
      textThat(isHostRewrite, say`two host names, such as localhost=host.docker.internal`),
      say`a list of host names in pairs, such as localhost=host.docker.internal`,
    ),
    flag: "webhook-host-rewrite",
    argument: "from=to",
    default: [],
    help: say`send webhooks for this host to another; for containers`,
  }),
  /**
   * The JSON file that stores the state, or the address of a PostgreSQL database, which several processes can share:
   * `postgres://user:password@host/db?sandbox=name`. Default: the state is in memory and lost at the end.
   */
  stateFile: everywhere("state", {
    check: filledText,
    flag: "state",
    argument: "file",
    defaultOf: { serve: ".pix-sandbox/state.json", exec: ".pix-sandbox/state.json" },
    help: say`the JSON state file, or a PostgreSQL address (postgres://…)`,
    see: "[Persistence](persistence.md) and [State in PostgreSQL](#state-in-postgresql)",
  }),
  memory: inCommands("state", {
    check: toggle,
    defaultOf: { exec: true },
    help: say`store nothing on disk`,
  }),
  /** How many finished deliveries are stored. Default 10,000. */
  keepDeliveries: everywhere("state", {
    check: wholeNumber(),
    argument: "n",
    default: 10_000,
    help: say`how many finished webhooks to store`,
  }),
  /** How many requests the request log holds, and webhooks the sandbox's own receiver, in memory. Default 1,000. */
  keepRequests: everywhere("state", {
    check: wholeNumber(),
    argument: "n",
    default: 1000,
    help: say`how many requests the log holds, in memory`,
  }),
  /** Fixtures for the start and after each reset: names of JSON files, or objects. */
  fixtures: everywhere("state", {
    check: filledTexts,
    inCode: valuesThat(
      (one): one is string | Fixtures => isFilled(one) || isObject(one),
      say`a list of file names and fixtures objects`,
    ),
    argument: "file",
    default: [],
    help: say`a JSON file of initial payins, payouts and faults`,
    see: "[Fixtures](fixtures.md)",
  }),
  /** Writes what has happened to this HTML file when the sandbox stops: it opens in a browser, without a server. */
  trace: everywhere("output", {
    check: filledText,
    argument: "file",
    help: say`write what happened to an HTML file at the end`,
    see: "[Traces](traces.md)",
  }),
  /**
   * Makes ids repeatable: every run, and each reset, draws the same ones. Also determines the secret of a new state.
   * Default: the stored seed, or a random one; ids then never repeat.
   */
  seed: everywhere("time", {
    check: filledText,
    argument: "text",
    help: say`the same seed gives the same ids, also after a reset; without a seed ids are random`,
    see: "[Seeds and ids](testing.md#seeds-and-ids)",
  }),
  /** A `frozen` clock stands still until it is advanced. Default `real`. */
  clock: everywhere("time", {
    check: oneOf("real", "frozen"),
    argument: "mode",
    default: "real",
    help: say`whether time passes by itself`,
  }),
  /** The sandbox's time at the start, as a Date or in ISO 8601. Default: now, or the stored time. */
  now: everywhere("time", {
    check: textThat(isStartTime, say`a time before the year 9000, such as 2026-11-21T12:00:00Z`),
    inCode: valueThat<Date | string>(
      isStartTime,
      say`a time before the year 9000, as a Date or a string such as 2026-11-21T12:00:00Z`,
    ),
    argument: "time",
    unset: say`the current time`,
    help: say`the sandbox's initial time, in ISO 8601`,
  }),
  /** Choices by assumption name, for what the specification leaves open. */
  assumptions: everywhere("gateway", {
    check: filledTexts,
    inCode: valueThat<AssumptionChanges>(isObject, say`an object with choices by assumption name`),
    flag: "assume",
    argument: "name=choice",
    default: {},
    isMember: false,
    help: say`select an assumption's choice`,
    see: "[Assumptions](assumptions.md)",
  }),
  /** Choices that were observed at a gateway, as `probe --profile` writes them. Those of `assumptions` come first. */
  profile: everywhere("gateway", {
    check: filledText,
    inCode: valueThat<Profile>(isProfile, say`an object with a name and assumptions`),
    argument: "file",
    help: say`the choices of a profile, where --assume and the config file set none`,
    see: "[Profiles](fidelity.md#profiles)",
  }),
  /** Whether the header `x-sandbox-assumption` lists every assumption that affected a response, not only changed ones. Default false. */
  explain: everywhere("gateway", {
    check: toggle,
    help: say`list every assumption that a response depends on in x-sandbox-assumption`,
  }),
  /** Whether the values that `pix-sandbox magic` lists trigger their effects. Default false. */
  magic: everywhere("gateway", {
    check: toggle,
    help: say`enable the magic values that \`${PROGRAM} magic\` lists`,
    see: "[Magic values](faults.md#magic-values)",
  }),
  /** The active credentials if the assumption `credentials` is `listed`. Each needs its own `apiKey`. */
  credentials: inCode("gateway", {
    check: valuesThat(
      isCredential,
      say`a list of objects with apiKey, apiSecret and merchantId, each a non-empty string (an apiSecret that starts with whsec_ continues with base64)`,
    ),
    default: [],
    help: say`the accepted tokens for the assumption credentials=listed`,
  }),
  /** The city in BR Codes. Default `SAO PAULO`. */
  city: everywhere("gateway", {
    check: textThat(isCity, say`the name of a city in Latin letters, such as Recife`),
    argument: "text",
    default: "SAO PAULO",
    help: say`the city in BR Codes`,
  }),
  /**
   * Protects the control routes: all routes under `/_sandbox` but the health check and the payer's page then need this
   * token, as `authorization: Bearer` or as the password of HTTP Basic. Default: they need none.
   */
  controlToken: everywhere("control", {
    check: textThat(
      isControlToken,
      say`a non-empty string of ASCII letters, digits and punctuation, without spaces`,
      true,
    ),
    argument: "text",
    help: say`protect /_sandbox: its calls and pages need this token`,
    see: "[Control token](#control-token)",
  }),
  config: inCommands("output", {
    check: filledText,
    argument: "file",
    unset: say`pix-sandbox.config.json, if it exists`,
    isMember: false,
    help: say`a JSON file with these options, assumptions and credentials`,
    see: "[Config file](#config-file)",
  }),
  readyFile: inCommands("output", {
    check: filledText,
    argument: "file",
    help: say`write the ready object to this file when the port is open`,
  }),
  log: inCommands("output", {
    check: oneOf("all", "calls", "webhooks", "none"),
    argument: "what",
    unset: say`all; with --json and in exec: none`,
    help: say`what to print as it happens`,
    see: "[Log](#log)",
  }),
  quiet: inCommands("output", {
    check: toggle,
    short: "q",
    help: say`print no banner and no log`,
  }),
  json: inCommands("output", {
    check: toggle,
    hasVariable: false,
    help: say`print JSON: one document, or one per line for a stream`,
  }),
  open: inServe("output", {
    check: toggle,
    help: say`open the inspector in the browser`,
    see: "[Inspector](inspector.md)",
  }),
  lang: inCommands("output", {
    check: oneOf(...LANGUAGE_OPTIONS),
    argument: "language",
    unset: say`the system's`,
    help: say`the command's language`,
  }),
  /** Receives a line about each internal problem. Default: writes it to stderr. */
  report: inCode("output", {
    check: valueThat<(line: string) => void>(
      (value) => typeof value === "function",
      say`a function`,
    ),
    help: say`receives internal problems`,
  }),
};

export type OptionName = keyof typeof OPTIONS;
type Row<Name extends OptionName> = (typeof OPTIONS)[Name];
/** A name if its row says so, for the members of a mapped type. */
type TakenBy<By extends Taker, Name extends OptionName> = By extends Row<Name>["takenBy"][number]
  ? Name
  : never;
type InCode<Name extends OptionName> =
  NonNullable<Row<Name>["inCode"]> extends Check<infer Value> ? Value : never;
type InText<Name extends OptionName> =
  Row<Name>["check"] extends Check<infer Value> ? Value : never;

/** The options of a sandbox. All are optional. */
export interface SandboxOptions extends Readonly<{
  [Name in keyof typeof OPTIONS as TakenBy<"startSandbox", Name>]?: InCode<Name> | undefined;
}> {}

/** The options of a sandbox with their defaults. */
export type Settings = {
  readonly [Name in keyof typeof OPTIONS as TakenBy<"startSandbox", Name>]:
    | InCode<Name>
    | Extract<Row<Name>["default"], undefined>;
};

/** The values of a command's options. One that has another form in code has no default here. */
export type CommandOptions = {
  readonly [Name in keyof typeof OPTIONS as TakenBy<"serve" | "exec", Name>]:
    | InText<Name>
    | (InCode<Name> extends InText<Name> ? Extract<Row<Name>["default"], undefined> : undefined);
};

/** Every option, in the order of the table. */
export const OPTION_ROWS = Object.entries(OPTIONS) as readonly (readonly [OptionName, Option])[];

/** The options of the commands. */
export const COMMAND_ROWS = OPTION_ROWS.filter(([, { takenBy }]) => takenBy.includes("serve"));

/** What the help of a list adds. */
export const REPEATABLE = say`; repeatable`;

/** The flag without its dashes, such as `public-url`. */
export function flagOf(name: OptionName): string {
  const { flag }: Option = OPTIONS[name];
  return flag ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The member of the config file, such as `public_url`. */
export function memberOf(name: OptionName): string {
  return flagOf(name).replaceAll("-", "_");
}

/** The environment variable, such as `PIX_SANDBOX_PUBLIC_URL`. */
export function variableOf(name: OptionName): string {
  return `PIX_SANDBOX_${memberOf(name).toUpperCase()}`;
}

function isProfile(value: unknown): value is Profile {
  if (!isObject(value)) return false;
  const { name, assumptions } = value as Partial<Profile>;
  return isFilled(name) && isObject(assumptions);
}

export function isCredential(value: unknown): value is Credential {
  if (!isObject(value)) return false;
  const { apiKey, apiSecret, merchantId } = value as Partial<Credential>;
  return [apiKey, apiSecret, merchantId].every(isFilled) && isSigningSecret(apiSecret ?? "");
}
