import { lookup } from "node:dns";
import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { Connections } from "../../src/delivery/connection.ts";

it("a connection is not taken from the moment in which it was idle for too long", async () => {
  const server = http.createServer((_request, response) => response.end());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const socket = net.connect(port, "127.0.0.1");
  await once(socket, "connect");
  const connections = new Connections(lookup, 1);
  const connection = connections.open(origin, socket);
  const request = { path: "/", headers: {}, body: "{}", isLast: false };
  await new Promise<unknown>((resolve, reject) =>
    connection.send(request, {
      onConnecting: () => undefined,
      onSending: () => undefined,
      onResponse: resolve,
      onFailure: reject,
    }),
  );

  connections.release(connection);
  expect(connections.take(origin)).toBe(connection);
  connections.release(connection);
  socket.emit("timeout");
  expect(connections.take(origin)).not.toBe(connection);
  connections.close();
  server.close();
});
