import { fileURLToPath } from "node:url";
import { startProcess } from "./process.ts";

const SCRIPT = fileURLToPath(new URL("terminal.py", import.meta.url));

/** A terminal on which a command runs in the foreground. */
export interface Terminal extends AsyncDisposable {
  /** All that was printed on it. */
  readonly screen: string;
  /** Resolves when a text was printed on it. */
  shows(text: string): Promise<void>;
  type(text: string): void;
  resize(rows: number, columns: number): void;
  /** Resolves to the signal that stopped the command the first time. */
  readonly stopped: Promise<number>;
  /** What `fg` does. */
  continue(): void;
  /** Resolves to the command's exit code, or to -n if signal n ended it. */
  readonly ended: Promise<number>;
}

type Event = { output: string } | { stopped: number } | { ended: number };

/** Starts a command on a terminal that Python's standard library opens: Node.js cannot. */
export function startOnTerminal(command: readonly string[]): Terminal {
  const program = startProcess("python3", [SCRIPT, ...command], { stdin: "pipe" });
  const events = (): Event[] =>
    program.stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Event);
  const screen = (): string =>
    events()
      .map((event) => ("output" in event ? event.output : ""))
      .join("");
  const first = async (name: "stopped" | "ended"): Promise<number> => {
    const [line = ""] = await program.lines("stdout", 1, (one) => one.startsWith(`{"${name}"`));
    return (JSON.parse(line) as Record<string, number>)[name] ?? Number.NaN;
  };
  const order = (value: object): void =>
    void program.process.stdin?.write(`${JSON.stringify(value)}\n`);
  return {
    get screen() {
      return screen();
    },
    async shows(text) {
      while (!screen().includes(text)) await program.lines("stdout", events().length + 1);
    },
    type: (text) => order({ type: text }),
    resize: (rows, columns) => order({ resize: [rows, columns] }),
    get stopped() {
      return first("stopped");
    },
    continue: () => order({ continue: true }),
    get ended() {
      return first("ended");
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}
