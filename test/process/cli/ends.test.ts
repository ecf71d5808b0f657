import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BIN } from "../../support/cli.ts";
import { runMain, serveMain, type ServingMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { type Ended, startProcess } from "../../support/process.ts";
import { watch } from "../../support/core.ts";
import { callsTo } from "../../support/calls.ts";
import { startMerchant } from "../../support/merchant.ts";

describe("webhooks tail", { timeout: 60_000 }, () => {
  it("ends when its output has no reader", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await serveMain();
    const command = `"${process.execPath}" "${BIN}" webhooks tail --url ${sandbox.url} | head -n 1`;
    await using shell = startProcess("sh", ["-c", command]);
    await shell.lines("stderr", 1, (line) => line.startsWith("Connected"));

    const calls = callsTo(sandbox.url);
    const end = watch(shell.ended);
    // It notices at the next line that it prints after `head` has ended.
    for (let count = 1; !end.isSettled; count++) {
      const { body } = await calls.createPayin({ webhook_url: merchant.url });
      await calls.simulate("payin", body.id);
      await merchant.waitFor(count);
    }
    expect(await shell.ended).toMatchObject({ code: 0 });
  });
});

/** Always out of space. */
const FULL = "/dev/full";

describe.skipIf(process.platform !== "linux")(
  "an output that cannot be written",
  { timeout: 60_000 },
  () => {
    let sandbox: ServingMain;
    beforeAll(async () => {
      sandbox = await serveMain();
      await callsTo(sandbox.url).createPayin({ webhook_url: "http://127.0.0.1:9/hook" });
    });
    afterAll(() => sandbox[Symbol.asyncDispose]());
    const run = async (line: string, to = `>${FULL}`): Promise<Ended> => {
      const env = { PIX_SANDBOX_URL: sandbox.url };
      const script = `exec "${process.execPath}" "${BIN}" ${line} ${to}`;
      await using program = startProcess("sh", ["-c", script], { env });
      return await program.ended;
    };

    it.each(["secret", "secret --json", "--help", "requests", "serve --memory --port 0 --json"])(
      "ends the command with 1 and one sentence: %s",
      async (line) => {
        const { code, stderr } = await run(line);
        expect(code).toBe(1);
        expect(stderr).toContain(
          "The output cannot be written: ENOSPC: no space left on device, write.",
        );
        expect(stderr).not.toMatch(/^ {4}at /m);
        expect(stderr.match(/cannot be written/g)).toHaveLength(1);
      },
    );

    it("is one JSON object with --json", async () => {
      const { stderr } = await run("secret --json");
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: "OUTPUT_UNWRITABLE" } });
    });

    it("does not hide why the command itself failed", async () => {
      expect((await run("payin show 5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10")).code).toBe(5);
    });

    it("changes nothing if it is stderr", async () => {
      const to = `2>${FULL}`;
      expect(await run("secret", to)).toMatchObject({ code: 0, stdout: `${sandbox.secret}\n` });
      expect((await run("payin list --limit 0", to)).code).toBe(2);
    });
  },
);

describe("serve", () => {
  it("leaves the state unchanged if the port is in use", async () => {
    await using folder = await createFolder();
    await using other = await serveMain();
    const { code } = await runMain([
      "serve",
      "--port",
      String(other.ready.port),
      "--state",
      folder.at("state.json"),
    ]);

    expect(code).toBe(7);
    expect(existsSync(folder.at("state.json"))).toBe(false);
  });
});
