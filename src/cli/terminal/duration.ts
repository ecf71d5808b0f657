import { parseDurationMs } from "../../text/duration.ts";
import { usageError } from "./errors.ts";
import { say } from "../../text/message.ts";

/**
 * Reads `500ms`, `30s`, `5m`, `2h`, `1d`, or a number of seconds. @returns milliseconds
 * @throws CliError for anything else.
 */
export function readDurationMs(text: string): number {
  const durationMs = parseDurationMs(text);
  if (durationMs !== undefined) return durationMs;
  throw usageError(
    say`Invalid duration ${JSON.stringify(text)}.`,
    say`Use a number and a unit, such as 500ms, 30s, 5m, 2h or 1d.`,
  );
}
