import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { commandsIn } from "../../support/help.ts";
import { createFolder } from "../../support/folder.ts";
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

describe.each(["bash", "zsh", "fish", "powershell"])(
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
      const commands = commandsIn(stdout);
      expect(commands.length).toBeGreaterThan(15);
      for (const name of commands) expect(script).toContain(` ${name}'`);

      const { stdout: help } = await runMain(["serve", "--help-all"]);
      const flags = [...help.matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm)].map(([, flag]) => flag);
      expect(flags.length).toBeGreaterThan(15);
      for (const flag of flags)
        expect(script).toContain(shell === "fish" ? `-l ${flag} ` : `--${flag}`);
    });
  },
);

/** No PowerShell is at hand: what its parser would refuse is looked for in the text. */
describe("the script for PowerShell", () => {
  const WORD = /'((?:[^'\u2018-\u201b]|(['\u2018-\u201b])\2)*)'/g;

  it.each(["en", "pt-BR"])("has no open quote or bracket, and no key twice: %s", async (lang) => {
    const { stdout: script } = await runMain(["completion", "powershell", "--lang", lang]);
    const code = script.replaceAll(/^#.*$/gm, "").replaceAll(WORD, "word");
    expect(code).not.toMatch(/['\u2018-\u201b]/);
    const open: string[] = [];
    for (const [bracket] of code.matchAll(/[()[\]{}]/g))
      if ("([{".includes(bracket)) open.push(bracket);
      else expect(`${open.pop()}${bracket}`).toMatch(/^(?:\(\)|\[\]|\{\})$/);
    expect(open).toEqual([]);

    // Its tables know no case.
    for (const table of script.split("= @{").slice(1)) {
      const keys = [...table.matchAll(/^ {4}('.*?') = @\(/gm)].map(([, key = ""]) =>
        key.toLowerCase(),
      );
      expect(keys.length).toBeGreaterThan(15);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  it("has each command's words and each option's choices", async () => {
    const { stdout: script } = await runMain(["completion", "powershell"]);
    const row = (key: string): string[] => {
      const [, words = ""] = new RegExp(`^    '${key}' = @\\((.*)\\)$`, "m").exec(script) ?? [];
      return [...words.matchAll(WORD)].map(([, word = ""]) => word);
    };
    expect(row("").filter((word) => word.startsWith("pay"))).toEqual([
      expect.stringMatching(/^payin [a-z]/),
      expect.stringMatching(/^payout [a-z]/),
      expect.stringMatching(/^pay [a-z]/),
    ]);
    expect(row(" serve --clock")).toEqual(["real", "frozen"]);
    expect(row(" serve --config")).toEqual([]);
    expect(script).toContain("' serve --config' = @()");
    expect(row(" completion").slice(0, 4)).toEqual(["bash", "zsh", "fish", "powershell"]);
  });
});

describe("pix-sandbox completion --install", () => {
  it.each([
    ["bash", ".local/share/bash-completion/completions/pix-sandbox", "source "],
    ["zsh", ".local/share/zsh/site-functions/_pix_sandbox", "fpath=("],
    ["fish", ".config/fish/completions/pix-sandbox.fish", "Open a new shell."],
    ["powershell", ".local/share/pix-sandbox/completion.ps1", "  . '"],
  ])("writes the script for %s to the user's folder, once", async (shell, name, use) => {
    await using home = await createFolder();
    const env = { HOME: home.path, SHELL: `/usr/bin/${shell}` };
    const file = home.at(name);
    const install = () => runMain(["completion", "--install"], { env });
    const created = await install();
    expect(created).toMatchObject({ code: 0, stderr: "" });
    expect(created.stdout).toContain(`created  ${file}\n`);
    expect(created.stdout).toContain(use);
    const { stdout: script } = await runMain(["completion", shell]);
    expect(await readFile(file, "utf8")).toBe(script);

    expect((await install()).stdout).toContain(`unchanged  ${file}\n`);
    await writeFile(file, "an older version");
    expect((await install()).stdout).toContain(`updated  ${file}\n`);
    expect(await readFile(file, "utf8")).toBe(script);
    const named = ["completion", shell, "--install"];
    expect(await runMainJson(named, { env: { HOME: home.path } })).toEqual({
      shell,
      file,
      action: "unchanged",
    });
  });

  it("uses the folders that the environment names, and Portuguese descriptions", async () => {
    await using home = await createFolder();
    const env = {
      HOME: home.path,
      BASH_COMPLETION_USER_DIR: home.at("my bash"),
      XDG_DATA_HOME: home.at("data"),
      XDG_CONFIG_HOME: home.at("config"),
    };
    const install = async (shell: string): Promise<string> =>
      (await runMain(["completion", shell, "--install", "--lang", "pt-BR"], { env })).stdout;
    const bash = await install("bash");
    expect(bash).toContain(`criado  ${home.at("my bash/completions/pix-sandbox")}\n`);
    expect(bash).toContain(`  source '${home.at("my bash/completions/pix-sandbox")}'\n`);
    expect(await install("zsh")).toContain(home.at("data/zsh/site-functions/_pix_sandbox"));
    const fish = home.at("config/fish/completions/pix-sandbox.fish");
    expect(await install("fish")).toContain(fish);
    expect(await readFile(fish, "utf8")).toContain("inicia o gateway");
  });

  it("ends with a next step below a folder that cannot be made", async () => {
    await using home = await createFolder();
    await writeFile(home.at("file"), "");
    // In /proc, each attempt to create a folder reports a missing one.
    for (const folder of ["/proc/none", home.at("file")]) {
      const env = { HOME: home.path, XDG_DATA_HOME: folder };
      const { code, stdout, stderr } = await runMain(["completion", "bash", "--install"], { env });
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain("npx pix-sandbox completion bash > FILE");
    }
  });

  it.skipIf(!has("bash"))("makes bash complete the command", async () => {
    await using home = await createFolder();
    const env = { HOME: home.path };
    const { file } = await runMainJson<{ file: string }>(["completion", "bash", "--install"], {
      env,
    });
    const { stdout } = spawnSync("bash", ["-c", `source "$0" && complete -p pix-sandbox`, file], {
      encoding: "utf8",
    });
    expect(stdout).toContain("-F _pix_sandbox pix-sandbox");
  });

  it.skipIf(!has("zsh"))("makes zsh complete the command at the first call", async () => {
    await using home = await createFolder();
    const env = { HOME: home.path };
    await runMain(["completion", "zsh", "--install"], { env });
    const script = `fpath=(~/.local/share/zsh/site-functions $fpath)
      autoload -Uz compinit && compinit -u -D
      _describe() { print -l -- "\${(@P)2%%:*}" }
      print -r -- $_comps[pix-sandbox]; words=(pix-sandbox pay); CURRENT=2; _pix_sandbox`;
    const { stdout, stderr } = spawnSync("zsh", ["-f", "-c", script], {
      encoding: "utf8",
      env: { ...process.env, ...env },
    });
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^_pix_sandbox\n[^]*^payin$/m);
  });

  it("refuses a shell that it does not know, and a folder that cannot be written", async () => {
    await using home = await createFolder();
    const env = { HOME: home.path };
    const tcsh = await runMain(["completion", "--install"], {
      env: { ...env, SHELL: "/bin/tcsh" },
    });
    expect(tcsh).toMatchObject({ code: 2, stdout: "" });
    expect(tcsh.stderr).toBe(
      'error: There is no completion script for the shell "tcsh".\nName one of bash, zsh, fish, powershell: npx pix-sandbox completion bash --install\n',
    );
    const none = await runMain(["completion", "--install"], { env: { ...env, SHELL: "" } });
    expect(none.stderr).toContain("The variable SHELL is not set.");
    await writeFile(home.at(".config"), "");
    const unwritable = await runMain(["completion", "fish", "--install"], { env });
    expect(unwritable.code).toBe(1);
    expect(unwritable.stderr).toMatch(/cannot be written: .*\nMake the folder writable/);
  });
});
