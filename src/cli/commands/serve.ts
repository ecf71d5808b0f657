import { existsSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Command, Option } from "commander";
import { type AssumptionChanges, readChoice } from "../../core/assumptions/table.ts";
import { isCity } from "../../core/records/br-code.ts";
import { toOrigin } from "../../wire/web-origin.ts";
import type { Config } from "../config.ts";
import { isLoopback } from "../../core/records/webhook-url.ts";
import { networkAddresses } from "../../server/activity/network-addresses.ts";
import { addressesOf } from "../../server/options/open-control.ts";
import {
  isHttpOrigin,
  isPublicUrl,
  isStartTime,
  loneCertificateFile,
} from "../../server/options/option-checks.ts";
import type { Sandbox, SandboxOptions } from "../../server/start.ts";
import { isFile, isShared, labelOf, placeOf } from "../../server/options/state-kinds.ts";
import type { UnusableOptionError } from "../../server/options/errors.ts";
import type { LocalizedText } from "../../text/localized-text.ts";
import { VERSION } from "../../wire/version.ts";
import { CliError, EXIT, interruptedError, usageError } from "../errors.ts";
import { urlOption } from "../command-client.ts";
import type { Example } from "../help.ts";
import { type Io, pathIn, SAME_SIGNAL_MS } from "../io.ts";
import { type Language, localize, setLanguage, textOf } from "../language.ts";
import { withProgress } from "../progress.ts";
import {
  collect,
  controlTokenOption,
  jsonOption,
  someText,
  wholeNumber,
  withExamples,
} from "../options.ts";
import { type Log, LOGS, startLog } from "../serve-log.ts";
import { toSafeLine, toSafeText } from "../../text/safe-text.ts";
import { openBrowser } from "../open-browser.ts";
import { arg } from "../placeholders.ts";
import { CliCommand } from "../command.ts";
import { PROGRAM } from "../../platform/program.ts";

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
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly publicUrl?: string;
  readonly city?: string;
  readonly allowHost?: readonly string[];
  readonly cors?: readonly string[];
  readonly webhookAllow?: "loopback";
  readonly controlToken?: string;
  readonly openControl?: boolean;
  readonly standbyForward?: boolean;
  readonly advertise?: string;
  readonly readyFile?: string;
  readonly open?: boolean;
  readonly log?: Log;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

const EXAMPLES: readonly Example[] = [
  [
    "serve",
    {
      en: "stores its state in .pix-sandbox/state.json",
      pt: "grava o estado em .pix-sandbox/state.json",
    },
  ],
  [
    "serve --memory --port 0 --json",
    {
      en: "for a test: a free port, nothing on disk",
      pt: "para um teste: uma porta livre, nada em disco",
    },
  ],
  [
    "serve --clock frozen --seed 42",
    {
      en: "time moves on command; the same ids in every run",
      pt: "o tempo anda por comando; os mesmos ids em cada execução",
    },
  ],
  [
    "serve --assume payout.rival=reject",
    {
      en: "another choice for a gap in the specification",
      pt: "outra escolha para uma lacuna da especificação",
    },
  ],
];

/** The default config file, in the working directory. */
export const CONFIG_FILE = "pix-sandbox.config.json";

export function serveCommand(io: Io): Command {
  const command = servingCommand("serve", { port: 7490, log: "all" })
    .addOption(
      new Option(
        "--open",
        localize({ en: "open the inspector in the browser", pt: "abre o inspetor no navegador" }),
      ).env("PIX_SANDBOX_OPEN"),
    )
    .action(async () => {
      const prepared = await prepareStart(command, io);
      if (!isShared(prepared.stateFile)) return serve(await startPrepared(prepared, io), io);
      const { serveMember } = await import("../serve-member.ts");
      await serveMember(prepared, io);
    });
  return withExamples(command, EXAMPLES);
}

