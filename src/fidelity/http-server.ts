import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";

/** A request that has arrived whole. */
export interface Arrived {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Resolves when the connection is closed, or the response sent. */
  readonly closed: Promise<unknown>;
}

/** The response to a request; `nothing` leaves the connection open. */
export type Reply =
  | "nothing"
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string | readonly string[]>>;
      readonly body?: Uint8Array;
    };

/** A server that hands over whole requests. Disposing of it closes its connections. */
export interface Listening extends AsyncDisposable {
  readonly port: number;
}

/** @throws Error with the code EADDRINUSE if the port is busy. */
export async function listenOn(
  port: number,
  reply: (request: Arrived) => Promise<Reply>,
): Promise<Listening> {
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    const closed = once(response, "close");
    let left = MAX_BYTES;
    request.on("data", (chunk: Buffer) => {
      left -= chunk.length;
      // Through a tunnel, anyone can send anything.
      if (left < 0) request.destroy();
      else chunks.push(chunk);
    });
    request.once("end", () => {
      const { method = "", url = "" } = request;
      const headers = headersOf(request.headers);
      reply({ method, path: url, headers, body: Buffer.concat(chunks), closed })
        .then((given) => {
          if (given === "nothing") return;
          response
            .writeHead(given.status, given.headers as http.OutgoingHttpHeaders)
            .end(given.body);
        })
        // A gateway can send a status that cannot be sent on.
        .catch(() => response.destroy());
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** No body of a gateway or an application has more. */
export const MAX_BYTES = 8 * 2 ** 20;

/** Headers with one text each. */
export function headersOf(headers: http.IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
