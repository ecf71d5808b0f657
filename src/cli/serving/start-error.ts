import {
  FixtureError,
  NoCredentialsError,
  OptionError,
  StateExistsError,
  StateFileError,
  StateInUseError,
  UnusableOptionError,
} from "../../server/options/errors.ts";
import { StorageError } from "../../core/state/ports.ts";
import { commandClient } from "../client/command-client.ts";
import { CliError, EXIT, usageError } from "../terminal/errors.ts";
import { textOf } from "../terminal/language.ts";
import type { Given } from "./options.ts";
import { say } from "../../text/message.ts";

/** How long the program at a busy port may take to say what it is. */
const PATIENCE_MS = 1000;
/** The codes of system errors about the host or a port that needs privileges. */
const CANNOT_LISTEN = new Set(["EADDRNOTAVAIL", "EACCES", "ENOTFOUND", "EAI_AGAIN"]);

/** Throws an error of a start as a CliError, and other errors unchanged. */
export async function toStartError(
  error: unknown,
  { options: { port, host }, find }: Pick<Given, "options" | "find">,
): Promise<never> {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") {
    const running = await versionAt(port, host);
    throw new CliError(
      EXIT.inUse,
      "PORT_TAKEN",
      running === undefined
        ? say`Port ${port} of ${host} is in use.`
        : say`Port ${port} of ${host} is in use by pix-sandbox ${running}.`,
      say`Choose another port with --port, or a free one with --port 0.`,
    );
  }
  if (CANNOT_LISTEN.has(code ?? "")) {
    throw new CliError(
      EXIT.inUse,
      "CANNOT_LISTEN",
      say`Cannot listen on port ${port} of ${host} (${code ?? ""}).`,
      say`Choose another port or host with --port or --host.`,
    );
  }
  if (error instanceof FixtureError)
    throw usageError(
      error.text,
      say`A fixtures file contains payins, payouts and faults, each in the form that its route accepts.`,
    );
  if (error instanceof UnusableOptionError)
    throw usageError(say`${find(error.option).name}: ${error.reason}`);
  if (error instanceof OptionError) throw usageError(textOf(error));
  if (error instanceof NoCredentialsError)
    throw usageError(
      error.text,
      say`Add credentials to the config file, or remove --assume credentials=listed.`,
    );
  return toStateError(error);
}

/** Throws an error of the state as a CliError, and other errors unchanged. */
export function toStateError(error: unknown): never {
  if (error instanceof StateInUseError) {
    throw new CliError(
      EXIT.inUse,
      "STATE_IN_USE",
      textOf(error),
      say`Stop that sandbox, use another state with --state, or store nothing with --memory.`,
    );
  }
  if (error instanceof StateExistsError)
    throw new CliError(EXIT.usage, "STATE_EXISTS", textOf(error));
  if (error instanceof StorageError) {
    const hint = say`Use another state with --state, or store nothing with --memory.`;
    throw new CliError(EXIT.unusableState, "STATE_UNWRITABLE", textOf(error), hint);
  }
  if (error instanceof StateFileError)
    throw new CliError(EXIT.unusableState, "STATE_UNREADABLE", textOf(error));
  throw error;
}

/** The version of the sandbox at a port of this machine; undefined if another program responds, or none. */
async function versionAt(port: number, host: string): Promise<string | undefined> {
  const address = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  for (const scheme of ["http", "https"]) {
    const client = commandClient({
      url: `${scheme}://${address.includes(":") ? `[${address}]` : address}:${port}`,
    });
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const found = await client.call("GET /health", {}, { signal }).catch(() => undefined);
    if (found) return found.version;
  }
  return undefined;
}
