import { lookup } from "node:dns/promises";
import { existsSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import path from "node:path";
import { Command, Option } from "commander";
import { type AssumptionChanges, readChoice } from "../../core/assumptions/table.ts";
import { isCity } from "../../core/payments/br-code.ts";
import { END_OF_TIME_MS, fromIso } from "../../core/time/timestamp.ts";
import { toOrigin } from "../../core/web-origin.ts";
import type { Config } from "../config.ts";
import type { Sandbox, SandboxOptions } from "../../sandbox/start.ts";
import type { LocalizedText } from "../../core/localized-text.ts";
import { VERSION } from "../../core/version.ts";
import { CliError, EXIT, usageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { type Language, retell, speak, t, tellSentence } from "../language.ts";
import { collect, jsonOption, someText, wholeNumber, withExamples } from "../options.ts";
import { renderAttempt } from "../render.ts";
import { toSafeLine, toSafeText } from "../../core/safe-text.ts";

interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly state: string;
  readonly memory?: boolean;
  readonly durability: "always" | "none";
  readonly strictState?: boolean;
  readonly config?: string;
  readonly keepRequests: number;
  readonly keepDeliveries: number;
  readonly fixtures?: readonly string[];
  readonly seed?: string;
  readonly clock: "real" | "frozen";
  readonly now?: string;
  readonly assume?: readonly string[];
  readonly explain?: boolean;
  readonly magic?: boolean;
  readonly https?: boolean;
  readonly publicUrl?: string;
  readonly city?: string;
  readonly allowHost?: readonly string[];
  readonly cors?: readonly string[];
  readonly webhookAllow?: "loopback";
  readonly readyFile?: string;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = [
  "serve                                  keeps its state in .pix-sandbox/state.json",
  "serve --memory --port 0 --json         for a test: a free port, nothing on disk",
  "serve --clock frozen --seed 42         time moves when told to; the same ids every run",
  "serve --assume payout.rival=reject     another choice where the specification is silent",
];

/** Read from the working directory where it is there and no other is named. */
const CONFIG_FILE = "pix-sandbox.config.json";

/** Two signals within this time are one: `npm run` passes Ctrl-C on beside the terminal's own. */
export const SAME_SIGNAL_MS = 100;

export function serveCommand(io: Io): Command {
  const command = servingCommand("serve", { port: 7490 })
    .description("start the gateway")
    .action(async () => serve(await startGateway(command, io), io));
  return withExamples(command, EXAMPLES);
}

/** A command that starts a gateway: the options of `serve`, with the standards that are its own. */
export function servingCommand(
  name: string,
  standard: { readonly port: number; readonly memory?: true },
): Command {
  return new Command(name)
    .addOption(
      new Option("-p, --port <port>", "0 takes a free one")
        .argParser(wholeNumber(0, 65_535))
        .env("PIX_SANDBOX_PORT")
        .default(standard.port),
    )
    .addOption(
      new Option("--host <host>", "the interface to listen on")
        // An empty one would be every interface.
        .argParser(someText)
        .env("PIX_SANDBOX_HOST")
        .default("127.0.0.1"),
    )
    .addOption(
      new Option("--state <file>", "the JSON file that keeps the state")
        .env("PIX_SANDBOX_STATE")
        .default(".pix-sandbox/state.json"),
    )
    .addOption(
      new Option("--memory", "keep nothing beyond this run")
        .env("PIX_SANDBOX_MEMORY")
        .default(standard.memory),
    )
    .addOption(
      new Option("--durability <when>", "answer when a change outlasts a loss of power, or none")
        .choices(["always", "none"])
        .env("PIX_SANDBOX_DURABILITY")
        .default("always"),
    )
    .addOption(
      new Option("--strict-state", "refuse a state file that was changed since it was written").env(
        "PIX_SANDBOX_STRICT_STATE",
      ),
    )
    .addOption(
      new Option(
        "--config <file>",
        `a JSON file of these options, assumptions and credentials (default: ${CONFIG_FILE}, if it is there)`,
      ).env("PIX_SANDBOX_CONFIG"),
    )
    .addOption(
      new Option("--keep-requests <n>", "how many requests are remembered, in memory")
        .argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER))
        .env("PIX_SANDBOX_KEEP_REQUESTS")
        .default(1000),
    )
    .addOption(
      new Option("--keep-deliveries <n>", "how many finished webhooks are remembered")
        .argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER))
        .env("PIX_SANDBOX_KEEP_DELIVERIES")
        .default(10_000),
    )
    .addOption(
      new Option(
        "--fixtures <file>",
        "a JSON file of payins, payouts and faults to begin with; may be repeated",
      )
        .argParser(collect)
        .env("PIX_SANDBOX_FIXTURES"),
    )
    .addOption(
      new Option(
        "--seed <text>",
        "the same seed, the same ids, also after a reset; without one no id repeats",
      )
        .argParser(someText)
        .env("PIX_SANDBOX_SEED"),
    )
    .addOption(
      new Option("--clock <mode>", "how time passes")
        .choices(["real", "frozen"])
        .env("PIX_SANDBOX_CLOCK")
        .default("real"),
    )
    .addOption(
      new Option("--now <time>", "the sandbox's time at the start, ISO 8601").env(
        "PIX_SANDBOX_NOW",
      ),
    )
    .addOption(
      new Option("--assume <name=choice>", "change a choice; may be repeated")
        .argParser(collect)
        .env("PIX_SANDBOX_ASSUME"),
    )
    .addOption(
      new Option("--explain", "name every assumption asked, in x-sandbox-assumption").env(
        "PIX_SANDBOX_EXPLAIN",
      ),
    )
    .addOption(
      new Option("--magic", "let the values that `pix-sandbox magic` lists mean something").env(
        "PIX_SANDBOX_MAGIC",
      ),
    )
    .addOption(
      new Option("--https", "serve HTTPS, with a certificate made for the occasion").env(
        "PIX_SANDBOX_HTTPS",
      ),
    )
    .addOption(
      new Option("--public-url <url>", "the address that BR codes carry").env(
        "PIX_SANDBOX_PUBLIC_URL",
      ),
    )
    .addOption(
      new Option("--city <text>", "the city on BR codes (default: SAO PAULO)").env(
        "PIX_SANDBOX_CITY",
      ),
    )
    .addOption(
      new Option("--allow-host <name>", "answer to this host name too; may be repeated")
        .argParser(collect)
        .env("PIX_SANDBOX_ALLOW_HOST"),
    )
    .addOption(
      new Option("--cors <origin>", "let pages of this origin call; may be repeated")
        .argParser(collect)
        .env("PIX_SANDBOX_CORS"),
    )
    .addOption(
      new Option("--webhook-allow <where>", "send webhooks to this machine alone")
        .choices(["loopback"])
        .env("PIX_SANDBOX_WEBHOOK_ALLOW"),
    )
    .addOption(
      new Option("--ready-file <file>", "write the ready object there once the port answers").env(
        "PIX_SANDBOX_READY_FILE",
      ),
    )
    .addOption(
      new Option("-q, --quiet", "print no banner and no webhooks").env("PIX_SANDBOX_QUIET"),
    )
    .addOption(jsonOption());
}

