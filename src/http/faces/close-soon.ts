import { clearTimeout, setTimeout } from "../../platform/real-time.ts";
import type { Duplex } from "node:stream";

/** How long a connection that is being closed is still read, in milliseconds. */
const LINGER_MS = 500;

/**
 * Sends the last bytes on a connection, reads on until the client closes too, and cuts the connection after a
 * moment. An immediate close would reset it, and the client might lose the response.
 */
export function closeSoon(socket: Duplex, words?: string): void {
  const cut = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once("close", () => clearTimeout(cut));
  socket.end(words);
  socket.resume();
}
