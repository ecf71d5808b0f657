import { type Command, InvalidArgumentError, Option } from "commander";
import { isControlToken } from "../../wire/forms.ts";
import { usageError } from "../terminal/errors.ts";
import { localize } from "../terminal/language.ts";
import { LANGUAGE_OPTIONS } from "../../text/languages.ts";
import { type Example, renderExamples } from "./help.ts";
import { fromVariable, readWith, withChoices } from "./reading.ts";
import { CliCommand } from "./command.ts";
import { type Message, say } from "../../text/message.ts";

/** The options of every command. They stand before or behind its words: the program has them. */
export function commonOptions(): Option[] {
  const json = new Option(
    "--json",
    localize(say`print JSON: one document, or one per line for a stream`),
  );
  // `main` reads it before commander parses the command line.
  const lang = fromVariable(
    withChoices(
      new Option(
        "--lang <language>",
        localize(say`the command's language (default: the system's)`),
      ),
      LANGUAGE_OPTIONS,
    ),
    "PIX_SANDBOX_LANG",
  );
  return [json, lang];
}

/** The options of the commands that call a running sandbox. */
export function connectionOptions(): Option[] {
  const address = say`the sandbox's address (default: http://127.0.0.1:7490)`;
  const token = say`act only as this integration (its x-api-token)`;
  const provider = say`the x-provider-id to send`;
  return [
    fromVariable(new Option("--url <url>", localize(address)), "PIX_SANDBOX_URL"),
    fromVariable(
      readWith(new Option("--token <token>", localize(token)), headerText),
      "PIX_SANDBOX_TOKEN",
    ),
    fromVariable(
      readWith(new Option("--provider-id <id>", localize(provider)), headerText).default("sandbox"),
      "PIX_SANDBOX_PROVIDER_ID",
    ),
    controlTokenOption(say`the control token that the sandbox was started with`),
  ];
}

/** The control token: of the sandbox to start, or of the one to call. */
export function controlTokenOption(description: Message): Option {
  const option = new Option("--control-token <text>", localize(description)).argParser((text) => {
    if (isControlToken(text)) return text;
    // An error of `readWith` would show the value.
    throw usageError(
      say`Invalid control token.`,
      say`Pass ASCII letters, digits and punctuation without spaces, at least one character, with --control-token or PIX_SANDBOX_CONTROL_TOKEN.`,
    );
  });
  return fromVariable(option, "PIX_SANDBOX_CONTROL_TOKEN");
}

/** Adds examples before the other parts of help. */
export function withExamples(command: Command, examples: readonly Example[]): Command {
  const lines = examples.map((one) => (typeof one === "string" ? one : one[0]));
  if (command instanceof CliCommand) [command.example] = lines;
  return command.addHelpText("before", renderExamples(examples));
}

/** Creates commander's parser of whole numbers from `min` to `max`. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(localize(say`Use a whole number from ${min} to ${max}.`));
  };
}

/** Commander's parser of ids and names. Refuses an empty text, such as from an unset shell variable. */
export function someText(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError(localize(say`The value is empty.`));
}

/** An empty token, such as from an unset shell variable, would select all integrations. */
function headerText(text: string): string {
  someText(text);
  if (/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(text)) return text;
  throw new InvalidArgumentError(
    localize(say`The value contains characters that a header cannot contain.`),
  );
}

/** Commander's parser of a repeatable option. Refuses an empty value. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, someText(text)];
}
