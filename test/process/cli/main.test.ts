import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli, type Serving, startServe } from "../../support/cli.ts";
import { createFolder } from "../../support/folder.ts";
import {
  type MainOptions,
  runMain,
  runMainJson,
  serveMain,
  startMain,
} from "../../support/main.ts";

/** The charge of the central bank's manual. */
const BR_CODE =
  "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4";

describe("main()", { timeout: 60_000 }, () => {
  let sandbox: Serving;
  let folder: Awaited<ReturnType<typeof createFolder>>;
  beforeAll(async () => {
    folder = await createFolder();
    await writeFile(folder.at("story.json"), '{ "about": "x", "steps": [{ "settle": 1 }] }');
    await writeFile(folder.at("captured.http"), "webhook-id: evt_1\n\n{}");
    sandbox = await startServe(["--memory", "--clock", "frozen", "--seed", "7"]);
  });
  afterAll(async () => {
    await sandbox[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  it.each<[string[], MainOptions["env"]?]>([
    [["--version"]],
    [["payn"]],
    [["payin", "list", "--limit", "x", "--json"]],
    [["payin", "list"], { PIX_SANDBOX_LANG: "pt-BR" }],
    [["payin", "show", "5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10"]],
    [["wait", "payin.paid", "--timeout", "0"]],
    [["magic", "--lang", "pt-BR"]],
    [["webhooks", "verify", "captured.http", "--secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]],
    [["serve", "--port", "99999"]],
    [["serve"], { PIX_SANDBOX_CLOCK: "slow" }],
    [["state", "check", "missing.json", "--json"]],
    [["secret"]],
    [["qr", BR_CODE]],
    [["exec", "--", "no-such-command"]],
  ])("does the same as the program: %j with %j", async (args, env = {}) => {
    const options = { cwd: folder.path, env: { PIX_SANDBOX_URL: sandbox.url, ...env } };
    const [inProcess, program] = [await runMain(args, options), await runCli(args, options)];
    const relative = { ...inProcess, stderr: inProcess.stderr.replaceAll(`${folder.path}/`, "") };
    expect(relative).toEqual(program);
  });

  it("reads stdin", async () => {
    const secret = ["--secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];
    const ended = await runMain(["webhooks", "verify", ...secret], { stdin: "a: b\n\n{}" });
    expect(ended).toMatchObject({ code: 8, stdout: "Not valid: missing_header.\n" });
  });

  it("stops serve at a signal", async () => {
    await using serving = startMain(["serve", "--memory", "--port", "0"]);
    await serving.lines("stderr", 1, (line) => line.endsWith("Press Ctrl-C to stop."));
    const { code, stdout, stderr } = await serving.stop();
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toMatch(/Press Ctrl-C to stop\.\nStopping…\n$/);
  });

  it("runs at the same time only as others in its language", async () => {
    await using serving = await serveMain();
    expect((await runMain(["ready", "--url", serving.url])).code).toBe(0);
    await expect(runMain(["magic", "--lang", "pt-BR"])).rejects.toThrow("runs in en");
  });

  it("prints JSON", async () => {
    expect(await runMainJson(["secret"], { env: { PIX_SANDBOX_URL: sandbox.url } })).toMatchObject({
      seed: "7",
    });
  });
});
