import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Passes connections on to a port of this machine. */
export interface Proxy extends AsyncDisposable {
  readonly url: string;
  /** Resolves when a client has sent something. */
  readonly used: Promise<void>;
  /** Breaks the connections that are open. */
  cut(): void;
}

export async function startProxy(port: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let wasUsed = (): void => undefined;
  const used = new Promise<void>((resolve) => {
    wasUsed = resolve;
  });
  const server = createServer((incoming) => {
    const outgoing = connect(port, "127.0.0.1");
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      socket
        .on("error", () => undefined)
        .once("close", () => {
          sockets.delete(socket);
          other.destroy();
        });
    }
    incoming.once("data", wasUsed);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    used,
    cut,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      cut();
      await closed;
    },
  };
}
