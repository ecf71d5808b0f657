import { PROGRAM } from "../../platform/program.ts";
import { say } from "../../text/message.ts";
import { toUrl } from "../../wire/url.ts";
import { CliError, EXIT, usageError } from "../terminal/errors.ts";

/** @throws CliError for a gateway's address that is missing, has no version, or must not be called. */
export function checkBaseUrl(
  given: string | undefined,
  never: readonly string[],
  flag: "--base-url" | "--target",
): string {
  const url = toUrl(given ?? "");
  if (given === undefined || !url || !/\/v\d+\/?$/.test(url.pathname) || url.search !== "")
    throw usageError(
      say`Pass the staging address, which ends in /v1, with ${flag}.`,
      say`For example: ${PROGRAM} ${flag === "--target" ? "record" : "probe"} ${flag} https://staging.example.com/v1`,
    );
  const host = url.hostname;
  if (never.some((one) => host === one.toLowerCase() || host.endsWith(`.${one.toLowerCase()}`)))
    throw usageError(say`${host} must not be called: --never names it.`);
  return given.replace(/\/$/, "");
}

/** Reports a busy port as such. */
export function orPortTaken<Server>(port: number, starting: Promise<Server>): Promise<Server> {
  return starting.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    throw new CliError(EXIT.inUse, "PORT_TAKEN", say`Port ${port} is in use. Choose another one.`);
  });
}