/** A variable says at once what a flag says each time that it is given: commas part it. */
function partVariables(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    if (option.parseArg !== collect || command.getOptionValueSource(name) !== "env") continue;
    const parts = (command.getOptionValue(name) as string[]).flatMap((text) => text.split(","));
    const said = parts.map((part) => part.trim()).filter((part) => part !== "");
    command.setOptionValueWithSource(name, said, "env");
  }
}

/** What neither a flag nor the environment says, the config file does. It is read where there is one. */
async function applyConfig(file: string, command: Command): Promise<Config> {
  const { readConfig } = await import("../config.ts");
  const config = await readConfig(file, command);
  const isSaid = (option: string): boolean =>
    ["cli", "env"].includes(command.getOptionValueSourceWithGlobals(option) ?? "");
  for (const [option, value] of Object.entries(config.options)) {
    // Whoever names a state file does not mean memory.
    if (!isSaid(option) && !(option === "memory" && isSaid("state")))
      command.setOptionValueWithSource(option, value, "config");
  }
  const { lang } = config.options;
  if (lang !== undefined && !isSaid("lang")) await speak(lang as Language);
  return config;
}

/** A gateway that was started, and how it was asked for. */
export interface Started {
  readonly sandbox: Sandbox;
  readonly options: ServeOptions;
  readonly stateFile: string | undefined;
}

