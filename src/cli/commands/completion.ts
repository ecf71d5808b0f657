import path from "node:path";
import type { Command } from "commander";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { type CommandBuilder, defineOwnCommand } from "../definition/define-command.ts";
import type { Example } from "../definition/help.ts";
import { renderCompletion, SHELLS, type Shell } from "../set-up/completion.ts";
import { usageError } from "../terminal/errors.ts";
import type { Io } from "../terminal/io.ts";
import { currentLanguage, type Language, localize } from "../terminal/language.ts";
import { PROGRAM } from "../../platform/program.ts";
import { flag, oneOf } from "../definition/parameters.ts";
import { say } from "../../text/message.ts";

/** @param createFullProgram creates the program with every command loaded */
export function defineCompletion(
  createFullProgram: (language: Language, io: Io) => Promise<Command>,
): CommandBuilder {
  return defineOwnCommand("completion", {
    isLocal: true,
    arguments: {
      shell: oneOf(SHELLS, "shell", say`the shell; with --install, by default the one in SHELL`, {
        isOptional: true,
      }),
    },
    flags: {
      install: flag(say`write the script to the shell's own folder for completions`),
    },
    async run({ shell: given, install }, { io, json, command }) {
      const shell = given ?? (install ? shellOf(io.env) : command.missingArgument("shell"));
      // JSON is the same in each language. A file is in the user's.
      const language = json && !install ? "en" : currentLanguage();
      const script = renderCompletion(await createFullProgram(language, io), shell);
      if (install) await installAndReport(shell, script, json, io);
      else if (json) io.printJson({ shell, script });
      else io.print(script);
    },
    examples: EXAMPLES,
  });
}

const EXAMPLES: readonly Example[] = [
  ["completion --install", say`for your shell: writes the file and prints how to use it`],
  ["completion bash", say`in ~/.bashrc: eval "$(pix-sandbox completion bash)"`],
  ["completion zsh", say`in ~/.zshrc, after compinit: eval "$(pix-sandbox completion zsh)"`],
  ["completion fish", say`in config.fish: pix-sandbox completion fish | source`],
  ["completion powershell", say`in $PROFILE: pix-sandbox completion powershell | Out-String | iex`],
];

async function installAndReport(
  shell: Shell,
  script: string,
  json: boolean,
  io: Io,
): Promise<void> {
  const { describeUse, installCompletion } = await import("../set-up/completion-file.ts");
  const installed = await installCompletion(shell, script, io);
  if (json) {
    io.printJson(installed);
    return;
  }
  const { file, action } = installed;
  const verbs = {
    created: localize(say`created`),
    updated: localize(say`updated`),
    unchanged: localize(say`unchanged`),
  };
  io.print(`${verbs[action]}  ${toSafeLine(file)}`);
  io.print(describeUse(installed));
}

function shellOf(env: Io["env"]): Shell {
  const name = path.basename(env["SHELL"] ?? "");
  const shell = SHELLS.find((one) => one === name);
  if (shell) return shell;
  throw usageError(
    name === ""
      ? say`The variable SHELL is not set.`
      : say`There is no completion script for the shell ${JSON.stringify(name)}.`,
    say`Name one of ${SHELLS.join(", ")}: ${PROGRAM} completion bash --install`,
  );
}
