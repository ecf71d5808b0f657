/** How much text may wait for a slow reader, in bytes. */
const MAX_WAITING = 256 * 1024;

/** The part of a process's output stream that a log writes to. */
export interface LogTarget {
  write(text: string): unknown;
  /** How many bytes wait for the reader. */
  readonly writableLength: number;
}

/**
 * Writes the lines of a log to a stream. A reader that is slower than the log does not slow the process down:
 * lines that do not fit are dropped, and the next line says how many.
 */
export class LogStream {
  readonly #target: LogTarget;
  readonly #renderDropped: (lines: number) => string;
  #dropped = 0;

  /** @param renderDropped the line that says how many lines were dropped */
  constructor(target: LogTarget, renderDropped: (lines: number) => string) {
    this.#target = target;
    this.#renderDropped = renderDropped;
    stopBlocking(target);
  }

  /** Writes a text of one or more lines. */
  print(text: string): void {
    if (this.#target.writableLength > MAX_WAITING) {
      this.#dropped += text.split("\n").length;
      return;
    }
    if (this.#dropped > 0) this.#target.write(`${this.#renderDropped(this.#dropped)}\n`);
    this.#dropped = 0;
    this.#target.write(`${text}\n`);
  }
}

/** Node writes to pipes and terminals synchronously: a full pipe, or Ctrl-S, would stop the whole process. */
function stopBlocking(target: LogTarget): void {
  const { _handle: handle } = target as { _handle?: { setBlocking?(isBlocking: boolean): void } };
  handle?.setBlocking?.(false);
}
