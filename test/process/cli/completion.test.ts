import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { runMain, runMainJson } from "../../support/main.ts";

const has = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;

/** Has a real shell complete the last of some words, and prints what it proposes, one a line. */
const TRIALS: Readonly<Record<string, string>> = {
  bash: `set -u; eval "$1"; shift
    COMP_WORDS=(pix-sandbox "$@"); COMP_CWORD=$#
    _pix_sandbox; (( \${#COMPREPLY[@]} == 0 )) || printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: `_describe() { print -l -- "\${(@P)2%%:*}" }; compadd() { print -l -- "\${(@)argv[2,-1]}" }
    _default() { : }; compdef() { : }
    eval "$1"; shift
    words=(pix-sandbox "$@"); CURRENT=$(( $# + 1 )); last="\${words[-1]}"
    _pix_sandbox | while read -r word; do [[ $word == $last* ]] && print -r -- "$word"; done; true`,
  fish: `echo $argv[1] | source
    complete -C "pix-sandbox "(string join -- " " $argv[2..-1]) | string split -f1 \\t; true`,
};

describe.each(["bash", "zsh", "fish"])(
  "pix-sandbox completion %s",
  { timeout: 60_000 },
  (shell) => {
    it.skipIf(!has(shell))(
      "completes commands, options and choices, where that shell is",
      async () => {
        const { stdout: script } = await runMain(["completion", shell]);
        const complete = (...words: string[]): string[] => {
          const options =
            shell === "fish" ? ["--no-config", "-c"] : shell === "zsh" ? ["-f", "-c"] : ["-c"];
          const name = shell === "fish" ? [] : [shell];
          const args = [...options, TRIALS[shell] ?? "", ...name, script, ...words];
          const { status, stdout, stderr } = spawnSync(shell, args, { encoding: "utf8", cwd: "/" });
          expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
          return stdout.split("\n").filter(Boolean).toSorted();
        };
        expect(complete("pay")).toEqual(["pay", "payin", "payout"]);
        expect(complete("payin", "c")).toEqual(["cancel", "create"]);
        expect(complete("payin", "list", "--status", "")).toEqual([
          "canceled",
          "completed",
          "expired",
          "paid",
          "waiting",
        ]);
        expect(complete("serve", "--clock", "f")).toEqual(["frozen"]);
        expect(complete("serve", "--seed", "1", "--clo")).toEqual(["--clock"]);
        expect(complete("exec", "--rep")).toEqual(["--report"]);
        expect(complete("payin", "list", "--lang", "")).toEqual(["en", "pt-BR"]);
        expect(complete("completion", "b")).toEqual(["bash"]);
        // What stands there is a name of a file, or another command's word.
        expect(complete("serve", "--config", "pay")).toEqual([]);
        expect(complete("exec", "--", "node", "--cl")).toEqual([]);
      },
    );

    it("has every command and every option that the help has", async () => {
      const { script } = await runMainJson<{ script: string }>(["completion", shell]);
      const { stdout } = await runMain(["--help"]);
      const commands = [...(stdout.split("Commands:")[1] ?? "").matchAll(/^ {2}(\w+)/gm)];
      expect(commands.length).toBeGreaterThan(15);
      for (const [, name] of commands) expect(script).toContain(` ${name}'`);

      const { stdout: help } = await runMain(["serve", "--help"]);
      const flags = [...help.matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm)].map(([, flag]) => flag);
      expect(flags.length).toBeGreaterThan(15);
      for (const flag of flags)
        expect(script).toContain(shell === "fish" ? `-l ${flag} ` : `--${flag}`);
    });
  },
);