/** Creates a command with the options of `serve` and its own defaults. @param assume its option `--assume` */
export function servingCommand(
  name: string,
  standard: { readonly port: number; readonly memory?: true; readonly log: Log },
  assume: Option = assumeOption(),
): Command {
  return new CliCommand(name)
    .addOption(
      serveOption(
        `-p, --port ${arg("port")}`,
        localize({ en: "the port; 0 picks a free one", pt: "a porta; 0 escolhe uma livre" }),
      )
        .argParser(wholeNumber(0, 65_535))
        .env("PIX_SANDBOX_PORT")
        .default(standard.port),
    )
    .addOption(
      serveOption(
        "--host <host>",
        localize({
          en: "the host name or address to listen on",
          pt: "o nome ou endereço em que o servidor escuta",
        }),
      )
        // An empty host would mean every interface.
        .argParser(someText)
        .env("PIX_SANDBOX_HOST")
        .default("127.0.0.1"),
    )
    .addOption(
      serveOption(
        `--state ${arg("file")}`,
        localize({
          en: "the JSON state file, or a PostgreSQL address (postgres://…)",
          pt: "o arquivo de estado, em JSON, ou um endereço do PostgreSQL (postgres://…)",
        }),
      )
        .argParser(someText)
        .env("PIX_SANDBOX_STATE")
        .default(".pix-sandbox/state.json"),
    )
    .addOption(
      serveOption(
        "--memory",
        localize({ en: "store nothing on disk", pt: "não grava nada em disco" }),
      )
        .env("PIX_SANDBOX_MEMORY")
        .default(standard.memory),
    )
    .addOption(
      serveOption(
        `--durability ${arg("when")}`,
        localize({
          en: "always: respond after a change is on disk; none: do not wait",
          pt: "always: responde depois que a mudança está em disco; none: não espera",
        }),
      )
        .choices(["always", "none"])
        .env("PIX_SANDBOX_DURABILITY")
        .default("always"),
    )
    .addOption(
      serveOption(
        "--strict-state",
        localize({
          en: "refuse a state file that was edited by hand",
          pt: "recusa um arquivo de estado editado à mão",
        }),
      ).env("PIX_SANDBOX_STRICT_STATE"),
    )
    .addOption(
      serveOption(
        `--config ${arg("file")}`,
        localize({
          en: `a JSON file with these options, assumptions and credentials (default: ${CONFIG_FILE}, if it exists)`,
          pt: `um arquivo JSON com estas opções, premissas e credenciais (padrão: ${CONFIG_FILE}, se existir)`,
        }),
      )
        .argParser(someText)
        .env("PIX_SANDBOX_CONFIG"),
    )
    .addOption(
      serveOption(
        "--keep-requests <n>",
        localize({
          en: "how many requests the log holds, in memory",
          pt: "quantas requisições o registro mantém, em memória",
        }),
      )
        .argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER))
        .env("PIX_SANDBOX_KEEP_REQUESTS")
        .default(1000),
    )
    .addOption(
      serveOption(
        "--keep-deliveries <n>",
        localize({
          en: "how many finished webhooks to store",
          pt: "quantos webhooks concluídos armazenar",
        }),
      )
        .argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER))
        .env("PIX_SANDBOX_KEEP_DELIVERIES")
        .default(10_000),
    )
    .addOption(
      serveOption(
        `--fixtures ${arg("file")}`,
        localize({
          en: "a JSON file of initial payins, payouts and faults; repeatable",
          pt: "um arquivo JSON com payins, payouts e falhas iniciais; pode se repetir",
        }),
      )
        .argParser(collect)
        .env("PIX_SANDBOX_FIXTURES"),
    )
    .addOption(
      serveOption(
        `--seed ${arg("text")}`,
        localize({
          en: "the same seed gives the same ids, also after a reset; without a seed ids are random",
          pt: "a mesma seed gera os mesmos ids, também depois de um reset; sem seed, os ids são aleatórios",
        }),
      )
        .argParser(someText)
        .env("PIX_SANDBOX_SEED"),
    )
    .addOption(
      serveOption(
        `--clock ${arg("mode")}`,
        localize({ en: "whether time passes by itself", pt: "se o tempo passa sozinho" }),
      )
        .choices(["real", "frozen"])
        .env("PIX_SANDBOX_CLOCK")
        .default("real"),
    )
    .addOption(
      serveOption(
        `--now ${arg("time")}`,
        localize({
          en: "the sandbox's initial time, in ISO 8601",
          pt: "a hora inicial do sandbox, em ISO 8601",
        }),
      ).env("PIX_SANDBOX_NOW"),
    )
    .addOption(assume)
    .addOption(
      serveOption(
        "--explain",
        localize({
          en: "list every assumption that a response depends on in x-sandbox-assumption",
          pt: "lista em x-sandbox-assumption cada premissa de que a resposta depende",
        }),
      ).env("PIX_SANDBOX_EXPLAIN"),
    )
    .addOption(
      serveOption(
        "--magic",
        localize({
          en: `enable the magic values that \`${PROGRAM} magic\` lists`,
          pt: `ativa os valores mágicos que \`${PROGRAM} magic\` lista`,
        }),
      ).env("PIX_SANDBOX_MAGIC"),
    )
    .addOption(
      serveOption(
        "--https",
        localize({
          en: "serve HTTPS with a self-signed certificate",
          pt: "atende por HTTPS com um certificado autoassinado",
        }),
      ).env("PIX_SANDBOX_HTTPS"),
    )
    .addOption(
      serveOption(
        `--tls-cert ${arg("file")}`,
        localize({
          en: "serve HTTPS with this PEM certificate; needs --tls-key",
          pt: "atende por HTTPS com este certificado PEM; exige --tls-key",
        }),
      )
        .argParser(someText)
        .env("PIX_SANDBOX_TLS_CERT"),
    )
    .addOption(
      serveOption(
        `--tls-key ${arg("file")}`,
        localize({
          en: "the private key of the certificate, in PEM",
          pt: "a chave privada do certificado, em PEM",
        }),
      )
        .argParser(someText)
        .env("PIX_SANDBOX_TLS_KEY"),
    )
    .addOption(
      serveOption(
        "--public-url <url>",
        localize({ en: "the base URL in BR Codes", pt: "a URL base nos BR Codes" }),
      ).env("PIX_SANDBOX_PUBLIC_URL"),
    )
    .addOption(
      serveOption(
        `--city ${arg("text")}`,
        localize({
          en: "the city in BR Codes (default: SAO PAULO)",
          pt: "a cidade nos BR Codes (padrão: SAO PAULO)",
        }),
      ).env("PIX_SANDBOX_CITY"),
    )
    .addOption(
      serveOption(
        `--allow-host ${arg("name")}`,
        localize({
          en: "accept this host name too; repeatable",
          pt: "aceita também este nome de host; pode se repetir",
        }),
      )
        .argParser(collect)
        .env("PIX_SANDBOX_ALLOW_HOST"),
    )
    .addOption(
      serveOption(
        `--cors ${arg("origin")}`,
        localize({
          en: "allow pages of this origin to call; repeatable",
          pt: "permite chamadas de páginas desta origem; pode se repetir",
        }),
      )
        .argParser(collect)
        .env("PIX_SANDBOX_CORS"),
    )
    .addOption(
      serveOption(
        `--webhook-allow ${arg("where")}`,
        localize({
          en: "send webhooks only to this machine",
          pt: "envia webhooks só para esta máquina",
        }),
      )
        .choices(["loopback"])
        .env("PIX_SANDBOX_WEBHOOK_ALLOW"),
    )
    .addOption(
      controlTokenOption({
        en: "protect /_sandbox: its calls need this token, its pages a sign-in",
        pt: "protege /_sandbox: as chamadas exigem este token, e as páginas um login",
      }),
    )
    .addOption(
      serveOption(
        "--open-control",
        localize({
          en: "allow a PostgreSQL state and other machines without a control token",
          pt: "permite estado no PostgreSQL e outras máquinas sem token de controle",
        }),
      ).env("PIX_SANDBOX_OPEN_CONTROL"),
    )
    .addOption(
      serveOption(
        "--standby-forward",
        localize({
          en: "as a standby, pass calls on to the leader",
          pt: "como standby, repassa as chamadas ao líder",
        }),
      ).env("PIX_SANDBOX_STANDBY_FORWARD"),
    )
    .addOption(
      serveOption(
        "--advertise <url>",
        localize({
          en: "the URL at which the other processes of a PostgreSQL state reach this one",
          pt: "a URL em que os outros processos de um estado no PostgreSQL alcançam este",
        }),
      ).env("PIX_SANDBOX_ADVERTISE"),
    )
    .addOption(
      serveOption(
        `--ready-file ${arg("file")}`,
        localize({
          en: "write the ready object to this file when the port is open",
          pt: "grava o objeto ready neste arquivo quando a porta está aberta",
        }),
      )
        .argParser(someText)
        .env("PIX_SANDBOX_READY_FILE"),
    )
    .addOption(
      serveOption(
        `--log ${arg("what")}`,
        localize({
          en: `what to print as it happens: all, calls, webhooks or none (default: ${standard.log}; with --json: none)`,
          pt: `o que imprimir quando acontece: all, calls, webhooks ou none (padrão: ${standard.log}; com --json: none)`,
        }),
      )
        .choices(LOGS)
        .env("PIX_SANDBOX_LOG"),
    )
    .addOption(
      serveOption(
        "-q, --quiet",
        localize({
          en: "print no banner and no log",
          pt: "não imprime a apresentação nem o log",
        }),
      ).env("PIX_SANDBOX_QUIET"),
    )
    .addOption(jsonOption());
}

