import { existsSync } from "node:fs";
import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BIN, startServe } from "../../support/cli.ts";
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

describe.skipIf(!existsSync(FULL))("an output that cannot be written", { timeout: 60_000 }, () => {
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

  it.each([
    "secret",
    "secret --json",
    "env",
    "--help",
    "--version",
    "magic",
    "completion bash",
    "assumptions --json",
    "payin list",
    "payin create --qr",
    "requests",
    "requests --follow",
    "serve --memory --port 0 --json",
    "scenario run paid",
    "scenario list",
  ])("ends the command with 1 and one sentence: %s", async (line) => {
    const { code, stderr } = await run(line);
    expect(code).toBe(1);
    expect(stderr).toContain(
      "The output cannot be written: ENOSPC: no space left on device, write.",
    );
    expect(stderr).not.toMatch(/^ {4}at /m);
    expect(stderr.match(/cannot be written/g)).toHaveLength(1);
  });

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
});

describe("serve", () => {
  it("ends if it cannot write the requested file", async () => {
    await using folder = await createFolder();
    const args = [
      "serve",
      "--memory",
      "--port",
      "0",
      "--ready-file",
      folder.at("no/such/folder.json"),
    ];
    const { code, stderr } = await runMain(args);

    expect(code).toBe(2);
    expect(stderr).toContain("--ready-file");
  });

  it("writes a ready file that only its owner can read, and removes it when it stops", async () => {
    await using folder = await createFolder();
    const file = folder.at("ready.json");
    await writeFile(file, "of an earlier run");
    await chmod(file, 0o644);
    await using sandbox = await startServe(["--memory", "--ready-file", file]);

    expect(JSON.parse(await readFile(file, "utf8"))).toEqual(sandbox.ready);
    if (process.platform !== "win32") expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await sandbox.stop("SIGTERM")).toMatchObject({ code: 0 });
    await expect(readdir(folder.path)).resolves.toEqual([]);
  });

  it("takes two signals at once for one, as npm run sends Ctrl-C", async () => {
    await using sandbox = await startServe();
    sandbox.process.kill("SIGINT");
    expect(await sandbox.stop("SIGTERM")).toMatchObject({ code: 0 });
  });

  it("does not remove a ready file that another process has written", async () => {
    await using folder = await createFolder();
    const args = ["--memory", "--ready-file", folder.at("ready.json")];
    await using first = await startServe(args);
    await using second = await startServe(args);
    expect(await first.stop()).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(folder.at("ready.json"), "utf8"))).toEqual(second.ready);
  });

  it.each([
    "http://[bad",
    "ftp://pix.example",
    "https://pix.example/?a=1",
    `https://${"y".repeat(60)}.example`,
  ])("refuses the public address %s in plain words", async (url) => {
    const { code, stderr } = await runMain([
      "serve",
      "--memory",
      "--port",
      "0",
      "--public-url",
      url,
    ]);

    expect(code).toBe(2);
    expect(stderr).toContain("--public-url");
    expect(stderr).not.toContain("    at ");
  });

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
