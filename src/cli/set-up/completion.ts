import type { Command, Option } from "commander";
import { quotedWord } from "../../text/plain/shell-word.ts";

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof SHELLS)[number];

/** One command, and its path, such as ` payin create`; empty for the program. */
type Place = readonly [path: string, command: Command];

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
    ([path, command]) =>
      `    ${quotedWord(path)}) COMPREPLY=($(compgen -W ${quotedWord(
        wordsOf(command)
          .map(([word]) => word)
          .join(" "),
      )} -- "$current")) ;;`,
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
  .map(
    ([path, command]) =>
      `    ${quotedWord(path)}) found=(${wordsOf(command).map(described).join(" ")}) ;;`,
  )
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
  .flatMap(([path, command]) =>
    wordsOf(command).map(([word, means, option]) => {
      const at = `complete -c ${name} -n ${quotedWord(`_${called}_at "${path}"`)}`;
      if (!option) return `${at} -f -a ${quotedWord(word)} -d ${quotedWord(means)}`;
      const dashes = word.startsWith("--") ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`;
      const choices = option.argChoices && ` -x -a ${quotedWord(option.argChoices.join(" "))}`;
      const takes = option.isBoolean() ? "" : (choices ?? " -r");
      return `${at} ${dashes}${takes} -d ${quotedWord(means)}`;
    }),
  )
  .join("\n")}`,

  powershell: (name, places) => `# PowerShell completion of ${name}
Register-ArgumentCompleter -Native -CommandName ${powerShellWord(name)} -ScriptBlock {
  param($current, $line, $cursor)
  $words = @{
${places
  .map(([path, command]) =>
    powerShellRow(
      path,
      wordsOf(command).map(([word, means]) => `${word} ${means}`.trim()),
    ),
  )
  .join("\n")}
  }
  $values = @{
${places
  .flatMap(([path, command]) =>
    optionsOf(command)
      .filter((one) => !one.isBoolean())
      .flatMap((option) =>
        flagsOf(option).map((flag) => powerShellRow(`${path} ${flag}`, option.argChoices ?? [])),
      ),
  )
  .join("\n")}
  }
  $typed = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($typed -contains '--') { return }
  $place = ''
  foreach ($word in $typed) { if ($words.ContainsKey("$place $word")) { $place = "$place $word" } }
  $option = "$place $($typed | Select-Object -Last 1)"
  $found = if ($values.ContainsKey($option)) { $values[$option] } else { $words[$place] }
  $found | Where-Object { $_ -and $_.StartsWith($current) } | ForEach-Object {
    $word, $means = $_ -split ' ', 2
    [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $(if ($means) { $means } else { $word }))
  }
}`,
};

/** A row of a table in PowerShell. */
function powerShellRow(key: string, words: readonly string[]): string {
  return `    ${powerShellWord(key)} = @(${words.map(powerShellWord).join(", ")})`;
}

/** PowerShell takes typographic quotes for quotes too. */
export function powerShellWord(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201b]/g, "$&$&")}'`;
}

function placesOf(command: Command, path: string): Place[] {
  return [
    [path, command],
    ...command.commands.flatMap((one) => placesOf(one, `${path} ${one.name()}`)),
  ];
}

/** The words that can follow a command, with their descriptions: subcommands, choices and options. */
function wordsOf(command: Command): [word: string, means: string, option?: Option][] {
  return [
    ...command.commands.map((one): [string, string] => [one.name(), one.description()]),
    ...command.registeredArguments.flatMap(({ argChoices = [] }) =>
      argChoices.map((choice): [string, string] => [choice, ""]),
    ),
    ...optionsOf(command).flatMap((option) =>
      flagsOf(option).map((flag): [string, string, Option] => [flag, option.description, option]),
    ),
  ];
}

function optionsOf(command: Command): Option[] {
  return command.createHelp().visibleOptions(command);
}

function flagsOf({ long, short }: Option): string[] {
  return [long, short].filter((flag) => flag != null);
}

/** The patterns of paths. */
function deeper(places: readonly Place[], between = "|"): string {
  return places
    .filter(([path]) => path !== "")
    .map(([path]) => quotedWord(path))
    .join(between);
}

/** The values of an option: its choices, or the shell's own proposals, such as files. */
function cases(
  places: readonly Place[],
  propose: (choices: readonly string[]) => string,
  otherwise = "",
): string {
  const proposals = new Map<string, string[]>();
  for (const [path, command] of places)
    for (const option of optionsOf(command).filter((one) => !one.isBoolean())) {
      const proposal = option.argChoices ? `${propose(option.argChoices)}; ` : otherwise;
      const patterns = flagsOf(option).map((flag) => quotedWord(`${path} ${flag}`));
      proposals.set(proposal, [...(proposals.get(proposal) ?? []), ...patterns]);
    }
  return [...proposals]
    .map(([proposal, patterns]) => `    ${patterns.join("|")}) ${proposal}return ;;`)
    .join("\n");
}

function described([word, means]: readonly [string, string, Option?]): string {
  return quotedWord(`${word}:${means.replaceAll(":", String.raw`\:`)}`);
}
