import { Argument, type Command } from "commander";
import { CliCommand } from "../command.ts";
import { renderCompletion, SHELLS, type Shell } from "../completion.ts";
import type { Io } from "../io.ts";
import { currentLanguage, type Language, localize } from "../language.ts";
import { jsonOption, withExamples } from "../options.ts";

/** @param createFullProgram creates the program with every command loaded */
export function completionCommand(
  io: Io,
  createFullProgram: (language: Language) => Promise<Command>,
): Command {
  const command = new CliCommand("completion")
    .addArgument(
      new Argument("<shell>", localize({ en: "the shell", pt: "o shell" })).choices(SHELLS),
    )
    .addOption(jsonOption())
    .action(async (shell: Shell, { json }: { json?: boolean }) => {
      // JSON is the same in each language.
      const script = renderCompletion(
        await createFullProgram(json ? "en" : currentLanguage()),
        shell,
      );
      if (json) io.printJson({ shell, script });
      else io.print(script);
    });
  return withExamples(command, [
    [
      "completion bash",
      {
        en: 'in ~/.bashrc: eval "$(pix-sandbox completion bash)"',
        pt: 'no ~/.bashrc: eval "$(pix-sandbox completion bash)"',
      },
    ],
    [
      "completion zsh",
      {
        en: 'in ~/.zshrc, after compinit: eval "$(pix-sandbox completion zsh)"',
        pt: 'no ~/.zshrc, depois de compinit: eval "$(pix-sandbox completion zsh)"',
      },
    ],
    [
      "completion fish",
      {
        en: "in config.fish: pix-sandbox completion fish | source",
        pt: "no config.fish: pix-sandbox completion fish | source",
      },
    ],
  ]);
}
