import type { Io } from "./io.ts";
import { type Message, say } from "../../text/message.ts";

/** Whether a command can ask questions: the user reads stderr and types on stdin. */
export function canAsk({ stdin, isTerminal }: Io): boolean {
  return stdin.isTTY === true && isTerminal;
}

/** Asks a yes-or-no question on the terminal, once for a command. All but a yes, such as an empty line, means no. */
export async function confirm(io: Io, question: Message): Promise<boolean> {
  io.printError(say`${question} [y/N]`);
  let line = "";
  for await (const chunk of io.stdin) {
    line += chunk.toString();
    if (line.includes("\n")) break;
  }
  return /^\s*(?:y|yes|s|sim)\s*(?:\n|$)/i.test(line);
}
