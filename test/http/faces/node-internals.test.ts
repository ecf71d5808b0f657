import { once } from "node:events";
import http, { type RequestListener, type Server } from "node:http";
import net, { type AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { send } from "../../../src/http/faces/node.ts";
import { closeBy, interceptConnections, takeBody } from "../../../src/http/faces/node-internals.ts";

// What src/http/faces/node-internals.ts changes in Node's objects, on the Node that runs these tests.

let server: Server;
let listener: RequestListener;

beforeEach(async () => {
  server = http.createServer((request, response) => listener(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function connect(): Socket {
  return net.connect((server.address() as AddressInfo).port, "127.0.0.1");
}

/** Sends text on a connection, and returns what comes until the server closes it. */
function exchange(sent: string): Promise<string> {
  const socket = connect();
  socket.end(sent);
  return text(socket);
}

const HEAD = "POST / HTTP/1.1\r\nhost: localhost\r\n";

describe("a body that is taken", () => {
  it("arrives whole, ends once, and leaves nothing behind, one request after another", async () => {
    const bodies: string[] = [];
    const owns: boolean[] = [];
    listener = (request, response) => {
      const pieces: Buffer[] = [];
      const isTaken = takeBody(
        request,
        (piece) => pieces.push(piece),
        () => {
          bodies.push(Buffer.concat(pieces).toString());
          owns.push(Object.hasOwn(request, "push"));
          response.end("ok");
        },
      );
      expect(isTaken).toBe(true);
    };
    const chunked = `${HEAD}transfer-encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n`;
    const sized = `${HEAD}content-length: 5\r\n\r\nthree`;
    const none = `${HEAD}content-length: 0\r\n\r\n`;
    const received = await exchange(`${chunked}${sized}${none}`);

    expect(bodies).toEqual(["onetwo", "three", ""]);
    expect(owns).toEqual([false, false, false]);
    expect(received.match(/200 OK/g)).toHaveLength(3);
  });

  it("is not taken from a request whose stream is read", async () => {
    const takes: boolean[] = [];
    listener = (request, response) => {
      request.resume();
      takes.push(takeBody(request, vi.fn<() => void>(), vi.fn<() => void>()));
      request.once("end", () => response.end());
    };
    await exchange(`${HEAD}content-length: 3\r\n\r\none`);
    expect(takes).toEqual([false]);
  });
});

it("closes a connection after its last response in the way that is given", async () => {
  const close = vi.fn<(socket: Socket) => void>((socket) => socket.end());
  listener = (request, response) => {
    const { socket } = request;
    closeBy(socket, () => close(socket));
    request.resume();
    response.shouldKeepAlive = false;
    response.end("last");
  };
  const received = await exchange(`${HEAD}content-length: 0\r\n\r\n`);
  expect(received).toMatch(/last$/);
  expect(close).toHaveBeenCalledOnce();
});

it("lets Node serve only those connections that are passed on", async () => {
  const requests = vi.fn<RequestListener>((_request, response) => response.end("served"));
  listener = requests;
  let count = 0;
  expect(server.listenerCount("connection")).toBe(1);
  interceptConnections(server, (socket, serve) => {
    if (count++ === 0) serve();
    else socket.end("refused");
  });
  const request = `${HEAD}connection: close\r\ncontent-length: 0\r\n\r\n`;
  expect(await exchange(request)).toMatch(/served$/);
  expect(await exchange(request)).toBe("refused");
  expect(requests).toHaveBeenCalledOnce();
});

it("sends headers and body with one write", async () => {
  const [one, several] = ["_write", "_writev"].map((name) =>
    vi.spyOn(Socket.prototype, name as "write"),
  );
  listener = (request, response) => {
    request.resume();
    send(response, { status: 200, headers: { "x-one": "1" }, body: "é" });
  };
  const socket = connect();
  await once(socket, "connect");
  one?.mockClear();
  socket.end(`${HEAD}connection: close\r\ncontent-length: 0\r\n\r\n`);
  const received = await text(socket);
  expect(received).toMatch(/content-length: 2\r\n(?:.*\r\n)*\r\né$/);
  expect(one).toHaveBeenCalledTimes(2); // the request, and the response
  expect(several).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});
