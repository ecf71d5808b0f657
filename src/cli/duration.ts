import { usageError } from "./errors.ts";
import { localize } from "./language.ts";

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Reads `500ms`, `30s`, `5m`, `2h`, `1d`, or a number of seconds. @returns milliseconds
 * @throws CliError for anything else.
 */
export function readDurationMs(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text);
  if (!match)
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
  return Number(match[1]) * (UNIT_MS[match[2] ?? "s"] ?? 1000);
}
