import { chmod, readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFolder } from "../support/folder.ts";
import { runMain, runMainJson, serveMain, startMain } from "../support/main.ts";

/** A browser that writes down the address that it opens. */
let folder: Awaited<ReturnType<typeof createFolder>>;
let env: { readonly BROWSER: string };
beforeAll(async () => {
  folder = await createFolder();
  env = { BROWSER: folder.at("browser") };
  await writeFile(env.BROWSER, `#!/bin/sh\nprintf '%s' "$*" > "$0.opened"\n`);
  await chmod(env.BROWSER, 0o755);
});
afterAll(() => folder[Symbol.asyncDispose]());

const opened = (): Promise<string> => readFile(`${env.BROWSER}.opened`, "utf8");

describe.skipIf(process.platform === "win32")("opening a browser", { timeout: 60_000 }, () => {
  it("shows the payer's page of a new payin, and prints its address", async () => {
    await using serving = await serveMain();
    const { url } = serving;
    const { code, stderr } = await runMain(["payin", "create", "--open", "--url", url], { env });
    const { data } = await runMainJson<{ data: { id: string }[] }>(["payin", "list", "--url", url]);
    const page = `${url}/_sandbox/pay/${data[0]?.id}`;
    expect(code).toBe(0);
    expect(stderr).toContain(`\nPay it in a browser: ${page}\n`);
    expect(await opened()).toBe(page);
  });

  it("prints the public address, and no link with --json", async () => {
    await using serving = await serveMain(["--memory", "--public-url", "https://pix.example.com/"]);
    const create = ["payin", "create", "--url", serving.url];
    const { stderr } = await runMain(create);
    expect(stderr).toMatch(/: https:\/\/pix\.example\.com\/_sandbox\/pay\/\S+\n$/);
    expect(await runMain([...create, "--json"])).toMatchObject({ code: 0, stderr: "" });
  });

  it("shows the inspector of a sandbox that starts", async () => {
    await using serving = await serveMain(["--memory", "--open"], { env });
    expect(serving.ready.inspector_url).toBe(`${serving.url}/_sandbox/`);
    await expect.poll(opened).toBe(serving.ready.inspector_url);
  });

  it("prints the inspector's address at the start", async () => {
    await using serving = startMain(["serve", "--memory", "--port", "0"]);
    const [line = ""] = await serving.lines("stderr", 1, (one) => one.includes("Inspector"));
    expect(line).toMatch(/^ {2}Inspector {2}http:\/\/127\.0\.0\.1:\d+\/_sandbox\/$/);
  });

  it.each(["/no/such/browser", "false"])("reports a browser that fails: %s", async (BROWSER) => {
    await using serving = await serveMain();
    const args = ["payin", "create", "--open", "--url", serving.url];
    const { code, stderr } = await runMain(args, { env: { BROWSER } });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Could not start a browser\. Open http:\S+ yourself\.$/m);
  });
});
