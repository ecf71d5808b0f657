import { commandClient } from "../client/command-client.ts";
import { CliError, EXIT, usageError } from "../terminal/errors.ts";
import { localize, textOf } from "../terminal/language.ts";
import type { Prepared } from "./prepare.ts";
import { say } from "../../text/message.ts";

/** How long the program at a busy port may take to say what it is. */
const PATIENCE_MS = 1000;
/** The codes of system errors about the host or a port that needs privileges. */
const CANNOT_LISTEN = new Set(["EADDRNOTAVAIL", "EACCES", "ENOTFOUND", "EAI_AGAIN"]);

/** Throws an error of a start as a CliError, and other errors unchanged. */
export async function toStartError(
  error: unknown,
  { options: { port, host }, nameOf }: Prepared,
): Promise<never> {
  const { FixtureError, NoCredentialsError, OptionError, UnusableOptionError } =
    await import("../../server/options/errors.ts");
  const { toStateError } = await import("./state-errors.ts");
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
    throw usageError(`${nameOf(error.option)}: ${localize(error.reason)}`);
  if (error instanceof OptionError) throw usageError(textOf(error));
  if (error instanceof NoCredentialsError)
    throw Object.assign(
      usageError(
        textOf(error),
        say`Add credentials to the config file, or remove --assume credentials=listed.`,
      ),
      { cause: error },
    );
  return toStateError(error);
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
