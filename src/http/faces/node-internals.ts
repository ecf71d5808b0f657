// What the sandbox changes in Node's own objects, which Node does not promise to leave alone. Nothing else may.
// test/http/faces/node-internals.test.ts fails on a Node where one of them has changed.
import type { Server, IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/**
 * Passes the bytes of a request's body on as they arrive, without the request's stream: a server that answers a short
 * body spends a tenth of its time in that stream.
 * @param add receives each piece
 * @param end is called after the last one
 * @returns false if a part of the body may be in the stream already, which must then be read
 */
export function takeBody(
  request: IncomingMessage,
  add: (piece: Buffer) => void,
  end: () => void,
): boolean {
  if (request.complete || request.readableLength > 0 || request.readableFlowing !== null)
    return false;
  request.push = (piece: Buffer | null) => {
    if (piece !== null) {
      add(piece);
      return true;
    }
    // Node refers to the request until the connection's next one: it must not keep the body in memory.
    Reflect.deleteProperty(request, "push");
    end();
    return false;
  };
  return true;
}

/** Replaces how Node closes a connection after its last response. */
export function closeBy(socket: Socket, close: () => void): void {
  socket.destroySoon = close;
}

/**
 * Decides about each connection before Node reads a request from it. Node's `maxConnections` would drop a connection
 * without a word.
 * @param onConnection receives the connection, and what lets Node serve it
 */
export function interceptConnections(
  server: Server,
  onConnection: (socket: Socket, serve: () => void) => void,
): void {
  const accept = server.listeners("connection")[0] as ((socket: Socket) => void) | undefined;
  // Other runtimes accept connections in other ways.
  if (!accept) return;
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) =>
    onConnection(socket, () => accept.call(server, socket)),
  );
}
