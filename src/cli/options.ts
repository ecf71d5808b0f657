import { Command, InvalidArgumentError, Option } from "commander";
import { Client, type ClientOptions } from "./client.ts";
import { usageError } from "./errors.ts";
import { LANGUAGES, t } from "./language.ts";
import { renderExamples } from "./help.ts";

/** A command that speaks to a running sandbox. */
export function clientCommand(name: string): Command {
  return new Command(name)
    .addOption(jsonOption())
    .addOption(
      new Option("--url <url>", "the sandbox's address (default: http://127.0.0.1:7490)").env(
        "PIX_SANDBOX_URL",
      ),
    )
    .addOption(
      new Option("--token <token>", "act as this integration alone (its x-api-token)")
        .argParser(headerText)
        .env("PIX_SANDBOX_TOKEN"),
    )
    .addOption(
      new Option("--provider-id <id>", "the x-provider-id of what it creates and simulates")
        .argParser(headerText)
        .env("PIX_SANDBOX_PROVIDER_ID")
        .default("sandbox"),
    );
}

export function jsonOption(): Option {
  return new Option("--json", "print JSON: one document, or one a line for a stream");
}

/** Which language the command speaks, where the machine says otherwise; it is read before the command line is. */
export function langOption(): Option {
  return new Option(
    "--lang <language>",
    "the language of what is printed here (default: the machine's); what the gateway answers is in that of the assumption error.language",
  )
    .choices(LANGUAGES)
    .env("PIX_SANDBOX_LANG");
}

export function clientFor(options: ClientOptions): Client {
  return new Client(options);
}

/** Adds examples ahead of everything else that help says. */
export function withExamples(command: Command, examples: readonly string[]): Command {
  return command.addHelpText("before", renderExamples(examples));
}

/** Adds the command that is meant where its group stands alone; a word that is none of the group's is answered with those that are. */
export function addDefault(group: Command, command: Command): Command {
  // Said late: what a command inherits from the program comes before, and forbids it.
  group.hook("preSubcommand", () => void command.allowExcessArguments());
  command.hook("preAction", () => {
    const [word] = command.args;
    if (word === undefined) return;
    const names = group.commands.map((one) => one.name()).join(", ");
    throw usageError(
      t`"${group.name()}" has no ${JSON.stringify(word)}.`,
      t`There are ${names}; "pix-sandbox ${group.name()} --help" says more.`,
    );
  });
  return group.addCommand(command, { isDefault: true });
}

/** A reader of whole numbers from `min` to `max`, for commander. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(t`It takes a whole number from ${min} to ${max}.`);
  };
}

/** A reader of ids and other names, for commander: an unset variable of a shell is none. */
export function someText(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError(t`It is empty.`);
}

/** Nobody's token would mean everyone: an unset variable of a shell is no reason to act on all. */
function headerText(text: string): string {
  someText(text);
  if (/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(text)) return text;
  throw new InvalidArgumentError(t`It holds characters that no header can carry.`);
}

/** Collects an option that can be given several times. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
