import { Command, Option } from "commander";
import { VERSION } from "../../wire/names.ts";
import { CliCommand } from "../definition/command.ts";
import type { CommandBuilder } from "../definition/define-command.ts";
import { type Example, HELP } from "../definition/help.ts";
import { hintForLeft } from "./left.ts";
import type { Io } from "../terminal/io.ts";
import { inLanguage, type Language, localize } from "../terminal/language.ts";
import { commonOptions, connectionOptions, withExamples } from "../definition/options.ts";
import { applyVariables } from "../definition/reading.ts";
import { type Message, say } from "../../text/message.ts";

/** A top-level command. Its module is loaded only to run it, to show its own help, or for `mcp`. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: Message;
  load(): Promise<CommandBuilder>;
}

/** How many commands the help begins with: those of the first day. */
const FIRST_DAY = 6;

/** The commands by their names, in the order of the help. */
const TABLE: Readonly<Record<string, Omit<CommandEntry, "name">>> = {
  serve: {
    summary: say`start the gateway`,
    load: async () => (await import("../commands/serve.ts")).serveCommand,
  },
  trigger: {
    summary: say`cause an event, and show its webhook and the response`,
    load: async () => (await import("../commands/trigger.ts")).triggerCommand,
  },
  payin: {
    summary: say`create, list, pay, cancel and expire payins (charges)`,
    load: async () => (await import("../commands/payin.ts")).payinCommand,
  },
  webhooks: {
    summary: say`watch, list, resend and verify webhooks`,
    load: async () => (await import("../commands/webhooks.ts")).webhooksCommand,
  },
  exec: {
    summary: say`run a command with its own sandbox; exit with its exit code`,
    load: async () => (await import("../commands/exec.ts")).execCommand,
  },
  "check-webhook": {
    summary: say`send a handler valid and forged webhooks, and judge it`,
    load: async () => (await import("../commands/check-webhook.ts")).checkWebhookCommand,
  },
  demo: {
    summary: say`start the gateway and a small shop`,
    load: async () => (await import("../commands/demo.ts")).demoCommand,
  },
  payout: {
    summary: say`create, list and settle payouts`,
    load: async () => (await import("../commands/payout.ts")).payoutCommand,
  },
  pay: {
    summary: say`pay a payin by its BR Code, a picture of the code, or its id`,
    load: async () => (await import("../commands/pay.ts")).payCommand,
  },
  qr: {
    summary: say`draw a payin's QR code, or write it to a file`,
    load: async () => (await import("../commands/qr.ts")).qrCommand,
  },
  decode: {
    summary: say`explain each field of a BR Code, and name the wrong one`,
    load: async () => (await import("../commands/decode.ts")).decodeCommand,
  },
  simulate: {
    summary: say`move a payin or payout to a final status, as in staging`,
    load: async () => (await import("../commands/simulate.ts")).simulateCommand,
  },
  wait: {
    summary: say`wait until a webhook is delivered`,
    load: async () => (await import("../commands/wait.ts")).waitCommand,
  },
  requests: {
    summary: say`list the gateway's newest requests and their results`,
    load: async () => (await import("../commands/requests.ts")).requestsCommand,
  },
  clock: {
    summary: say`show and move the sandbox's time`,
    load: async () => (await import("../commands/clock.ts")).clockCommand,
  },
  faults: {
    summary: say`inject faults, list them and remove them`,
    load: async () => (await import("../commands/faults.ts")).faultsCommand,
  },
  snapshot: {
    summary: say`save the records under a name, and restore them`,
    load: async () => (await import("../commands/snapshot.ts")).snapshotCommand,
  },
  reset: {
    summary: say`delete all records and pending webhooks`,
    load: async () => (await import("../commands/reset.ts")).resetCommand,
  },
  trace: {
    summary: say`write what happened to one HTML file`,
    load: async () => (await import("../commands/trace.ts")).traceCommand,
  },
  magic: {
    summary: say`list the magic values of \`serve --magic\``,
    load: async () => (await import("../commands/magic.ts")).magicCommand,
  },
  report: {
    summary: say`judge the integration by what it has done`,
    load: async () => (await import("../commands/report.ts")).reportCommand,
  },
  assumptions: {
    summary: say`list the choices for the gaps in the specification`,
    load: async () => (await import("../commands/assumptions.ts")).assumptionsCommand,
  },
  probe: {
    summary: say`find out what a staging gateway does, assumption by assumption`,
    load: async () => (await import("../commands/probe.ts")).probeCommand,
  },
  record: {
    summary: say`record your calls to a staging gateway`,
    load: async () => (await import("../commands/record.ts")).recordCommand,
  },
  drift: {
    summary: say`show what the sandbox does otherwise than a recording`,
    load: async () => (await import("../commands/drift.ts")).driftCommand,
  },
  init: {
    summary: say`set up a project: config file, .gitignore, a first test`,
    load: async () => (await import("../commands/init.ts")).initCommand,
  },
  env: {
    summary: say`print the environment variables of a sandbox`,
    load: async () => (await import("../commands/env.ts")).envCommand,
  },
  secret: {
    summary: say`print the secret that signs the webhooks`,
    load: async () => (await import("../commands/secret.ts")).secretCommand,
  },
  openapi: {
    summary: say`print the OpenAPI 3.1 document of every route`,
    load: async () => (await import("../commands/openapi.ts")).openapiCommand,
  },
  ready: {
    summary: say`show whether a sandbox is ready, and its settings`,
    load: async () => (await import("../commands/ready.ts")).readyCommand,
  },
  state: {
    summary: say`copy a state that is not in use`,
    load: async () => (await import("../commands/state.ts")).stateCommand,
  },
  mcp: {
    summary: say`serve the sandbox's tools to a coding agent (MCP)`,
    load: async () => (await import("../commands/mcp.ts")).mcpCommand,
  },
};

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = Object.entries(TABLE).map(([name, entry]) => ({
  name,
  ...entry,
}));