/**
 * Starts the gateway that a command's flags, the environment and the config file ask for.
 * @throws CliError where it cannot be.
 */
export async function startGateway(command: Command, io: Io): Promise<Started> {
  partVariables(command);
  const { config: named } = command.opts<ServeOptions>();
  const file = named ?? (existsSync(CONFIG_FILE) ? CONFIG_FILE : undefined);
  const config = file === undefined ? undefined : await applyConfig(file, command);
  const nameOf = (option: string, flag: string): string =>
    command.getOptionValueSource(option) === "config"
      ? t`${flag.slice(2).replaceAll("-", "_")} in ${file}`
      : flag;
  const options = command.opts<ServeOptions>();
  const stateFile = isInMemory(command, options) ? undefined : options.state;
  const report = (text: LocalizedText): void =>
    io.say(toSafeText(`pix-sandbox: ${tellSentence(text)}`));
  const { assumptions, ...read } = readOptions(options, stateFile, nameOf);
  const sandbox = await start(
    {
      ...read,
      assumptions: { ...config?.assumptions, ...assumptions },
      credentials: config?.credentials,
    },
    options,
    nameOf,
    report,
  );
  await warnOfNetwork(sandbox, options.host, io);
  return { sandbox, options, stateFile };
}

/** Says where a sandbox listens that other machines can reach, and what they can do there. */
async function warnOfNetwork({ url, port }: Sandbox, host: string, io: Io): Promise<void> {
  // The server has resolved the name already.
  const { address } = await lookup(host).catch(() => ({ address: host }));
  if (/^(?:(?:::ffff:)?127\.|::1$)/.test(address)) return;
  const addresses = address === "0.0.0.0" || address === "::" ? addressesOf(address) : [];
  const { protocol } = new URL(url);
  const urls = addresses.map((each) => `${protocol}//${each}:${port}`);
  io.say(t`Listening beyond this machine: ${(urls.length > 0 ? urls : [url]).join(", ")}`);
  io.say(
    io.sayColour.yellow(
      t`Warning: anyone who can connect there can read everything in this sandbox, its secret included, and control it. To listen on this machine alone, leave out --host.`,
    ),
  );
}

/** The addresses at which other machines reach every interface: IPv4, and IPv6 too for `::`. */
function addressesOf(wildcard: string): string[] {
  return Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, family }) => !internal && (family === "IPv4" || wildcard === "::"))
    .filter(({ address }) => !/^fe[89ab]/i.test(address)) // A link-local one also needs its interface.
    .map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address));
}

/** Memory that nobody asked for makes way for a state file that somebody did. */
function isInMemory(command: Command, { memory = false }: ServeOptions): boolean {
  const isStandard = (option: string) => command.getOptionValueSource(option) === "default";
  return memory && (isStandard("state") || !isStandard("memory"));
}

async function serve({ sandbox, options, stateFile }: Started, io: Io): Promise<void> {
  // Whoever waits for the ready line may stop the sandbox the moment that it reads it.
  const stopped = untilStopped(sandbox, options.quiet === true || options.json === true, io);
  await using _ = await writeReadyFile({ sandbox, options, stateFile });
  if (options.json) io.printJson(toReady(sandbox, stateFile));
  else if (!options.quiet) io.say(renderBanner(sandbox, stateFile, io));
  if (!options.quiet && !options.json)
    sandbox.onAttempt((attempt) => io.say(renderAttempt(attempt, io.sayColour)));
  await stopped;
}