/** Declares an option of `serve`. Only one that {@link ServeOptions} has compiles. */
export function serveOption<const Flags extends string>(
  flags: Flags & (NameIn<Flags> extends keyof ServeOptions ? unknown : never),
  description: string,
): Option {
  return new Option(flags, description);
}

/** The name of an option by its flags: `publicUrl` for `--public-url <url>`. */
type NameIn<Flags> = Flags extends `${string}--${infer Long}`
  ? CamelCase<Long extends `${infer Word} ${string}` ? Word : Long>
  : never;
type CamelCase<Text> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Text;

/** The variable that sets `--assume`. */
export const ASSUME_VARIABLE = "PIX_SANDBOX_ASSUME";

function assumeOption(): Option {
  return new Option(
    `--assume ${arg("name=choice")}`,
    localize({
      en: "select an assumption's choice; repeatable",
      pt: "define a escolha de uma premissa; pode se repetir",
    }),
  )
    .argParser(collect)
    .env(ASSUME_VARIABLE);
}

/** The values in the variable of a repeatable option. */
export function splitVariable(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** Splits the variables of repeatable options at commas. */
function partVariables(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    if (option.parseArg !== collect || command.getOptionValueSource(name) !== "env") continue;
    const values = (command.getOptionValue(name) as string[]).flatMap(splitVariable);
    command.setOptionValueWithSource(name, values, "env");
  }
}

