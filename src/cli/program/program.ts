import type { Command } from "commander";
import { VERSION } from "../../wire/version.ts";
import { firstWord } from "./arguments.ts";
import { CliCommand } from "../definition/command.ts";
import type { CommandBuilder } from "../definition/define-command.ts";
import { addFullHelp, type Example, HELP } from "../definition/help.ts";
import { hintForLeft } from "./left.ts";
import type { Io } from "../terminal/io.ts";
import { inLanguage, type Language, localize } from "../terminal/language.ts";
import { connectionOptions, langOption, withExamples } from "../definition/options.ts";
import { type Message, say } from "../../text/message.ts";

/** What people do, in the order of the help. */
const TASKS = {
  start: say.for("task")`Start`,
  pay: say.for("task")`Pay`,
  watch: say.for("task")`Watch`,
  test: say.for("task")`Test`,
  judge: say.for("task")`Judge`,
  setUp: say.for("task")`Set up`,
  operate: say.for("task")`Operate`,
} satisfies Record<string, Message>;

/** A top-level command. Its module is loaded only to run it, to show its own help, or for `mcp`. */
export interface CommandEntry {
  readonly name: string;
  /** The task that it belongs to: a part of the help. */
  readonly group: keyof typeof TASKS;
  readonly summary: Message;
  load(): Promise<CommandBuilder>;
}