/**
 * Writes the ready file; disposing of the result removes it, unless another process has written it since.
 * @throws CliError if it cannot be written; the sandbox is stopped then.
 */
export async function writeReadyFile({
  sandbox,
  options: { readyFile },
  stateFile,
}: Started): Promise<AsyncDisposable> {
  const text = `${JSON.stringify(toReady(sandbox, stateFile))}\n`;
  if (readyFile !== undefined) {
    await writeSecretFile(readyFile, text).catch(async (error: Error) => {
      await sandbox.close();
      throw usageError(
        t`--ready-file cannot be written: ${error.message}.`,
        t`Name a file in a folder that exists.`,
      );
    });
  }
  return {
    async [Symbol.asyncDispose]() {
      if (readyFile === undefined) return;
      const current = await readFile(readyFile, "utf8").catch(() => undefined);
      // A file that cannot be removed is no reason for a stop to fail.
      if (current === text) await rm(readyFile, { force: true }).catch(() => undefined);
    },
  };
}

/** How a sentence names an option: by the flag, or by its place in the config file that says it. */
type NameOf = (option: string, flag: string) => string;

function readOptions(
  options: ServeOptions,
  stateFile: string | undefined,
  nameOf: NameOf,
): SandboxOptions {
  const nowMs = options.now === undefined ? undefined : fromIso(options.now);
  if (options.now !== undefined && (nowMs === undefined || nowMs >= END_OF_TIME_MS)) {
    throw usageError(
      t`${nameOf("now", "--now")} does not take ${JSON.stringify(options.now)}.`,
      t`Write it like 2026-11-21T12:00:00Z, before the year 9000.`,
    );
  }
  if (options.publicUrl !== undefined && !isPublicUrl(options.publicUrl)) {
    throw usageError(
      t`${nameOf("publicUrl", "--public-url")} does not take ${JSON.stringify(options.publicUrl)}.`,
      t`Write it like https://pix.example.com.`,
    );
  }
  if (options.city !== undefined && !isCity(options.city)) {
    throw usageError(
      t`${nameOf("city", "--city")} does not take ${JSON.stringify(options.city)}.`,
      t`A BR Code cannot contain any of these characters. Use Latin letters, such as Recife.`,
    );
  }
  return {
    host: options.host,
    port: options.port,
    stateFile,
    durability: options.durability,
    strictState: options.strictState,
    keepRequests: options.keepRequests,
    keepDeliveries: options.keepDeliveries,
    fixtures: options.fixtures,
    seed: options.seed,
    clock: options.clock,
    now: nowMs === undefined ? undefined : new Date(nowMs),
    assumptions: readAssumptions(options.assume ?? []),
    explain: options.explain,
    magic: options.magic,
    https: options.https,
    publicUrl: options.publicUrl,
    city: options.city,
    allowHosts: options.allowHost?.map((name) => name.toLowerCase()),
    webhookAllow: options.webhookAllow,
    corsOrigins: options.cors?.map((text) => readOrigin(text, nameOf("cors", "--cors"))),
  };
}

function readOrigin(text: string, name: string): string {
  const origin = toOrigin(text);
  if (origin !== undefined) return origin;
  throw usageError(
    t`${name} does not take ${JSON.stringify(text)}.`,
    t`Write the origin of one page, without a path, such as http://localhost:5173.`,
  );
}

