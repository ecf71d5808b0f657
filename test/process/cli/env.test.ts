import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { BIN } from "../../support/cli.ts";
import { runMain, runMainJson, serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { startMerchant } from "../../support/merchant.ts";
import { startProcess } from "../../support/process.ts";

describe("pix-sandbox env", { timeout: 60_000 }, () => {
  it("prints the route's answer with --json: the address, the secret, the token", async () => {
    await using sandbox = await serveMain();
    const printed = await runMainJson(["env", "--url", sandbox.url]);
    expect(printed).toEqual(await (await fetch(`${sandbox.url}/_sandbox/env`)).json());
    expect(printed).toEqual({
      PIX_SANDBOX_URL: sandbox.url,
      PIX_SANDBOX_BASE_URL: sandbox.ready.base_url,
      PIX_SANDBOX_SECRET: sandbox.secret,
      PIX_SANDBOX_TOKEN: "sandbox",
    });
  });

  it("prints lines that a shell evaluates, with any content", async () => {
    await using sandbox = await serveMain();
    const token = `it's "$(touch hit)" \`touch hit\` \\ café`;
    const script = `eval "$("$0" "$1" env --url "$2" --token "$3")"
      printf '%s\\n' "$PIX_SANDBOX_URL" "$PIX_SANDBOX_BASE_URL" "$PIX_SANDBOX_SECRET" "$PIX_SANDBOX_TOKEN"
      sh -c 'printf "%s\\n" "$PIX_SANDBOX_URL"'; ls`;
    await using folder = await createFolder();
    const args = ["-c", script, process.execPath, BIN, sandbox.url, token];
    await using shell = startProcess("sh", args, { cwd: folder.path });
    expect(await shell.ended).toMatchObject({
      code: 0,
      stderr: "",
      stdout: `${sandbox.url}\n${sandbox.url}/v1\n${sandbox.secret}\n${token}\n${sandbox.url}\n`,
    });
  });

  it("prints the address at which the sandbox was called", async () => {
    await using sandbox = await serveMain(["--memory", "--https"]);
    const url = `https://localhost:${sandbox.ready.port}`;
    const { stdout } = await runMain(["env", "--url", `${url}/v1/`]);
    expect(stdout).toMatch(`export PIX_SANDBOX_URL='${url}'\n`);
    expect(stdout).toMatch(`export PIX_SANDBOX_BASE_URL='${url}/v1'\n`);
  });

  it("prints a listed one, with its own secret, if only those are active", async () => {
    await using folder = await createFolder();
    const credentials = [
      { api_key: "my-shop", api_secret: "whsec_c2VjcmV0c2VjcmV0c2VjcmV0", merchant_id: 1 },
    ];
    await writeFile(
      folder.at("config.json"),
      JSON.stringify({ credentials, assumptions: { credentials: "listed" } }),
    );
    await using sandbox = await serveMain(["--memory", "--config", folder.at("config.json")]);
    expect(await runMainJson(["env", "--url", sandbox.url])).toMatchObject({
      PIX_SANDBOX_SECRET: "whsec_c2VjcmV0c2VjcmV0c2VjcmV0",
      PIX_SANDBOX_TOKEN: "my-shop",
    });
  });

  it("evaluates nothing but the four variables", async () => {
    const answer = {
      "X; touch hit; Y": "1",
      PATH: "/nowhere",
      PIX_SANDBOX_URL: "u",
      PIX_SANDBOX_BASE_URL: "b",
      PIX_SANDBOX_SECRET: "s",
      PIX_SANDBOX_TOKEN: "t",
    };
    const body = JSON.stringify(answer);
    await using other = await startMerchant({ answer: { status: 200, body } });
    const { stdout } = await runMain(["env", "--url", other.at("")]);
    expect(stdout.split("\n").slice(0, -1)).toEqual([
      "export PIX_SANDBOX_URL='u'",
      "export PIX_SANDBOX_BASE_URL='b'",
      "export PIX_SANDBOX_SECRET='s'",
      "export PIX_SANDBOX_TOKEN='t'",
    ]);
  });
});
