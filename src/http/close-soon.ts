import { clearTimeout, setTimeout } from "../platform/real-time.ts";
import type { Duplex } from "node:stream";

/** How long a connection that is being closed is still read from, in milliseconds. */
const LINGER_MS = 500;

/**
 * Sends the last words on a connection, reads past what the client still sends until it closes too, and
 * cuts it after a moment. Closed at once it would be reset, and the client might lose what it was sent.
 */
export function closeSoon(socket: Duplex, words?: string): void {
  const cut = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once("close", () => clearTimeout(cut));
  socket.end(words);
  socket.resume();
}
