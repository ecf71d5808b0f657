import type { Io } from "./io.ts";
import { localize } from "./language.ts";
import { say } from "../../text/message.ts";

/** Whether a command can ask questions: the user reads stderr and types on stdin. */
export function canAsk({ stdin, isTerminal }: Io): boolean {
  return stdin.isTTY === true && isTerminal;
}

/** Asks yes-or-no questions on the terminal. Disposing of it stops reading. */
export class Questions implements AsyncDisposable {
  readonly #io: Io;
  readonly #lines: AsyncGenerator<string>;

  constructor(io: Io) {
    this.#io = io;
    this.#lines = linesOf(io.stdin);
  }

  /** Asks until the answer is clear. An empty line means yes, and the end of the input no. */
  async confirm(question: string): Promise<boolean> {
    const choices = localize(say`[Y/n]`);
    for (;;) {
      this.#io.printError(`${question} ${choices}`);
      const { done, value = "" } = await this.#lines.next();
      if (done) return false;
      const answer = (value as string).trim().toLowerCase();
      if (/^(|y|yes|s|sim)$/.test(answer)) return true;
      if (/^(n|no|não|nao)$/.test(answer)) return false;
      this.#io.printError(say`Type y or n.`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lines.return(undefined);
  }
}

async function* linesOf(input: Io["stdin"]): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of input) {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}
