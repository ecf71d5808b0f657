import { execFile } from "node:child_process";
import { toSafeLine } from "../../core/safe-text.ts";
import { CliError, EXIT } from "../errors.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";

/** How long the command may take. */
const LIMIT_MS = 15_000;
/** How much of its error output a message shows. */
const SHOWN = 200;
/** The form of a transaction's id. */
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/**
 * Runs the shell command that makes the merchant create an order.
 * @returns the last id in its output; without one, the whole output.
 * @throws CliError if it fails.
 */
export function runOrderCommand(command: string, io: Pick<Io, "cwd" | "env">): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd: io.cwd, env: { ...io.env }, timeout: LIMIT_MS } as const;
    execFile("sh", ["-c", command], options, (error, stdout, stderr) => {
      if (error) reject(failed(error.killed ? TOO_LONG : stderr.trim().slice(0, SHOWN)));
      else resolve(stdout.match(ID)?.at(-1) ?? stdout.trim());
    });
  });
}

const TOO_LONG = `> ${LIMIT_MS / 1000} s`;

function failed(reason: string): CliError {
  const details = reason && ` (${toSafeLine(reason)})`;
  return new CliError(
    EXIT.unexpected,
    "ORDER_FAILED",
    localize({
      en: `The order's command failed${details}.`,
      pt: `O comando do pedido falhou${details}.`,
    }),
    localize({
      en: "Run it by itself: it must create an order and print the id of its transaction.",
      pt: "Rode-o sozinho: ele deve criar um pedido e imprimir o id da transação.",
    }),
  );
}
