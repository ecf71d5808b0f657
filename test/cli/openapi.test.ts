import { describe, expect, it } from "vitest";
import { runMain, runMainJson, serveMain } from "../support/main.ts";
import { freePort } from "../support/process.ts";

interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, unknown>>;
}

describe("openapi", { timeout: 60_000 }, () => {
  it("prints the document without a sandbox, and names serve's address", async () => {
    const env = { PIX_SANDBOX_URL: `http://127.0.0.1:${await freePort()}` };
    const { code, stdout, stderr } = await runMain(["openapi"], { env });

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const document = JSON.parse(stdout) as Document;
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.servers).toEqual([{ url: "http://127.0.0.1:7490" }]);
    expect(document.info.version).toBe((await runMain(["--version"])).stdout.trim());
    expect(stdout.split("\n").length).toBeGreaterThan(1000);
  });

  it("prints a sandbox's response, except for its address", async () => {
    await using sandbox = await serveMain();
    const answer = await fetch(`${sandbox.url}/_sandbox/openapi.json`);
    const served = (await answer.json()) as Document;

    expect({ ...served, servers: [] }).toEqual({
      ...(await runMainJson<Document>(["openapi"])),
      servers: [],
    });
  });
});
