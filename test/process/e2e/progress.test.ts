import { createServer, type Socket } from "node:net";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BIN } from "../../support/cli.ts";
import { type Sandbox, startSandbox } from "../../../src/client/start.ts";
import { startOnTerminal } from "../../support/terminal.ts";
import { lacks } from "../../support/lacks.ts";

const CLEARED = "\r\u001b[K";

describe.skipIf(lacks("python3"))("progress on a terminal", { timeout: 60_000 }, () => {
  /** Connections of webhooks: they wait while the merchant is silent, and are reset otherwise. */
  const waiting = new Set<Socket>();
  let isSilent = false;
  const silent = createServer((socket) => {
    socket.on("error", () => undefined);
    if (isSilent) waiting.add(socket);
    else socket.destroy();
  });
  const release = (): void => {
    isSilent = false;
    for (const socket of waiting) socket.destroy();
    waiting.clear();
  };
  let sandbox: Sandbox;
  beforeAll(async () => {
    await once(silent.listen(0, "127.0.0.1"), "listening");
    sandbox = await startSandbox({
      clock: "frozen",
      assumptions: { "webhook.retries": "none" },
    });
  });
  afterAll(async () => {
    await sandbox.close();
    silent.close();
  });

  /** Pays a payin whose webhook goes to the silent merchant. */
  const pay = async (): Promise<void> => {
    const { port } = silent.address() as { port: number };
    const shop = sandbox.integration("shop");
    const webhookUrl = `http://127.0.0.1:${port}/`;
    await shop.payins.pay((await shop.payins.create({ value: 1, webhookUrl })).id);
  };
  const run = (...args: string[]) => startOnTerminal([process.execPath, BIN, ...args]);
  const atSandbox = (...args: string[]) => run(...args, "--url", sandbox.url);

  // They mostly wait.
  it.concurrent("is what wait waits for", async () => {
    await using terminal = atSandbox("wait", "payin.expired", "--timeout", "2s");
    await terminal.shows(`${CLEARED}Waiting for payin.expired, at most 2s… 1 s`);
    expect(await terminal.ended).toBe(6);
    expect(terminal.screen).toContain(`${CLEARED}\u001b[31m`);
  });

  it("is how many events moving the clock has caused", async () => {
    isSilent = true;
    await pay();
    await using terminal = atSandbox("clock", "advance", "1m");
    await terminal.shows("Moving the clock… 0 events, 1 s");
    release();
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen.lastIndexOf(CLEARED)).toBeGreaterThan(
      terminal.screen.lastIndexOf("Moving"),
    );
  });

  it("is how many webhooks were resent", async () => {
    const shop = sandbox.integration("resend");
    const hook = await shop.receiver();
    const { port } = silent.address() as { port: number };
    for (const webhookUrl of [hook.url, hook.url, `http://127.0.0.1:${port}/`])
      await shop.payins.pay((await shop.payins.create({ value: 1, webhookUrl })).id);
    await sandbox.settled();
    isSilent = true;
    const args = ["--all", "--token", shop.token];
    await using terminal = atSandbox("webhooks", "resend", ...args);
    await terminal.shows("Resending… 2 webhooks, 1 s");
    release();
    expect(await terminal.ended).toBe(8);
  });
});
