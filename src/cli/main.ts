import { setImmediate as nextTurn } from "node:timers/promises";
import { Command, CommanderError } from "commander";
import { VERSION } from "../core/version.ts";
import { CliError, EXIT, ExitCode } from "./errors.ts";
import { HELP, tellUsageError } from "./help.ts";
import { type Io, processIo } from "./io.ts";
import { languageOf, speak, t } from "./language.ts";
import { langOption, withExamples } from "./options.ts";
import { toSafeText } from "../core/safe-text.ts";

/** Runs the process's own command line and sets its exit code. */
export async function run(): Promise<void> {
  const exitCode = await main(process.argv.slice(2), processIo());
  process.exitCode = exitCode;
  // A stop that was cut short leaves work behind that must not hold the process. And one that still hears
  // signals would, left to end by itself, hear them no more for a moment, and could die of the last.
  if (exitCode === EXIT.interrupted || process.listenerCount("SIGINT") > 0) process.exit(exitCode);
}

/** Runs one command line. @returns its exit code. */
export async function main(args: readonly string[], io: Io): Promise<number> {
  // What stands behind -- is another command's.
  const own = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  const asJson = own.includes("--json");
  await speak(languageOf(own, io.env));
  const exitCode = await runCommand(args, asJson, io);
  // By the next turn every write that failed has been reported.
  await nextTurn();
  const { reason } = io.unread as { reason: unknown };
  return exitCode === EXIT.done && reason instanceof CliError
    ? report(reason, asJson, io)
    : exitCode;
}

async function runCommand(args: readonly string[], asJson: boolean, io: Io): Promise<number> {
  try {
    const program = await createProgram(args, io, asJson);
    await program.parseAsync(args, { from: "user" });
    return EXIT.done;
  } catch (error) {
    if (error instanceof ExitCode) return error.exitCode;
    return report(error, asJson, io);
  }
}

/** With the command that is called, where that is `serve`: who starts a sandbox does not wait for what only talks to one. */
async function createProgram(args: readonly string[], io: Io, asJson: boolean): Promise<Command> {
  const program = new Command("pix-sandbox")
    .description("A PIX instant-payment gateway that runs on your own machine.")
    .version(VERSION)
    .helpCommand(false)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.print(text.trimEnd()),
      // With --json an error is one JSON object, printed where it is caught.
      writeErr: (text) => asJson || io.say(toSafeText(toldUsage(text.trimEnd()))),
    })
    .configureHelp(HELP);
  withExamples(program, EXAMPLES);
  program.addOption(langOption());
  program.addCommand((await import("./commands/serve.ts")).serveCommand(io));
  if (args[0] !== "serve") {
    const { CLIENT_COMMANDS } = await import("./commands/clients.ts");
    for (const create of CLIENT_COMMANDS) program.addCommand(create(io));
  }
  inheritSettings(program);
  return program;
}

const EXAMPLES = [
  "serve                                   start the gateway",
  "payin create --value 10.50 --qr         create a charge and draw its QR code",
  "simulate payin ID                       pay it: its webhook is sent",
  "webhooks tail                           watch the webhooks",
];

/** Subcommands that were made apart do not take over how their parent prints and exits, nor what all take. */
function inheritSettings(command: Command): void {
  for (const child of command.commands) {
    if (child.commands.length === 0) child.addOption(langOption());
    child.copyInheritedSettings(command).helpCommand(false);
    inheritSettings(child);
  }
}

/** Help comes this way too, where it is shown in place of an answer. */
function toldUsage(text: string): string {
  return text.startsWith("error: ") ? `${t`error:`} ${tellUsageError(text)}` : text;
}

function report(error: unknown, asJson: boolean, io: Io): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.done;
    if (asJson) sayError(io, "USAGE", tellUsageError(error.message), "pix-sandbox --help");
    return EXIT.usage;
  }
  const { exitCode, code, message, hint } =
    error instanceof CliError
      ? error
      : new CliError(
          EXIT.unexpected,
          "UNEXPECTED",
          error instanceof Error ? error.message : String(error),
        );
  if (asJson) sayError(io, code, message, hint);
  else {
    io.say(`${io.sayColour.red(t`error:`)} ${toSafeText(message)}`);
    if (hint !== undefined) io.say(toSafeText(hint));
  }
  return exitCode;
}

function sayError(io: Io, code: string, message: string, hint: string | undefined): void {
  io.say(
    JSON.stringify({
      error: {
        code,
        message: toSafeText(message),
        hint: hint === undefined ? null : toSafeText(hint),
      },
    }),
  );
}
