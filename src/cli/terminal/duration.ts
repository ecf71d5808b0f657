import { parseDurationMs } from "../../text/duration.ts";
import { usageError } from "./errors.ts";
import { localize } from "./language.ts";

/**
 * Reads `500ms`, `30s`, `5m`, `2h`, `1d`, or a number of seconds. @returns milliseconds
 * @throws CliError for anything else.
 */
export function readDurationMs(text: string): number {
  const durationMs = parseDurationMs(text);
  if (durationMs !== undefined) return durationMs;
  throw usageError(
    localize({
      en: `Invalid duration ${JSON.stringify(text)}.`,
      pt: `Duração inválida: ${JSON.stringify(text)}.`,
    }),
    localize({
      en: "Use a number and a unit, such as 500ms, 30s, 5m, 2h or 1d.",
      pt: "Use um número e uma unidade, como 500ms, 30s, 5m, 2h ou 1d.",
    }),
  );
}
