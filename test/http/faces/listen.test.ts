import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { connect } from "node:net";
import tls from "node:tls";
import { H3, toNodeHandler } from "h3";
import { describe, expect, it } from "vitest";
import { listen, type Listening, type ListenOptions } from "../../../src/http/faces/listen.ts";

/** Longer than any test may take: what ends before it did not wait for it. */
const NO_GRACE_NEEDED_MS = 3_600_000;

const OPTIONS = { host: "127.0.0.1", port: 0, https: false } as const;

describe("a server that closes", () => {
  it("does not wait for an idle connection over HTTPS, but for a response", async () => {
    const app = new H3().get("/slow", async () => {
      await closing;
      return "whole";
    });
    let isClosing = (): void => undefined;
    const closing = new Promise<void>((resolve) => {
      isClosing = resolve;
    });
    const listening = await listenTo(app, { ...OPTIONS, https: true });
    const trusting = { port: listening.port, host: "127.0.0.1", rejectUnauthorized: false };
    const idle = tls.connect(trusting).on("error", () => undefined);
    await once(idle, "secureConnect");
    const request = https.get({ ...trusting, path: "/slow", agent: false });
    const answered = once(request, "response") as Promise<[http.IncomingMessage]>;
    // Answered on another connection: by now the server has the request.
    await once(https.get({ ...trusting, path: "/", agent: false }), "response");

    const idleClosed = once(idle, "close");
    const closed = listening.close(NO_GRACE_NEEDED_MS);
    await idleClosed;
    isClosing();
    const [answer] = await answered;
    expect(Buffer.concat(await answer.toArray()).toString()).toBe("whole");
    await closed;
  });

  it("does not wait for an idle connection", async () => {
    const listening = await listenTo(new H3(), OPTIONS);
    const socket = connect(listening.port, "127.0.0.1").on("error", () => undefined);
    await once(socket, "connect");
    // Answered on another connection: by now the server has taken the first one too.
    await fetch(listening.url);

    const closed = once(socket, "close");
    await listening.close(NO_GRACE_NEEDED_MS);
    await closed;
    expect(socket.destroyed).toBe(true);
  });

  it("lets the answer under way leave, and waits no longer than that", async () => {
    let end = (): void => undefined;
    const app = new H3().get(
      "/",
      () =>
        new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(new TextEncoder().encode("first, "));
            end = () => {
              controller.enqueue(new TextEncoder().encode("last"));
              controller.close();
            };
          },
        }),
    );
    const listening = await listenTo(app, OPTIONS);
    const agent = new http.Agent({ keepAlive: true });
    const [answer] = (await once(http.get(listening.url, { agent }), "response")) as [
      http.IncomingMessage,
    ];

    const closed = listening.close(NO_GRACE_NEEDED_MS);
    end();
    expect(Buffer.concat(await answer.toArray()).toString()).toBe("first, last");
    await closed;
    agent.destroy();
  });

  it("cuts running calls after its grace time", async () => {
    const app = new H3().get("/", () => new Promise(() => undefined));
    const listening = await listenTo(app, OPTIONS);
    const request = http.get(listening.url);
    const cut = once(request, "error");
    await once(request, "socket");
    await fetch(`${listening.url}/nowhere`);

    await listening.close(1);
    expect((await cut)[0]).toMatchObject({ code: "ECONNRESET" });
  });

  it("uses no other port than the given one", async () => {
    const first = await listenTo(new H3(), OPTIONS);
    await expect(listenTo(new H3(), { ...OPTIONS, port: first.port })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
    await first.close(NO_GRACE_NEEDED_MS);
  });
});

function listenTo(app: H3, options: ListenOptions): Promise<Listening> {
  return listen(toNodeHandler(app), options);
}