/** The config file that `--config` or its variable names, or else the default one if it exists. */
export function configFileOf(command: Command, io: Io): string | undefined {
  const { config } = command.opts<ServeOptions>();
  return config ?? (existsSync(pathIn(io, CONFIG_FILE)) ? CONFIG_FILE : undefined);
}

/**
 * Applies the config file to options that neither a flag nor the environment sets.
 * @throws CliError for an unreadable or invalid file.
 */
export async function applyConfig(file: string, command: Command, io: Io): Promise<Config> {
  const { readConfig } = await import("../config.ts");
  const config = await readConfig(file, command, io);
  const isSet = (option: string): boolean =>
    ["cli", "env"].includes(command.getOptionValueSourceWithGlobals(option) ?? "");
  for (const [option, value] of Object.entries(config.options)) {
    // A given state file overrides `memory` of the config file.
    if (!isSet(option) && !(option === "memory" && isSet("state")))
      command.setOptionValueWithSource(option, value, "config");
  }
  const { lang } = config.options;
  if (lang !== undefined && !isSet("lang")) setLanguage(lang as Language);
  return config;
}

/** A started gateway and its options. */
export interface Started {
  readonly sandbox: Sandbox;
  readonly options: ServeOptions;
  readonly stateFile: string | undefined;
}

/** Everything that a start needs, from the command line, the environment and the config file. */
export interface Prepared {
  readonly options: ServeOptions;
  readonly sandboxOptions: PassedOn & Pick<SandboxOptions, "credentials">;
  readonly stateFile: string | undefined;
  /** The folder of the default state file. */
  readonly ownFolder: string | undefined;
  readonly nameOf: NameOf;
  readonly report: (text: LocalizedText) => void;
}

/**
 * Starts a gateway with the options of the command line, the environment and the config file. With a state that
 * several processes share, it waits until this one leads.
 * @param assume pairs `NAME=CHOICE` instead of those of the command's `--assume`
 * @throws CliError if it cannot start.
 */
export async function startGateway(
  command: Command,
  io: Io,
  assume?: readonly string[],
): Promise<Started> {
  return startPrepared(await prepareStart(command, io, assume), io);
}

/** @throws CliError for options that are invalid or contradict each other. */
async function prepareStart(
  command: Command,
  io: Io,
  assume?: readonly string[],
): Promise<Prepared> {
  partVariables(command);
  const file = configFileOf(command, io);
  const config = file === undefined ? undefined : await applyConfig(file, command, io);
  const nameOf: NameOf = (option, flag) =>
    command.getOptionValueSource(option) === "config"
      ? localize({
          en: `${flag.slice(2).replaceAll("-", "_")} in ${file}`,
          pt: `${flag.slice(2).replaceAll("-", "_")} em ${file}`,
        })
      : flag;
  const options = command.opts<ServeOptions>();
  refuseTwoStates(command);
  const stateFile = stateOf(command);
  const report = (text: LocalizedText): void =>
    io.printError(toSafeText(`pix-sandbox: ${localize(text)}`));
  const read = readOptions(options, nameOf);
  const assumptions = readAssumptions(assume ?? options.assume ?? []);
  const ownFolder =
    stateFile !== undefined && command.getOptionValueSource("state") === "default"
      ? path.dirname(pathIn(io, stateFile))
      : undefined;
  return {
    options,
    sandboxOptions: {
      ...read,
      stateFile: stateFile && isFile(stateFile) ? pathIn(io, stateFile) : stateFile,
      fixtures: options.fixtures?.map((fixture) => pathIn(io, fixture)),
      tlsCert: options.tlsCert === undefined ? undefined : pathIn(io, options.tlsCert),
      tlsKey: options.tlsKey === undefined ? undefined : pathIn(io, options.tlsKey),
      assumptions: { ...config?.assumptions, ...assumptions },
      credentials: config?.credentials,
    },
    stateFile,
    ownFolder,
    nameOf,
    report,
  };
}

