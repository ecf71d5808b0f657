import { once } from "node:events";
import http from "node:http";
import { connect } from "node:net";
import { H3 } from "h3";
import { describe, expect, it } from "vitest";
import { listen } from "../../src/http/listen.ts";

/** Longer than any test may take: what ends before it did not wait for it. */
const NO_GRACE_NEEDED_MS = 3_600_000;

const OPTIONS = { host: "127.0.0.1", port: 0, https: false } as const;

describe("a server that closes", () => {
  it("does not wait for a connection on which nothing was asked", async () => {
    const listening = await listen(new H3(), OPTIONS);
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
    const listening = await listen(app, OPTIONS);
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

  it("cuts what goes on when its grace is over", async () => {
    const app = new H3().get("/", () => new Promise(() => undefined));
    const listening = await listen(app, OPTIONS);
    const request = http.get(listening.url);
    const cut = once(request, "error");
    await once(request, "socket");
    await fetch(`${listening.url}/nowhere`);

    await listening.close(1);
    expect((await cut)[0]).toMatchObject({ code: "ECONNRESET" });
  });

  it("takes no port but the one that was asked for", async () => {
    const first = await listen(new H3(), OPTIONS);
    await expect(listen(new H3(), { ...OPTIONS, port: first.port })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
    await first.close(NO_GRACE_NEEDED_MS);
  });
});
