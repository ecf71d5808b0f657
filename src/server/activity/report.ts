import { type Message, say } from "../../text/message.ts";
import { unwritable } from "../../text/file-reason.ts";
import { english } from "../../text/languages.ts";

/** Receives a text about each problem that the sandbox handles by itself. */
export type Report = (text: Message) => void;

/** Reports in English, a line at a time. */
export function reportTo(
  write: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
): Report {
  return (text) => write(`pix-sandbox: ${english(text)}`);
}

/** @param now the sandbox's time, in ISO 8601 */
export function clockIsBehind(seconds: number, now: string): Message {
  return say`the system clock is ${seconds} s behind the newest record of the state file; sandbox time continues at ${now}. Correct the system clock, or set the time with --now.`;
}

export function traceIsNotWritten(file: string, error: Error): Message {
  return say`the trace was not written to ${file}: ${unwritable(error)}.`;
}

export function unexpectedError(error: unknown, seed: string): Message {
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return say`unexpected error, seed ${seed}: ${details}`;
}