async function startPrepared(prepared: Prepared, io: Io): Promise<Started> {
  const { options, sandboxOptions, stateFile, ownFolder, report } = prepared;
  const isNewFolder = ownFolder !== undefined && !existsSync(ownFolder);
  const label = stateFile
    ? localize({ en: `Opening ${labelOf(stateFile)}`, pt: `Abrindo ${labelOf(stateFile)}` })
    : localize({ en: "Starting", pt: "Iniciando" });
  const isSilent = options.json === true || options.quiet === true;
  const sandbox = await withProgress(io, { label: toSafeLine(label), isSilent }, async () => {
    const { startSandbox } = await import("../../server/start.ts");
    return startSandbox(sandboxOptions, report).catch((error: unknown) =>
      toStartError(error, prepared),
    );
  });
  // The folder is nothing to commit. A sandbox runs without the file too.
  if (isNewFolder)
    await writeFile(path.join(ownFolder, ".gitignore"), "*\n", { flag: "wx" }).catch(
      () => undefined,
    );
  await warnOfNetwork(sandbox, options, io);
  return { sandbox, options, stateFile };
}

/** Warns if other machines can reach the sandbox. */
export async function warnOfNetwork(
  { url, port }: Pick<Sandbox, "url" | "port">,
  { host, controlToken }: ServeOptions,
  io: Io,
): Promise<void> {
  // The server listens already, so the name can be resolved.
  const [address = host] = await addressesOf(host).catch(() => []);
  if (isLoopback(address)) return;
  const addresses = address === "0.0.0.0" || address === "::" ? networkAddresses(address) : [];
  const { protocol } = new URL(url);
  const urls = addresses.map((each) => `${protocol}//${each}:${port}`);
  io.printError(
    localize({
      en: `Open to the network: ${(urls.length > 0 ? urls : [url]).join(", ")}`,
      pt: `Aberto para a rede: ${(urls.length > 0 ? urls : [url]).join(", ")}`,
    }),
  );
  if (controlToken !== undefined) return;
  io.printError(
    io.errorColor.yellow(
      localize({
        en: "Warning: anyone who can reach this address can read all data, including the secret, and control the sandbox. To prevent it, set --control-token, or remove --host to accept local connections only.",
        pt: "Aviso: quem acessar este endereço pode ler todos os dados, inclusive o segredo, e controlar o sandbox. Para impedir isso, defina --control-token, ou remova --host para aceitar só conexões locais.",
      }),
    ),
  );
}

/** @throws CliError if flags select both a state file and none. */
function refuseTwoStates(command: Command): void {
  const isFlag = (option: string) => command.getOptionValueSource(option) === "cli";
  if (!isFlag("memory") || !isFlag("state")) return;
  throw usageError(
    localize({
      en: "--memory and --state contradict each other.",
      pt: "--memory e --state se contradizem.",
    }),
    localize({
      en: "Use --state to store the records in a file, or --memory to store nothing.",
      pt: "Use --state para gravar os registros em um arquivo, ou --memory para não gravar nada.",
    }),
  );
}

/** The state to open; undefined for memory. A given state file overrides `memory` if that is only the default. */
export function stateOf(command: Command): string | undefined {
  const { state, memory = false } = command.opts<ServeOptions>();
  const isStandard = (option: string) => command.getOptionValueSource(option) === "default";
  return memory && (isStandard("state") || !isStandard("memory")) ? undefined : state;
}

async function serve({ sandbox, options, stateFile }: Started, io: Io): Promise<void> {
  // The signal handler comes first: a reader of the ready line can stop the sandbox at once.
  const stopped = untilStopped(sandbox, options.quiet === true || options.json === true, io);
  await using _ = await writeReadyFile({ sandbox, options, stateFile }, io);
  if (options.json) io.printJson(toReady(sandbox, stateFile, io));
  else if (!options.quiet) io.printError(renderBanner(sandbox, stateFile, io));
  const isJson = options.json === true;
  const log = options.log ?? (isJson || options.quiet ? "none" : "all");
  startLog(sandbox, { log, isJson }, io);
  if (options.open) await openBrowser(inspectorUrl(sandbox), io);
  await stopped;
}

