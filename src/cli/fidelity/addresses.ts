import { PROGRAM } from "../../platform/program.ts";
import { say } from "../../text/message.ts";
import { toUrl } from "../../wire/names.ts";
import { CliError, EXIT, usageError } from "../terminal/errors.ts";

/** @throws CliError for a gateway's address that is missing, has no version, or must not be called. */
export function checkBaseUrl(
  given: string | undefined,
  never: readonly string[],
  flag: "--base-url" | "--target",
): string {
  const url = toHttpUrl(given ?? "");
  if (given === undefined || !url || !/\/v\d+\/?$/.test(url.pathname))
    throw usageError(
      say`Pass the staging address, which ends in /v1, with ${flag}.`,
      say`For example: ${PROGRAM} ${flag === "--target" ? "record" : "probe"} ${flag} https://staging.example.com/v1`,
    );
  const host = hostOf(url);
  for (const one of never) {
    const named = toUrl(one.includes("://") ? one : `http://${one.replace(/^\*?\./, "")}`);
    if (!named) throw usageError(say`Invalid --never ${one}: pass a host.`);
    if (`.${host}`.endsWith(`.${hostOf(named)}`))
      throw usageError(say`${host} must not be called: --never names it.`);
  }
  return given.replace(/\/$/, "");
}

/** @throws CliError for an address at which a gateway cannot reach this machine. */
export function checkPublicUrl(given: string | undefined): string | undefined {
  if (given !== undefined && !toHttpUrl(given))
    throw usageError(
      say`Invalid --public-url ${given}.`,
      say`Pass an address such as https://tunnel.example.com.`,
    );
  return given?.replace(/\/$/, "");
}

/** An address to which a path can be added. A password in it would be stored. */
function toHttpUrl(text: string): URL | undefined {
  const url = toUrl(text);
  const isBare =
    url?.search === "" && url.hash === "" && url.username === "" && url.password === "";
  return isBare && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** A dot at the end means the same host. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, "");
}

/** Reports a busy port as such. */
export function orPortTaken<Server>(port: number, starting: Promise<Server>): Promise<Server> {
  return starting.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    throw new CliError(EXIT.inUse, "PORT_TAKEN", say`Port ${port} is in use. Choose another one.`);
  });
}
