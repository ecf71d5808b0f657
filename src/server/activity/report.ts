import type { LocalizedText } from "../../text/localized-text.ts";

/** Receives a text about each problem that the sandbox handles by itself. */
export type Report = (text: LocalizedText) => void;

/** Reports in English, a line at a time. */
export function reportTo(
  write: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
): Report {
  return ({ en }) => write(`pix-sandbox: ${en}`);
}

/** @param now the sandbox's time, in ISO 8601 */
export function clockIsBehind(seconds: number, now: string): LocalizedText {
  return {
    en: `the system clock is ${seconds} s behind the newest record of the state file; sandbox time continues at ${now}. Correct the system clock, or set the time with --now.`,
    pt: `o relógio do sistema está ${seconds} s atrás do registro mais novo do arquivo de estado; o tempo do sandbox continua a partir de ${now}. Acerte o relógio do sistema ou defina o horário com --now.`,
  };
}

export function unexpectedError(error: unknown, seed: string): LocalizedText {
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    en: `unexpected error, seed ${seed}: ${details}`,
    pt: `erro inesperado, seed ${seed}: ${details}`,
  };
}