/**
 * Writes the ready file. Disposing of the result removes it, unless another process has written it.
 * @throws CliError if it cannot be written, after stopping the sandbox.
 */
export async function writeReadyFile(
  { sandbox, options, stateFile }: Started,
  io: Io,
): Promise<AsyncDisposable> {
  return writeReady(toReady(sandbox, stateFile, io), { file: options.readyFile, sandbox, io });
}

/** Writes the ready object of something that listens, see `writeReadyFile`. */
export async function writeReady(
  ready: object,
  { file, sandbox, io }: { file: string | undefined; sandbox: Pick<Sandbox, "close">; io: Io },
): Promise<AsyncDisposable> {
  const readyFile = file === undefined ? undefined : pathIn(io, file);
  const text = `${JSON.stringify(ready)}\n`;
  if (readyFile !== undefined) {
    await writeSecretFile(readyFile, text).catch(async (error: Error) => {
      await sandbox.close();
      throw usageError(
        localize({
          en: `Cannot write --ready-file: ${error.message}.`,
          pt: `Não foi possível gravar --ready-file: ${error.message}.`,
        }),
        localize({
          en: "Use a file in an existing folder.",
          pt: "Use um arquivo em uma pasta existente.",
        }),
      );
    });
  }
  return {
    async [Symbol.asyncDispose]() {
      if (readyFile === undefined) return;
      const current = await readFile(readyFile, "utf8").catch(() => undefined);
      // The stop succeeds even if the file cannot be removed.
      if (current === text) await rm(readyFile, { force: true }).catch(() => undefined);
    },
  };
}

/** An option's name in messages: the flag, or the member of the config file that sets it. */
type NameOf = (option: string, flag: string) => string;

/** The options that a command uses itself. */
type OwnOption = "config" | "memory" | "readyFile" | "open" | "log" | "quiet" | "json";

/** The options that have another name as a sandbox's. */
interface Renamed {
  readonly state: "stateFile";
  readonly assume: "assumptions";
  readonly allowHost: "allowHosts";
  readonly cors: "corsOrigins";
}
type SandboxName<Name> = Name extends keyof Renamed ? Renamed[Name] : Name;

/** What a command passes on to its sandbox: each other option. One that is left out does not compile. */
type PassedOn = {
  readonly [
    Name in Exclude<keyof ServeOptions, OwnOption> as SandboxName<Name>
  ]: SandboxOptions[SandboxName<Name> & keyof SandboxOptions];
};

/** The options that depend on the working directory or on the config file. */
type PlacedOption = "stateFile" | "fixtures" | "tlsCert" | "tlsKey" | "assumptions";

function readOptions(options: ServeOptions, nameOf: NameOf): Omit<PassedOn, PlacedOption> {
  const { now, publicUrl, city, advertise } = options;
  if (now !== undefined && !isStartTime(now))
    throw invalidValue(nameOf("now", "--now"), now, {
      en: "Use a time such as 2026-11-21T12:00:00Z, before the year 9000.",
      pt: "Use um instante como 2026-11-21T12:00:00Z, antes do ano 9000.",
    });
  if (publicUrl !== undefined && !isPublicUrl(publicUrl))
    throw invalidValue(nameOf("publicUrl", "--public-url"), publicUrl, {
      en: "Use a URL without a query, such as https://pix.example.com.",
      pt: "Use uma URL sem parâmetros de consulta, como https://pix.example.com.",
    });
  if (city !== undefined && !isCity(city))
    throw invalidValue(nameOf("city", "--city"), city, {
      en: "A BR Code cannot contain any of these characters. Use Latin letters, such as Recife.",
      pt: "Um BR Code não aceita nenhum desses caracteres. Use letras latinas, como Recife.",
    });
  if (advertise !== undefined && !isHttpOrigin(advertise))
    throw invalidValue(nameOf("advertise", "--advertise"), advertise, {
      en: "Use a URL without a path, such as http://10.0.0.5:7490.",
      pt: "Use uma URL sem caminho, como http://10.0.0.5:7490.",
    });
  refuseHalfCertificate(options, nameOf);
  return {
    host: options.host,
    port: options.port,
    durability: options.durability,
    strictState: options.strictState,
    keepRequests: options.keepRequests,
    keepDeliveries: options.keepDeliveries,
    seed: options.seed,
    clock: options.clock,
    now,
    explain: options.explain,
    magic: options.magic,
    https: options.https,
    publicUrl,
    city,
    allowHosts: options.allowHost,
    webhookAllow: options.webhookAllow,
    controlToken: options.controlToken,
    openControl: options.openControl,
    standbyForward: options.standbyForward,
    advertise,
    corsOrigins: options.cors?.map((text) => readOrigin(text, nameOf("cors", "--cors"))),
  };
}

