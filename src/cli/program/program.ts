import type { Command } from "commander";
import { VERSION } from "../../wire/version.ts";
import { firstWord } from "./arguments.ts";
import { CliCommand } from "../definition/command.ts";
import type { CommandBuilder } from "../definition/define-command.ts";
import { type Example, HELP, renderCommon } from "../definition/help.ts";
import type { Io } from "../terminal/io.ts";
import { inLanguage, type Language, localize } from "../terminal/language.ts";
import { connectionOptions, langOption, withExamples } from "../definition/options.ts";
import { type Message, say } from "../../text/message.ts";

/** A top-level command. Its module is loaded only to run it, to show its own help, or for completion. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: Message;
  load(): Promise<CommandBuilder>;
}

/** The commands by their names, in the order of the help. */
const TABLE: Readonly<Record<string, Omit<CommandEntry, "name">>> = {
  serve: {
    summary: say`start the gateway`,
    load: async () => (await import("../commands/serve.ts")).serveCommand,
  },
  demo: {
    summary: say`start the gateway and a small shop, to buy and pay with a browser or a phone`,
    load: async () => (await import("../commands/demo.ts")).demoCommand,
  },
  exec: {
    summary: say`run a command with its own sandbox, and exit with its exit code`,
    load: async () => (await import("../commands/exec.ts")).execCommand,
  },
  matrix: {
    summary: say`run your tests with each other choice, to see which open questions they depend on`,
    load: async () => (await import("../commands/matrix.ts")).matrixCommand,
  },
  ready: {
    summary: say`check whether a sandbox is running`,
    load: async () => (await import("../commands/ready.ts")).readyCommand,
  },
  trigger: {
    summary: say`cause an event: create what it needs, move it, and show the webhook and its response`,
    load: async () => (await import("../commands/trigger.ts")).triggerCommand,
  },
  listen: {
    summary: say`receive webhooks, verify and print them`,
    load: async () => (await import("../commands/listen.ts")).listenCommand,
  },
  payin: {
    summary: say`create, list, pay, cancel and expire payins (charges)`,
    load: async () => (await import("../commands/payin.ts")).payinCommand,
  },
  payout: {
    summary: say`create, list and settle payouts`,
    load: async () => (await import("../commands/payout.ts")).payoutCommand,
  },
  qr: {
    summary: say`draw a payin's QR code in the terminal, or write it to a file`,
    load: async () => (await import("../commands/qr.ts")).qrCommand,
  },
  pay: {
    summary: say`pay a payin from its BR Code, from a picture of its QR code, or by its id`,
    load: async () => (await import("../commands/pay.ts")).payCommand,
  },
  decode: {
    summary: say`explain each field of a BR Code, and name the wrong one`,
    load: async () => (await import("../commands/decode.ts")).decodeCommand,
  },
  simulate: {
    summary: say`move a payin or payout to a final status, as the staging endpoints do`,
    load: async () => (await import("../commands/simulate.ts")).simulateCommand,
  },
  webhooks: {
    summary: say`watch, list, resend and verify webhooks`,
    load: async () => (await import("../commands/webhooks.ts")).webhooksCommand,
  },
  "check-webhook": {
    summary: say`send a handler valid and forged webhooks, and judge what it does`,
    load: async () => (await import("../commands/check-webhook.ts")).checkWebhookCommand,
  },
  wait: {
    summary: say`wait until a webhook is delivered; an earlier delivery counts too`,
    load: async () => (await import("../commands/wait.ts")).waitCommand,
  },
  clock: {
    summary: say`show and move the sandbox's time`,
    load: async () => (await import("../commands/clock.ts")).clockCommand,
  },
  snapshot: {
    summary: say`save the records under a name, and restore them`,
    load: async () => (await import("../commands/snapshot.ts")).snapshotCommand,
  },
  reset: {
    summary: say`delete all records and pending webhooks, and load the fixtures again; snapshots and secret stay`,
    load: async () => (await import("../commands/reset.ts")).resetCommand,
  },
  faults: {
    summary: say`inject faults, list them with their use, and remove them`,
    load: async () => (await import("../commands/faults.ts")).faultsCommand,
  },
  requests: {
    summary: say`list the gateway's newest requests and their results`,
    load: async () => (await import("../commands/requests.ts")).requestsCommand,
  },
  report: {
    summary: say`judge the integration by what it has done: failures, warnings, and what was not seen`,
    load: async () => (await import("../commands/report.ts")).reportCommand,
  },
  scenario: {
    summary: say`run scenarios and show the first step that fails`,
    load: async () => (await import("../commands/scenario.ts")).scenarioCommand,
  },
  export: {
    summary: say`print what happened as a scenario or a script that repeats it`,
    load: async () => (await import("../commands/export.ts")).exportCommand,
  },
  secret: {
    summary: say`print the secret that signs the webhooks`,
    load: async () => (await import("../commands/secret.ts")).secretCommand,
  },
  env: {
    summary: say`print the environment variables of a sandbox, for eval in a shell`,
    load: async () => (await import("../commands/env.ts")).envCommand,
  },
  state: {
    summary: say`check and repair a state file that no sandbox is using`,
    load: async () => (await import("../commands/state.ts")).stateCommand,
  },
  init: {
    summary: say`set up a project: config file, .gitignore, test framework`,
    load: async () => (await import("../commands/init.ts")).initCommand,
  },
  doctor: {
    summary: say`check this machine's set-up: port, server, state, clock and versions`,
    load: async () => (await import("../commands/doctor.ts")).doctorCommand,
  },
  assumptions: {
    summary: say`list the choices for the gaps in the specification`,
    load: async () => (await import("../commands/assumptions.ts")).assumptionsCommand,
  },
  magic: {
    summary: say`list the magic values of \`serve --magic\``,
    load: async () => (await import("../commands/magic.ts")).magicCommand,
  },
  openapi: {
    summary: say`print the OpenAPI 3.1 document of every route, without a sandbox`,
    load: async () => (await import("../commands/openapi.ts")).openapiCommand,
  },
  completion: {
    summary: say`print a script that completes commands and options in a shell`,
    load: async () =>
      (await import("../commands/completion.ts")).defineCompletion(createFullProgram),
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
async function createFullProgram(language: Language, io: Io): Promise<Command> {
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
  withExamples(program, EXAMPLES);
  program.addOption(langOption().helpGroup("Options:"));
  const common = (): string => renderCommon(connectionOptions(), program.createHelp());
  program.addHelpText("after", common);
  for (const entry of entries) {
    const command = builderOf(entry)?.(io) ?? new CliCommand(entry.name);
    program.addCommand(command.description(localize(entry.summary)));
  }
  inheritSettings(program);
  return program;
}

const EXAMPLES: readonly Example[] = [
  ["serve", say`start the gateway`],
  ["trigger payin.paid", say`cause a payment and show its webhook`],
  ["payin create --qr", say`create a charge and draw its QR code`],
  ["simulate payin last", say`pay it: its webhook is sent`],
  ["webhooks tail", say`watch the webhooks`],
];

/** Commands added with `addCommand` do not inherit how their parent prints and exits, nor common options. */
function inheritSettings(command: Command): void {
  for (const child of command.commands) {
    if (child.commands.length === 0) child.addOption(langOption());
    child.copyInheritedSettings(command).helpCommand(false);
    inheritSettings(child);
  }
}
