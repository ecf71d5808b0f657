import { Argument, Command } from "commander";
import type { Io } from "../io.ts";
import { tell } from "../language.ts";
import { jsonOption, withExamples } from "../options.ts";
import { renderCompletion, SHELLS, type Shell } from "../completion.ts";

export function completionCommand(io: Io): Command {
  const command = new Command("completion")
    .description("print what completes commands and options in a shell")
    .addArgument(new Argument("<shell>", "whose").choices(SHELLS))
    .addOption(jsonOption())
    .action((shell: Shell, { json }: { json?: boolean }) => {
      const root = rootOf(command);
      if (json) io.printJson({ shell, script: renderCompletion(root, shell) });
      else io.print(renderCompletion(root, shell, tell));
    });
  return withExamples(command, [
    'completion bash                        in ~/.bashrc: eval "$(pix-sandbox completion bash)"',
    'completion zsh                         in ~/.zshrc, behind compinit: eval "$(pix-sandbox completion zsh)"',
    "completion fish                        in config.fish: pix-sandbox completion fish | source",
  ]);
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}
