import { setTimeout as wait } from "node:timers/promises";
import type { Command } from "commander";
import type { CommandClient, ClientOptions } from "../command-client.ts";
import { readDurationMs } from "../duration.ts";
import { CliError, EXIT } from "../errors.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";
import { withProgress } from "../progress.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";
import { arg } from "../placeholders.ts";
import { PROGRAM } from "../../platform/program.ts";

/** The pause between two requests. */
const PAUSE_MS = 50;
/** Timers above this limit fire at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export function readyCommand(io: Io): Command {
  const command = clientCommand("ready")
    .option(
      "--wait",
      localize({ en: "wait until a sandbox responds", pt: "espera até um sandbox responder" }),
    )
    .option(
      `--timeout ${arg("duration")}`,
      localize({ en: "how long to wait", pt: "quanto tempo esperar" }),
      "30s",
    )
    .action(
      async (options: ClientOptions & { wait?: boolean; timeout: string; json?: boolean }) => {
        const client = clientFor(options);
        const label = localize({
          en: `Waiting for a sandbox at ${client.url}, at most ${options.timeout}`,
          pt: `Esperando um sandbox em ${client.url}, no máximo ${options.timeout}`,
        });
        const health = await withProgress(io, { label, isSilent: options.json }, () =>
          options.wait ? untilHealthy(client, readDurationMs(options.timeout)) : readHealth(client),
        );
        if (options.json) io.printJson(health);
        else
          io.print(
            localize({
              en: `pix-sandbox ${health.version} is ready at ${client.url}`,
              pt: `pix-sandbox ${health.version} está pronto em ${client.url}`,
            }),
          );
      },
    );
  return withExamples(command, ["ready", "ready --wait --timeout 10s"]);
}

interface Health {
  readonly status: string;
  readonly version: string;
}

function readHealth(client: CommandClient, signal?: AbortSignal): Promise<Health> {
  return client.control<Health>("GET", "/health", undefined, signal);
}

async function untilHealthy(client: CommandClient, timeoutMs: number): Promise<Health> {
  const tooLate = AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMEOUT_MS));
  while (!tooLate.aborted) {
    try {
      return await readHealth(client, tooLate);
    } catch (error) {
      const isMissing =
        error instanceof CliError &&
        error.exitCode === EXIT.noSandbox &&
        error.code !== "WRONG_SCHEME";
      const isDegraded = error instanceof CliError && error.code === "DEGRADED";
      if (!isMissing && !isDegraded && !tooLate.aborted) throw error;
      await wait(PAUSE_MS, undefined, { signal: tooLate }).catch(() => undefined);
    }
  }
  throw new CliError(
    EXIT.timedOut,
    "TIMED_OUT",
    localize({
      en: `No sandbox responded at ${client.url} in time.`,
      pt: `Nenhum sandbox respondeu a tempo em ${client.url}.`,
    }),
    localize({ en: `Start one with: ${PROGRAM} serve`, pt: `Inicie um com: ${PROGRAM} serve` }),
  );
}
