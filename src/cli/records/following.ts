import { EXIT, ExitCode } from "../terminal/errors.ts";
import type { Io } from "../terminal/io.ts";

interface Stopping extends Disposable {
  readonly signal: AbortSignal;
  /** @throws ExitCode after SIGINT, the end of a command that has no end of its own. */
  throwIfInterrupted(): void;
}

/** Aborts when the command should stop: on a signal, or when its output has no reader. */
export function stopSignal(io: Io): Stopping {
  const stopping = new AbortController();
  let isInterrupted = false;
  const stopListening = io.onSignal((signal) => {
    isInterrupted ||= signal === "SIGINT";
    stopping.abort();
  });
  io.unread.addEventListener("abort", () => stopping.abort());
  return {
    signal: stopping.signal,
    throwIfInterrupted() {
      if (isInterrupted) throw new ExitCode(EXIT.interrupted);
    },
    [Symbol.dispose]: stopListening,
  };
}