/** The program for one command line: only the command that it names is loaded. */
export async function createProgram(
  args: readonly string[],
  isJson: boolean,
  io: Io,
): Promise<Command> {
  const [name] = wordsOf(args);
  const called = COMMANDS.find((entry) => entry.name === name);
  const build = await called?.load();
  // An option before the command can be --help, which lists all commands.
  const entries = called && args[0] === name ? [called] : COMMANDS;
  return assemble(isJson, io, entries, (entry) => (entry === called ? build : undefined));
}

/** The program with every command loaded, in one language. */
export async function createFullProgram(language: Language, io: Io): Promise<Command> {
  const builders = new Map<CommandEntry, CommandBuilder>();
  for (const entry of COMMANDS) builders.set(entry, await entry.load());
  return inLanguage(language, () => assemble(true, io, COMMANDS, (entry) => builders.get(entry)));
}

function assemble(
  isJson: boolean,
  io: Io,
  entries: readonly CommandEntry[],
  builderOf: (entry: CommandEntry) => CommandBuilder | undefined,
): CliCommand {
  const program = new CliCommand("pix-sandbox")
    .description(localize(say`A Pix instant-payment gateway that runs on your own machine.`))
    .version(VERSION, "-V, --version", localize(say`print the version`))
    .helpOption("-h, --help", localize(say`print help`))
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.print(text.replace(/\n$/, "")),
      // With --json, stderr has one JSON object only.
      writeErr: (text) => isJson || io.printError(text.replace(/\n$/, "")),
    })
    .configureHelp(HELP);
  program.hintForLeft = hintForLeft;
  withExamples(program, EXAMPLES);
  const built = entries.map((entry, place) => {
    const command = builderOf(entry)?.(io) ?? new CliCommand(entry.name);
    command.helpGroup(localize(place < FIRST_DAY ? say`First day:` : say`More commands:`));
    program.addCommand(command.description(localize(entry.summary)));
    return command;
  });
  const called = built.filter((_, place) => entries[place] && builderOf(entries[place]));
  for (const option of optionsFor(called)) program.addOption(option);
  program.hook("preAction", (_, command) => {
    for (const one of [program, command]) applyVariables(one, io.env);
  });
  inheritSettings(program);
  return program;
}

/** The common options that the called command takes; all for the help, which calls none. */
function optionsFor(called: readonly Command[]): Option[] {
  const all = called.flatMap(withSubcommands);
  const own = new Set(all.flatMap(({ options }) => options.map(({ long }) => long)));
  const isLocal = called.length > 0 && !all.some((one) => (one as CliCommand).needsSandbox);
  const common = [...commonOptions(), ...(isLocal ? [] : connectionOptions())];
  return common.filter(({ long }) => called.length > 1 || !own.has(long));
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

/**
 * The words of a command line that are neither an option nor the value of a common one, up to the first option of a
 * command.
 */
export function wordsOf(args: readonly string[]): readonly string[] {
  const reader = new Command();
  for (const { long = "", required } of [...commonOptions(), ...connectionOptions()])
    // A missing value is refused later.
    reader.addOption(new Option(required ? `${long} [value]` : long));
  return reader.parseOptions([...args]).operands;
}

const EXAMPLES: readonly Example[] = [
  ["trigger payin.paid", say`cause a payment and show its webhook`],
];

/** Commands added with `addCommand` do not inherit how their parent prints and exits. */
function inheritSettings(command: Command): void {
  for (const child of command.commands) {
    child.copyInheritedSettings(command).helpCommand(false);
    inheritSettings(child);
  }
}
