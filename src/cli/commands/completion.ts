import type { Command } from "commander";
import { type CommandBuilder, defineOwnCommand } from "../definition/define-command.ts";
import { renderCompletion, SHELLS } from "../set-up/completion.ts";
import type { Io } from "../terminal/io.ts";
import { currentLanguage, type Language } from "../terminal/language.ts";
import { oneOf } from "../definition/parameters.ts";
import { say } from "../../text/message.ts";

/** @param createFullProgram creates the program with every command loaded */
export function defineCompletion(
  createFullProgram: (language: Language, io: Io) => Promise<Command>,
): CommandBuilder {
  return defineOwnCommand("completion", {
    isLocal: true,
    arguments: { shell: oneOf(SHELLS, "shell", say`the shell`) },
    async run({ shell }, { io, json }) {
      // JSON is the same in each language.
      const language = json ? "en" : currentLanguage();
      const script = renderCompletion(await createFullProgram(language, io), shell);
      if (json) io.printJson({ shell, script });
      else io.print(script);
    },
    examples: [
      ["completion bash", say`in ~/.bashrc: eval "$(pix-sandbox completion bash)"`],
      ["completion zsh", say`in ~/.zshrc, after compinit: eval "$(pix-sandbox completion zsh)"`],
      ["completion fish", say`in config.fish: pix-sandbox completion fish | source`],
    ],
  });
}
