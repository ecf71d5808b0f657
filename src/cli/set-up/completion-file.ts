import { readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { shellWord } from "../../text/plain/shell-word.ts";
import { makeFolders } from "../../platform/make-folders.ts";
import { powerShellWord, type Shell } from "./completion.ts";
import { unwritableFile } from "../terminal/errors.ts";
import { type Io, pathIn } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { PROGRAM } from "../../platform/program.ts";
import { say } from "../../text/message.ts";

export interface Installed {
  readonly shell: Shell;
  readonly file: string;
  readonly action: "created" | "updated" | "unchanged";
}

/** The user's folder from which each shell loads completions, and the name that the shell expects. */
const FILES: Readonly<Record<Shell, (env: Io["env"], home: string) => string>> = {
  bash: (env, home) =>
    path.join(
      env["BASH_COMPLETION_USER_DIR"] || path.join(dataFolder(env, home), "bash-completion"),
      "completions",
      "pix-sandbox",
    ),
  // zsh has no folder of its own below the home directory: the user adds this one to `fpath`. The first call of the
  // script's function completes only if the file has the function's name.
  zsh: (env, home) => path.join(dataFolder(env, home), "zsh", "site-functions", "_pix_sandbox"),
  fish: (env, home) =>
    path.join(
      env["XDG_CONFIG_HOME"] || path.join(home, ".config"),
      "fish",
      "completions",
      "pix-sandbox.fish",
    ),
  // PowerShell has no folder for completions: the user's profile loads the file.
  powershell: (env, home) => path.join(dataFolder(env, home), "pix-sandbox", "completion.ps1"),
};

/**
 * Writes the completion script where the shell loads it. An older script is replaced.
 * @throws CliError if it cannot be written.
 */
export async function installCompletion(shell: Shell, script: string, io: Io): Promise<Installed> {
  const file = pathIn(io, FILES[shell](io.env, io.env["HOME"] || homedir()));
  const text = `${script}\n`;
  const previous = await readFile(file, "utf8").catch(() => undefined);
  if (previous === text) return { shell, file, action: "unchanged" };
  try {
    await makeFolders(path.dirname(file));
    await writeFile(file, text);
  } catch (error) {
    throw unwritableFile(
      file,
      error as Error,
      say`Make the folder writable, or write the script elsewhere: ${PROGRAM} completion ${shell} > FILE`,
    );
  }
  return { shell, file, action: previous === undefined ? "created" : "updated" };
}

export function describeUse({ shell, file }: Installed): string {
  switch (shell) {
    case "bash":
      return localize(
        say`Open a new shell. bash loads the file with the package bash-completion.\nWithout that package, add this to ~/.bashrc:\n  source ${shellWord(file)}`,
      );
    case "zsh":
      return localize(
        say`Add this to ~/.zshrc before compinit, once, and open a new shell:\n  fpath=(${shellWord(path.dirname(file))} $fpath)\nWithout compinit there, add this after it:\n  autoload -Uz compinit && compinit`,
      );
    case "fish":
      return localize(say`Open a new shell. fish loads the file by itself.`);
    case "powershell":
      return localize(
        say`Add this to the file that $PROFILE names, once, and open a new shell:\n  . ${powerShellWord(file)}`,
      );
  }
}

function dataFolder(env: Io["env"], home: string): string {
  return env["XDG_DATA_HOME"] || path.join(home, ".local", "share");
}
