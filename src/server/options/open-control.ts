import { isIP } from "node:net";
import { isLoopback } from "../../core/records/webhook-url.ts";
import { UnusableOptionError } from "./errors.ts";
import type { Settings } from "./options.ts";
import { isShared } from "./state-kinds.ts";
import { say } from "../../text/message.ts";

/**
 * Refuses a shared sandbox whose control routes anyone in the network could use.
 * @throws UnusableOptionError; the error of the name service for an unknown host.
 */
export async function refuseOpenControl({
  stateFile,
  host,
  controlToken,
  openControl,
}: Pick<Settings, "stateFile" | "host" | "controlToken" | "openControl">): Promise<void> {
  if (
    !isShared(stateFile) ||
    controlToken !== undefined ||
    openControl ||
    (await isOnlyLocal(host))
  )
    return;
  throw new UnusableOptionError(
    "controlToken",
    say`With the state in a database and the host ${host}, which other machines can reach, a control token is required.`,
    say` Set controlToken, or listen on 127.0.0.1. If everyone in the network may read and change all data, set openControl to true.`,
  );
}

/** Whether only this machine can reach a server that listens on a host. */
async function isOnlyLocal(host: string): Promise<boolean> {
  return (await addressesOf(host)).every((address) => isLoopback(address));
}

/**
 * The IP addresses of a host: a name or an address.
 * @throws the error of the name service for an unknown name.
 */
export async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host)) return [host];
  const { lookup } = await import("node:dns/promises");
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
