import type { Command, Option } from "commander";
import { quotedWord } from "../core/shell-word.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** A word that can follow, and its description. */
interface Word {
  readonly text: string;
  readonly means: string;
}

/** One command: its path, and the words that can follow. */
interface Place {
  /** Such as ` payin create`; empty for the program. */
  readonly path: string;
  readonly words: readonly Word[];
  /** The options with a value, by each of their names: the choices, or undefined for any value. */
  readonly values: readonly {
    readonly flag: string;
    readonly choices: readonly string[] | undefined;
  }[];
}

/** Renders a script that completes the commands, options and choices of a program in a shell. */
export function renderCompletion(program: Command, shell: Shell): string {
  const name = program.name();
  const places = placesOf(program, "");
  return RENDERERS[shell](name, places, `_${name.replaceAll("-", "_")}`);
}

type Renderer = (name: string, places: readonly Place[], called: string) => string;

const RENDERERS: Readonly<Record<Shell, Renderer>> = {
  bash: (name, places, called) => `# bash completion of ${name}
${called}() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} place="" index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    [[ \${COMP_WORDS[index]} == -- ]] && return
    case "$place \${COMP_WORDS[index]}" in
      ${deeper(places)}) place="$place \${COMP_WORDS[index]}" ;;
    esac
  done
  case "$place $before" in
${cases(places, (choices) => `COMPREPLY=($(compgen -W ${quotedWord(choices.join(" "))} -- "$current"))`)}
  esac
  case "$place" in
${places
  .map(
    ({ path, words }) =>
      `    ${quotedWord(path)}) COMPREPLY=($(compgen -W ${quotedWord(texts(words))} -- "$current")) ;;`,
  )
  .join("\n")}
  esac
}
complete -o default -F ${called} ${name}`,

  zsh: (name, places, called) => `#compdef ${name}
# zsh completion of ${name}
${called}() {
  local place="" word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ $word == -- ]]; then _default; return; fi
    case "$place $word" in
      ${deeper(places)}) place="$place $word" ;;
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${cases(places, (choices) => `compadd -- ${choices.map(quotedWord).join(" ")}`, "_default; ")}
  esac
  case "$place" in
${places
  .map(({ path, words }) => `    ${quotedWord(path)}) found=(${words.map(described).join(" ")}) ;;`)
  .join("\n")}
  esac
  if ! _describe ${quotedWord(name)} found; then _default; fi
}
if [[ \${funcstack[1]} == ${called} ]]; then ${called} "$@"; else compdef ${called} ${name}; fi`,

  fish: (name, places, called) => `# fish completion of ${name}
function _${called}_at
    set -l place ""
    for word in (commandline -opc)[2..-1]
        test "$word" = --; and return 1
        switch "$place $word"
            case ${deeper(places, " ")}
                set place "$place $word"
        end
    end
    test "$place" = "$argv[1]"
end
${places
  .flatMap(({ path, words, values }) =>
    words.map(({ text, means }) => {
      const at = `complete -c ${name} -n ${quotedWord(`_${called}_at "${path}"`)}`;
      const value = values.find(({ flag }) => flag === text);
      if (!text.startsWith("-")) return `${at} -f -a ${quotedWord(text)} -d ${quotedWord(means)}`;
      const dashes = text.startsWith("--") ? `-l ${text.slice(2)}` : `-s ${text.slice(1)}`;
      const takes =
        value && (value.choices ? ` -x -a ${quotedWord(value.choices.join(" "))}` : " -r");
      return `${at} ${dashes}${takes ?? ""} -d ${quotedWord(means)}`;
    }),
  )
  .join("\n")}`,
};

function placesOf(command: Command, path: string): Place[] {
  const options = command.createHelp().visibleOptions(command);
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  return [
    {
      path,
      words: [
        ...command.commands.map((one) => ({ text: one.name(), means: one.description() })),
        ...choices.map((text) => ({ text, means: "" })),
        ...options.flatMap((one) => flagsOf(one).map((text) => ({ text, means: one.description }))),
      ],
      values: options
        .filter(({ required, optional }) => required || optional)
        .flatMap((one) => flagsOf(one).map((flag) => ({ flag, choices: one.argChoices }))),
    },
    ...command.commands.flatMap((one) => placesOf(one, `${path} ${one.name()}`)),
  ];
}

function flagsOf({ long, short }: Option): string[] {
  return [long, short].filter((flag) => flag != null);
}

/** The patterns of paths. */
function deeper(places: readonly Place[], between = "|"): string {
  return places
    .filter(({ path }) => path !== "")
    .map(({ path }) => quotedWord(path))
    .join(between);
}

/** The values of an option: its choices, or the shell's own proposals, such as files. */
function cases(
  places: readonly Place[],
  propose: (choices: readonly string[]) => string,
  otherwise = "",
): string {
  const proposals = new Map<string, string[]>();
  for (const { path, values } of places) {
    for (const { flag, choices } of values) {
      const proposal = choices ? `${propose(choices)}; ` : otherwise;
      proposals.set(proposal, [...(proposals.get(proposal) ?? []), quotedWord(`${path} ${flag}`)]);
    }
  }
  return [...proposals]
    .map(([proposal, patterns]) => `    ${patterns.join("|")}) ${proposal}return ;;`)
    .join("\n");
}

function texts(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(" ");
}

function described({ text, means }: Word): string {
  return quotedWord(`${text}:${means.replaceAll(":", String.raw`\:`)}`);
}
