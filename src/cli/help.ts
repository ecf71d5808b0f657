import { type Argument, Help, type HelpConfiguration, type Option } from "commander";
import { retell, t, tell } from "./language.ts";

/** Commander's help in the language that is spoken: the descriptions, and its own words around them. */
export const HELP: HelpConfiguration = {
  styleTitle: tell,
  commandUsage: (command) => toldPlaces(base.commandUsage(command)),
  commandDescription: (command) => tell(base.commandDescription(command)),
  subcommandTerm: (command) => toldPlaces(base.subcommandTerm(command)),
  subcommandDescription: (command) => tell(base.subcommandDescription(command)),
  argumentTerm: (argument) => tell(base.argumentTerm(argument)),
  argumentDescription: (argument) => toldDescription(argument, base.argumentDescription(argument)),
  optionTerm: (option) => toldPlaces(base.optionTerm(option)),
  optionDescription: (option) => toldDescription(option, base.optionDescription(option)),
};

const base = new Help();

/** What commander says of a command line that it does not take, without its `error:`. */
export function tellUsageError(message: string): string {
  return retell(
    message
      .replace(/^error: /, "")
      .replace(/'-[^']*'/, toldPlaces)
      .replace(/(?<=(?:required|for) argument ')[^']+/, tell),
  );
}

/** A command's examples, as help begins with them: a command line each, and perhaps what it does. */
export function renderExamples(examples: readonly string[]): string {
  const lines = examples.map((example) => {
    const [, line = "", gap = "", comment = ""] = /^(.*?)(?:( {2,})(\S.*))?$/.exec(example) ?? [];
    return `  $ pix-sandbox ${line}${gap}${tell(comment)}`;
  });
  return `${t`Examples:`}\n${lines.join("\n")}\n\n`;
}

/** The names of what is to be put somewhere: `<file>`, `[options]`. */
function toldPlaces(text: string): string {
  return text.replace(/(?<=[<[])[^<>[\]]+?(?=(?:\.{3})?[>\]])/g, tell);
}

/** A description, and what commander puts behind it in parentheses. */
function toldDescription({ description }: Argument | Option, whole: string): string {
  const rest = whole.slice(description.length);
  return tell(description) + rest.replace(/(?<=[(, ])(?:choices|default|env):/g, tell);
}
