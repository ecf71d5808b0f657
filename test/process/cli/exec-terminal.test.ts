import { describe, expect, it } from "vitest";
import { BIN } from "../../support/cli.ts";
import { isRunning, stateOf } from "../../support/process.ts";
import { startOnTerminal, type Terminal } from "../../support/terminal.ts";
import { lacks } from "../../support/lacks.ts";

const NODE = process.execPath;
const CTRL_C = "\u0003";
const CTRL_Z = "\u001a";
const CTRL_BACKSLASH = "\u001c";
const SIGTSTP = 20;
/** A program that prints each signal that it receives, and its parent's process id, until it reads a line. */
const LISTENER = [
  "let count = 0;",
  "for (const name of ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'])",
  "  process.on(name, () => console.log(`<${++count} ${name}>`));",
  "process.stdout.on('resize', () => console.log(`<${process.stdout.columns} columns>`));",
  "process.stdin.once('data', () => process.exit(7));",
  "console.log(`<parent ${process.ppid}>`);",
].join(" ");

describe.skipIf(lacks("python3"))("pix-sandbox exec on a terminal", { timeout: 60_000 }, () => {
  it("leaves /dev/tty to the command", async () => {
    const script = 'read answer </dev/tty; echo "<$answer>" >/dev/tty; exit 3';
    await using terminal = startExec(["sh", "-c", `echo "<ready>"; ${script}`]);
    await terminal.shows("<ready>");
    terminal.type("yes\n");
    await terminal.shows("<yes>");
    expect(await terminal.ended).toBe(3);
  });

  it("passes on changes of the window's size", async () => {
    await using terminal = startExec([NODE, "-e", LISTENER]);
    await terminal.shows("<parent");
    terminal.resize(40, 123);
    await terminal.shows("<123 columns>");
    terminal.type("\n");
    expect(await terminal.ended).toBe(7);
  });

  it("stops with the command at Ctrl-Z, and continues with it", async () => {
    await using terminal = startExec([NODE, "-e", LISTENER]);
    await terminal.shows("<parent");
    terminal.type(CTRL_Z);
    expect(await terminal.stopped).toBe(SIGTSTP);
    terminal.continue();
    terminal.type("\n");
    expect(await terminal.ended).toBe(7);
  });

  it.each([
    ["Ctrl-C", CTRL_C, "SIGINT"],
    ["Ctrl-\\", CTRL_BACKSLASH, "SIGQUIT"],
  ])("lets the command receive the signal of %s once", async (_title, key, signal) => {
    const exec = [NODE, BIN, "exec", "--", NODE, "-e", LISTENER];
    await using terminal = startOnTerminal(["sh", "-c", 'trap : INT QUIT; "$@"', "sh", ...exec]);
    const pid = await parentOn(terminal);
    // The command handles the signal before exec does: two that are pending would be one.
    process.kill(pid, "SIGSTOP");
    await expect.poll(() => stateOf(String(pid))).toMatch(/^T/);
    terminal.type(key);
    await terminal.shows(`<1 ${signal}>`);
    process.kill(pid, "SIGCONT");
    // Signals are passed on in order, so that another one of the key would have arrived first.
    process.kill(pid, "SIGUSR2");
    await terminal.shows("<2 SIGUSR2>");
    terminal.type("\n");
    expect(await terminal.ended).toBe(7);
  });

  it("ends by Ctrl-C, with what the command has started, and still writes its report", async () => {
    // A shell that prints and then starts a command can lose a Ctrl-C in between.
    const child = "console.log(`<child ${process.pid}>`); setInterval(() => undefined, 60_000)";
    const words = ["sh", "-c", '"$@"; exit 5', "sh", NODE, "-e", child];
    await using terminal = startExec(words, ["--report"]);
    await terminal.shows(">");
    terminal.type(CTRL_C);
    await terminal.shows("made no call");
    expect(await terminal.ended).toBe(130);
    const [, pid = ""] = /<child (\d+)>/.exec(terminal.screen) ?? [];
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it.each(["SIGTERM", "SIGHUP"] as const)("passes on %s, which no key sends", async (signal) => {
    await using terminal = startExec([NODE, "-e", LISTENER]);
    process.kill(await parentOn(terminal), signal);
    await terminal.shows(`<1 ${signal}>`);
    terminal.type("\n");
    expect(await terminal.ended).toBe(7);
  });
});

function startExec(command: readonly string[], options: readonly string[] = []): Terminal {
  return startOnTerminal([NODE, BIN, "exec", ...options, "--", ...command]);
}

/** The process id that {@link LISTENER} prints. */
async function parentOn(terminal: Terminal): Promise<number> {
  await terminal.shows(">");
  return Number(/<parent (\d+)>/.exec(terminal.screen)?.[1]);
}