/** The commands by their names, in the order of the help. */
const TABLE: Readonly<Record<string, Omit<CommandEntry, "name">>> = {
  serve: {
    group: "start",
    summary: say`start the gateway`,
    load: async () => (await import("../commands/serve.ts")).serveCommand,
  },
  demo: {
    group: "start",
    summary: say`start the gateway and a small shop`,
    load: async () => (await import("../commands/demo.ts")).demoCommand,
  },
  payin: {
    group: "pay",
    summary: say`create, list, pay, cancel and expire payins (charges)`,
    load: async () => (await import("../commands/payin.ts")).payinCommand,
  },
  payout: {
    group: "pay",
    summary: say`create, list and settle payouts`,
    load: async () => (await import("../commands/payout.ts")).payoutCommand,
  },
  trigger: {
    group: "pay",
    summary: say`cause an event, and show its webhook and the response`,
    load: async () => (await import("../commands/trigger.ts")).triggerCommand,
  },
  pay: {
    group: "pay",
    summary: say`pay a payin by its BR Code, a picture of the code, or its id`,
    load: async () => (await import("../commands/pay.ts")).payCommand,
  },
  qr: {
    group: "pay",
    summary: say`draw a payin's QR code, or write it to a file`,
    load: async () => (await import("../commands/qr.ts")).qrCommand,
  },
  decode: {
    group: "pay",
    summary: say`explain each field of a BR Code, and name the wrong one`,
    load: async () => (await import("../commands/decode.ts")).decodeCommand,
  },
  simulate: {
    group: "pay",
    summary: say`move a payin or payout to a final status, as in staging`,
    load: async () => (await import("../commands/simulate.ts")).simulateCommand,
  },
  webhooks: {
    group: "watch",
    summary: say`watch, list, resend and verify webhooks`,
    load: async () => (await import("../commands/webhooks.ts")).webhooksCommand,
  },
  wait: {
    group: "watch",
    summary: say`wait until a webhook is delivered`,
    load: async () => (await import("../commands/wait.ts")).waitCommand,
  },
  requests: {
    group: "watch",
    summary: say`list the gateway's newest requests and their results`,
    load: async () => (await import("../commands/requests.ts")).requestsCommand,
  },
  exec: {
    group: "test",
    summary: say`run a command with its own sandbox; exit with its exit code`,
    load: async () => (await import("../commands/exec.ts")).execCommand,
  },
  clock: {
    group: "test",
    summary: say`show and move the sandbox's time`,
    load: async () => (await import("../commands/clock.ts")).clockCommand,
  },
  faults: {
    group: "test",
    summary: say`inject faults, list them and remove them`,
    load: async () => (await import("../commands/faults.ts")).faultsCommand,
  },
  snapshot: {
    group: "test",
    summary: say`save the records under a name, and restore them`,
    load: async () => (await import("../commands/snapshot.ts")).snapshotCommand,
  },
  reset: {
    group: "test",
    summary: say`delete all records and pending webhooks`,
    load: async () => (await import("../commands/reset.ts")).resetCommand,
  },
  trace: {
    group: "test",
    summary: say`write what happened to one HTML file`,
    load: async () => (await import("../commands/trace.ts")).traceCommand,
  },
  magic: {
    group: "test",
    summary: say`list the magic values of \`serve --magic\``,
    load: async () => (await import("../commands/magic.ts")).magicCommand,
  },
  report: {
    group: "judge",
    summary: say`judge the integration by what it has done`,
    load: async () => (await import("../commands/report.ts")).reportCommand,
  },
  "check-webhook": {
    group: "judge",
    summary: say`send a handler valid and forged webhooks, and judge it`,
    load: async () => (await import("../commands/check-webhook.ts")).checkWebhookCommand,
  },
  assumptions: {
    group: "judge",
    summary: say`list the choices for the gaps in the specification`,
    load: async () => (await import("../commands/assumptions.ts")).assumptionsCommand,
  },
  probe: {
    group: "judge",
    summary: say`find out what a staging gateway does, assumption by assumption`,
    load: async () => (await import("../commands/probe.ts")).probeCommand,
  },
  record: {
    group: "judge",
    summary: say`record your calls to a staging gateway`,
    load: async () => (await import("../commands/record.ts")).recordCommand,
  },
  drift: {
    group: "judge",
    summary: say`show what the sandbox does otherwise than a recording`,
    load: async () => (await import("../commands/drift.ts")).driftCommand,
  },
  init: {
    group: "setUp",
    summary: say`set up a project: config file, .gitignore, test framework`,
    load: async () => (await import("../commands/init.ts")).initCommand,
  },
  env: {
    group: "setUp",
    summary: say`print the environment variables of a sandbox`,
    load: async () => (await import("../commands/env.ts")).envCommand,
  },
  secret: {
    group: "setUp",
    summary: say`print the secret that signs the webhooks`,
    load: async () => (await import("../commands/secret.ts")).secretCommand,
  },
  openapi: {
    group: "setUp",
    summary: say`print the OpenAPI 3.1 document of every route`,
    load: async () => (await import("../commands/openapi.ts")).openapiCommand,
  },
  ready: {
    group: "operate",
    summary: say`say whether a sandbox is ready, and how it is set`,
    load: async () => (await import("../commands/ready.ts")).readyCommand,
  },
  state: {
    group: "operate",
    summary: say`copy a state that is not in use`,
    load: async () => (await import("../commands/state.ts")).stateCommand,
  },
  mcp: {
    group: "setUp",
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
  const name = firstWord(args);
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
  program.environment = io.env;
  program.hintForLeft = hintForLeft;
  withExamples(program, EXAMPLES);
  program.addOption(langOption().helpGroup("Options:"));
  addFullHelp(program, connectionOptions());
  for (const entry of entries) {
    const command = builderOf(entry)?.(io) ?? new CliCommand(entry.name);
    command.helpGroup(`${localize(TASKS[entry.group])}:`);
    program.addCommand(command.description(localize(entry.summary)));
  }
  inheritSettings(program);
  return program;
}

const EXAMPLES: readonly Example[] = [
  ["trigger payin.paid", say`cause a payment and show its webhook`],
];

/** Commands added with `addCommand` do not inherit how their parent prints and exits, nor common options. */
function inheritSettings(command: Command): void {
  for (const child of command.commands) {
    if (child.commands.length === 0) child.addOption(langOption());
    child.copyInheritedSettings(command).helpCommand(false);
    inheritSettings(child);
  }
}