/** A host and a path; a query has no place in a BR code. */
function isPublicUrl(text: string): boolean {
  return /^https?:\/\/[^\s/?#]+[^\s?#]*$/i.test(text) && URL.canParse(text);
}

function readAssumptions(pairs: readonly string[]): AssumptionChanges {
  const changes: Record<string, string | number> = {};
  for (const pair of pairs) {
    const [, name = pair, choice = ""] = /^([^=]*)=(.*)$/.exec(pair) ?? [];
    const read = readChoice(name, choice);
    if ("refusal" in read) throw usageError(`--assume ${pair}: ${retell(read.refusal)}`);
    changes[name] = read.choice;
  }
  return changes;
}

async function start(
  sandboxOptions: SandboxOptions,
  { port, host }: ServeOptions,
  nameOf: NameOf,
  report: (text: LocalizedText) => void,
): Promise<Sandbox> {
  const { startSandbox } = await import("../../sandbox/start.ts");
  const { FixtureError, NoCredentialsError, PublicUrlError } =
    await import("../../sandbox/errors.ts");
  const { toStateError } = await import("../state-errors.ts");
  try {
    return await startSandbox(sandboxOptions, report);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new CliError(
        EXIT.taken,
        "PORT_TAKEN",
        t`Port ${port} of ${host} is taken.`,
        t`Choose another with --port, or a free one with --port 0.`,
      );
    }
    if (code === "EADDRNOTAVAIL" || code === "EACCES" || code === "ENOTFOUND") {
      throw new CliError(
        EXIT.taken,
        "CANNOT_LISTEN",
        t`Nothing can listen on port ${port} of ${host} (${code}).`,
        t`Choose another with --port or --host.`,
      );
    }
    if (error instanceof FixtureError)
      throw usageError(
        retell(error.place) + tellSentence(error.wrong),
        t`A fixtures file holds payins, payouts and faults, each as its route takes it.`,
      );
    if (error instanceof PublicUrlError)
      throw usageError(`${nameOf("publicUrl", "--public-url")}: ${tellSentence(error.text)}`);
    if (error instanceof NoCredentialsError)
      throw usageError(
        tellSentence(error.text),
        t`List some under credentials in a config file, or assume any.`,
      );
    return toStateError(error);
  }
}

function toReady(sandbox: Sandbox, stateFile: string | undefined) {
  return {
    type: "ready",
    url: sandbox.url,
    base_url: sandbox.baseUrl,
    port: sandbox.port,
    pid: process.pid,
    version: VERSION,
    state_file: stateFile === undefined ? null : path.resolve(stateFile),
    seed: sandbox.seed,
    secret: sandbox.secret,
  };
}

function renderBanner(
  sandbox: Sandbox,
  stateFile: string | undefined,
  { sayColour: colour }: Io,
): string {
  const { payins, payouts } = sandbox.count();
  const state =
    stateFile === undefined
      ? t`in memory`
      : `${stateFile}   ${t`${payins} payins, ${payouts} payouts`}`;
  const line = (name: string, value: string): string =>
    `  ${colour.dim(name)}${" ".repeat(7 - name.length)}${value}`;
  return [
    colour.bold(`pix-sandbox ${VERSION}`),
    line("API", sandbox.baseUrl),
    line(t`State`, toSafeLine(state)),
    line("Seed", `${toSafeLine(sandbox.seed)}   ${colour.dim(t`clock`)} ${sandbox.clock.mode}`),
    t`Ready. Ctrl-C stops.`,
  ].join("\n");
}

/** Writes a file that its owner alone can read; readers see all of it or none. */
async function writeSecretFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    // An existing file would keep its mode.
    await rm(temporary, { force: true });
    await writeFile(temporary, text, { mode: 0o600, flag: "wx" });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** The first signal stops in good order, a second one at once. */
async function untilStopped(sandbox: Sandbox, isSilent: boolean, io: Io): Promise<void> {
  let firstAt: number | undefined;
  await new Promise<void>((resolve, reject) => {
    // To the very end: a signal that reaches it twice may come once more when all is done.
    io.onSignal(() => {
      if (firstAt !== undefined) {
        if (performance.now() - firstAt > SAME_SIGNAL_MS)
          reject(new CliError(EXIT.interrupted, "INTERRUPTED", t`Stopped at once.`));
        return;
      }
      firstAt = performance.now();
      if (!isSilent) io.say(t`Stopping…`);
      sandbox.close().then(resolve, reject);
    });
    // A ready line that could not be written leaves its reader waiting for ever.
    io.unread.addEventListener("abort", () => {
      if (io.unread.reason instanceof CliError) sandbox.close().then(resolve, reject);
    });
  });
}