function refuseHalfCertificate(options: ServeOptions, nameOf: NameOf): void {
  const lone = loneCertificateFile(options);
  if (lone === undefined) return;
  const names = [nameOf("tlsCert", "--tls-cert"), nameOf("tlsKey", "--tls-key")] as const;
  const [given, missing] = lone === "tlsCert" ? names : names.toReversed();
  throw usageError(
    localize({
      en: `${given} also needs ${missing}.`,
      pt: `${given} exige também ${missing}.`,
    }),
    localize({
      en: "Pass the certificate and its key, or --https for a self-signed certificate.",
      pt: "Passe o certificado e a chave dele, ou --https para um certificado autoassinado.",
    }),
  );
}

function readOrigin(text: string, name: string): string {
  const origin = toOrigin(text);
  if (origin !== undefined) return origin;
  throw invalidValue(name, text, {
    en: "Use an origin without a path, such as http://localhost:5173.",
    pt: "Use uma origem sem caminho, como http://localhost:5173.",
  });
}

function invalidValue(name: string, value: string, hint: LocalizedText): CliError {
  return usageError(
    localize({
      en: `Invalid ${name} ${JSON.stringify(value)}.`,
      pt: `Valor inválido em ${name}: ${JSON.stringify(value)}.`,
    }),
    localize(hint),
  );
}

function readAssumptions(pairs: readonly string[]): AssumptionChanges {
  const changes: Record<string, string | number> = {};
  for (const pair of pairs) {
    const [, name = pair, choice = ""] = /^([^=]*)=(.*)$/.exec(pair) ?? [];
    const read = readChoice(name, choice);
    if ("refusal" in read) throw usageError(`--assume ${pair}: ${localize(read.refusal)}`);
    changes[name] = read.choice;
  }
  return changes;
}

/** The codes of system errors about the host or a port that needs privileges. */
const CANNOT_LISTEN = new Set(["EADDRNOTAVAIL", "EACCES", "ENOTFOUND", "EAI_AGAIN"]);

/** Throws an error of a start as a CliError, and other errors unchanged. */
export async function toStartError(
  error: unknown,
  { options: { port, host }, nameOf }: Prepared,
): Promise<never> {
  const { FixtureError, NoCredentialsError, OptionError, PublicUrlError, UnusableOptionError } =
    await import("../../server/options/errors.ts");
  const { toStateError } = await import("../state-errors.ts");
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") {
    throw new CliError(
      EXIT.inUse,
      "PORT_TAKEN",
      localize({
        en: `Port ${port} of ${host} is in use.`,
        pt: `A porta ${port} de ${host} está em uso.`,
      }),
      localize({
        en: "Choose another port with --port, or a free one with --port 0.",
        pt: "Escolha outra porta com --port, ou uma livre com --port 0.",
      }),
    );
  }
  if (CANNOT_LISTEN.has(code ?? "")) {
    throw new CliError(
      EXIT.inUse,
      "CANNOT_LISTEN",
      localize({
        en: `Cannot listen on port ${port} of ${host} (${code}).`,
        pt: `Não foi possível escutar na porta ${port} de ${host} (${code}).`,
      }),
      localize({
        en: "Choose another port or host with --port or --host.",
        pt: "Escolha outra porta ou outro host com --port ou --host.",
      }),
    );
  }
  if (error instanceof FixtureError)
    throw usageError(
      localize(error.text),
      localize({
        en: "A fixtures file contains payins, payouts and faults, each in the form that its route accepts.",
        pt: "Um arquivo de fixtures contém payins, payouts e faults, cada um na forma que a rota dele aceita.",
      }),
    );
  if (error instanceof UnusableOptionError) throw unusableOption(error, nameOf);
  if (error instanceof OptionError) throw usageError(textOf(error));
  if (error instanceof PublicUrlError)
    throw usageError(`${nameOf("publicUrl", "--public-url")}: ${textOf(error)}`);
  if (error instanceof NoCredentialsError)
    throw Object.assign(
      usageError(
        textOf(error),
        localize({
          en: "Add credentials to the config file, or remove --assume credentials=listed.",
          pt: "Adicione credentials ao arquivo de configuração, ou remova --assume credentials=listed.",
        }),
      ),
      { cause: error },
    );
  return toStateError(error);
}

