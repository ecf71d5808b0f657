import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { startCli, startServe } from "../../support/cli.ts";

describe("the way from an empty folder to a paid payin", { timeout: 60_000 }, () => {
  it("has a `ready --wait` that is satisfied once the sandbox is there", async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await using waiting = startCli(["ready", "--wait", "--url", `http://127.0.0.1:${port}`]);
    await once(server, "connection"); // It has asked, and nobody was there.
    server.close();
    await once(server, "close");
    expect(waiting.process.exitCode).toBeNull();

    await using sandbox = await startServe(["--memory", "--port", String(port)]);
    expect(await waiting.ended).toMatchObject({ code: 0, stderr: "" });
    expect(sandbox.ready.port).toBe(port);
  });
});
