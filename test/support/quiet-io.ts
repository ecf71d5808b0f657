import { Chalk } from "chalk";
import type { Io } from "../../src/cli/terminal/io.ts";

/** A terminal that shows nothing but what is printed, and only to `print`. */
export function quietIo(print: (text: string) => void = () => undefined): Io {
  const color = new Chalk({ level: 0 });
  return {
    env: {},
    cwd: process.cwd(),
    stdin: process.stdin,
    print,
    printJson: () => undefined,
    log: () => undefined,
    showStatus: () => undefined,
    isTerminal: false,
    printError: () => undefined,
    color,
    errorColor: color,
    unread: new AbortController().signal,
    onSignal: () => () => undefined,
  };
}