/** The flag of each option that may be unusable. */
const FLAGS = {
  stateFile: { option: "state", flag: "--state" },
  tlsCert: { option: "tlsCert", flag: "--tls-cert" },
  tlsKey: { option: "tlsKey", flag: "--tls-key" },
} as const;

function unusableOption({ option, reason }: UnusableOptionError, nameOf: NameOf): CliError {
  if (option !== "controlToken") {
    const { option: name, flag } = FLAGS[option];
    return usageError(`${nameOf(name, flag)}: ${localize(reason)}`);
  }
  return usageError(
    localize(reason),
    localize({
      en: "Set --control-token or PIX_SANDBOX_CONTROL_TOKEN, or remove --host to accept local connections only. If everyone in the network may read and change all data, pass --open-control.",
      pt: "Defina --control-token ou PIX_SANDBOX_CONTROL_TOKEN, ou remova --host para aceitar só conexões locais. Se qualquer um na rede pode ler e mudar todos os dados, passe --open-control.",
    }),
  );
}

/** The address of the inspector. */
export function inspectorUrl({ url }: Pick<Sandbox, "url">): string {
  return `${url}/_sandbox/`;
}

export function toReady(
  sandbox: Pick<Sandbox, "url" | "baseUrl" | "port"> & Record<"seed" | "secret", string | null>,
  stateFile: string | undefined,
  { cwd }: Io,
) {
  return {
    type: "ready",
    url: sandbox.url,
    base_url: sandbox.baseUrl,
    inspector_url: inspectorUrl(sandbox),
    port: sandbox.port,
    pid: process.pid,
    version: VERSION,
    state_file: stateFile === undefined ? null : placeOf(stateFile, cwd),
    seed: sandbox.seed,
    secret: sandbox.secret,
  };
}

export function renderBanner(
  sandbox: Sandbox,
  stateFile: string | undefined,
  { errorColor: color }: Io,
): string {
  const { payins, payouts } = sandbox.count();
  const state =
    stateFile === undefined
      ? localize({ en: "in memory", pt: "em memória" })
      : `${labelOf(stateFile)}   ${localize({ en: `${payins} payins, ${payouts} payouts`, pt: `payins: ${payins}, payouts: ${payouts}` })}`;
  const line = (name: string, value: string): string =>
    `  ${color.dim(name)}${" ".repeat(11 - name.length)}${value}`;
  return [
    color.bold(`pix-sandbox ${VERSION}`),
    line("API", sandbox.baseUrl),
    line(localize({ en: "Inspector", pt: "Inspetor" }), inspectorUrl(sandbox)),
    line(localize({ en: "State", pt: "Estado" }), toSafeLine(state)),
    line(
      "Seed",
      `${toSafeLine(sandbox.seed)}   ${color.dim(localize({ en: "clock", pt: "relógio" }))} ${sandbox.clock.mode}`,
    ),
    line(localize({ en: "Next", pt: "Agora" }), nextCommand(sandbox)),
    localize({ en: "Ready. Press Ctrl-C to stop.", pt: "Pronto. Ctrl-C para sair." }),
  ].join("\n");
}

/** The command to try next, in another terminal. */
function nextCommand({ url }: Sandbox): string {
  return `${PROGRAM} trigger payin.paid${urlOption(url)}`;
}

/** Writes a file atomically, readable only by its owner. */
async function writeSecretFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    // Writing to an existing file would not change its mode.
    await rm(temporary, { force: true });
    await writeFile(temporary, text, { mode: 0o600, flag: "wx" });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** The first signal stops the sandbox cleanly, a second one at once. */
export async function untilStopped(
  sandbox: Pick<Sandbox, "close">,
  isSilent: boolean,
  io: Io,
): Promise<void> {
  let firstAt: number | undefined;
  await new Promise<void>((resolve, reject) => {
    // The handler stays until the process exits: a second signal can arrive late.
    io.onSignal(() => {
      if (firstAt !== undefined) {
        if (performance.now() - firstAt > SAME_SIGNAL_MS)
          reject(interruptedError({ en: "Stopped at once.", pt: "Encerrado imediatamente." }));
        return;
      }
      firstAt = performance.now();
      if (!isSilent) io.printError(localize({ en: "Stopping…", pt: "Encerrando…" }));
      sandbox.close().then(resolve, reject);
    });
    // Without a ready line, its reader would wait forever.
    io.unread.addEventListener("abort", () => {
      if (io.unread.reason instanceof CliError) sandbox.close().then(resolve, reject);
    });
  });
}
