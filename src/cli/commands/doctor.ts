import { type Command, Help, Option } from "commander";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { VERSION } from "../../wire/version.ts";
import { CHECKS, type Finding, findServer } from "../set-up/checks.ts";
import { CliError, EXIT } from "../terminal/errors.ts";
import type { Io } from "../terminal/io.ts";
import { currentLanguage, localize, setLanguage } from "../terminal/language.ts";
import { withExamples } from "../definition/options.ts";
import { servingCommand } from "../serving/command.ts";
import { applyConfig, configFileOf } from "../serving/config-file.ts";
import { readOptions, stateOf } from "../serving/read-options.ts";
import { say } from "../../text/message.ts";

/** The options of `serve` that the help of `doctor` shows. */
const SHOWN = new Set(["port", "host", "https", "state", "memory", "config", "json"]);

interface DoctorOptions {
  readonly url?: string;
  readonly json?: boolean;
}

/** The command has all options of `serve`, because a config file or the environment may set each of them. */
export function doctorCommand(io: Io): Command {
  const command = servingCommand("doctor", "serve");
  for (const option of command.options) if (!SHOWN.has(option.name())) option.hideHelp();
  command
    .addOption(
      new Option(
        "--url <url>",
        localize(say`the sandbox that the commands call (default: the one at this port)`),
      ).env("PIX_SANDBOX_URL"),
    )
    .action(async () => doctor(command, io));
  return withExamples(command, ["doctor", "doctor --port 8080", "doctor --json"]);
}

interface Check extends Finding {
  readonly name: string;
}

async function doctor(command: Command, io: Io): Promise<void> {
  const { json } = command.opts<DoctorOptions>();
  const { url, checks } = await (json ? inEnglish(() => check(command, io)) : check(command, io));
  const problems = checks.filter(({ ok }) => !ok).length;
  if (json)
    io.printJson({
      ok: problems === 0,
      version: VERSION,
      node: process.versions.node,
      url,
      checks,
    });
  else io.print(render(checks, io));
  if (problems === 0) return;
  throw new CliError(EXIT.checkFailed, "PROBLEMS_FOUND", say`Problems found: ${problems}.`);
}

/** JSON is the same in each language. */
async function inEnglish<Result>(run: () => Promise<Result>): Promise<Result> {
  const language = currentLanguage();
  setLanguage("en");
  try {
    return await run();
  } finally {
    setLanguage(language);
  }
}

/** Makes every check. The config file is first: it sets the port, the state and the language. */
async function check(
  command: Command,
  io: Io,
): Promise<{ readonly url: string; readonly checks: readonly Check[] }> {
  const configFile = configFileOf(readOptions(command), io);
  const configError = configFile === undefined ? undefined : await errorOf(configFile, command, io);
  const { url } = command.opts<DoctorOptions>();
  const options = readOptions(command);
  const { port, host, tlsCert, controlToken } = options;
  const https = options.https || tlsCert !== undefined;
  const own = `${https ? "https" : "http"}://${reachable(host)}:${port}`;
  const there =
    port === 0
      ? ({ kind: "none", url: own, reason: "-" } as const)
      : await findServer(own, controlToken);
  const server = url === undefined ? there : await findServer(url, controlToken);
  const isNamed = url !== undefined;
  const state = stateOf(command, options);
  const examined = { io, configFile, configError, port, host, there, server, isNamed, state };
  const checks: Check[] = [];
  for (const [name, run] of Object.entries(CHECKS)) checks.push({ name, ...(await run(examined)) });
  return { url: server.kind === "sandbox" ? server.client.url : server.url, checks };
}

/** Applies the config file. @returns why it is invalid */
async function errorOf(file: string, command: Command, io: Io): Promise<CliError | undefined> {
  const language = currentLanguage();
  try {
    await applyConfig(file, command, io);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return error;
  }
  if (command.opts<DoctorOptions>().json) setLanguage(language);
  return undefined;
}

/** The host by which this machine reaches a server that listens on `host`. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

function render(checks: readonly Check[], io: Io): string {
  const verdicts = {
    ok: "ok",
    problem: localize(say`problem`),
  };
  const verdictWidth = verdicts.problem.length;
  const nameWidth = Math.max(...checks.map(({ name }) => name.length));
  const indent = " ".repeat(verdictWidth + nameWidth + 4);
  const width = (io.columns ?? Number.POSITIVE_INFINITY) - indent.length;
  const wrap = (text: string): string[] => new Help().boxWrap(toSafeLine(text), width).split("\n");
  return checks
    .flatMap(({ name, ok, message, hint }) => {
      const verdict = (ok ? verdicts.ok : verdicts.problem).padEnd(verdictWidth);
      const [first = "", ...rest] = wrap(message);
      return [
        `${(ok ? io.color.green : io.color.red)(verdict)}  ${name.padEnd(nameWidth)}  ${first}`,
        ...rest.map((line) => indent + line),
        ...(hint === null ? [] : wrap(hint).map((line) => indent + io.color.dim(line))),
      ];
    })
    .join("\n");
}
