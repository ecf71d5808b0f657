import { readFile, stat } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Page, exists, type Stage, startStage } from "../support/documents.ts";
import { runMain } from "../support/main.ts";
import { freePort } from "../support/process.ts";
import { startShop } from "../merchants/start-shop.ts";
import { lacks } from "../support/lacks.ts";

const page = await Page.read("AGENTS.md");
const execTests = page.take("sh", "exec");
const start = page.take("sh", "serve");
const trigger = page.take("sh", "trigger");
const judge = page.take("sh", "check-webhook");
const skill = await readFile("skills/pix-sandbox/SKILL.md", "utf8");

describe("AGENTS.md", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it("has at most 8 KB, and no block that is not run", async () => {
    expect((await stat("AGENTS.md")).size).toBeLessThanOrEqual(8192);
    expect(page.untaken).toEqual([]);
  });

  it("runs a suite with the variables that it names", async () => {
    const names = [...page.text.matchAll(/`(PIX_SANDBOX_\w+)`/g)].map(([, name]) => name ?? "");
    await stage.write(
      "npm",
      `#!/bin/sh\necho "$1 ${names.map((name) => `\${${name}:+set}`).join(" ")}"\n`,
    );
    // A suite that makes no call shows nothing: --fail-on fails it.
    const { code, stdout } = await stage.shell(`chmod +x npm\n${execTests}`);
    expect({ code, stdout }).toEqual({ code: 8, stdout: "test set set set\n" });
    expect(names).toHaveLength(3);
  });

  it("starts a sandbox and waits for it", async () => {
    const port = await freePort();
    const own = `export PIX_SANDBOX_PORT=${port} PIX_SANDBOX_URL=http://127.0.0.1:${port}`;
    const { code } = await stage.shell([own, start, "kill $!", "wait $!"].join("\n"));
    expect(code).toBe(0);
  });

  it("creates a charge, pays it and shows its webhook", async () => {
    const { code, stdout } = await stage.shell(trigger);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {3}signed$/m);
  });

  it.skipIf(lacks("curl"))("judges a handler", async () => {
    const { url: gateway, secret } = stage.sandbox;
    await using shop = await startShop("shop.js", { gateway, secret, token: "shop" });
    const [check = "", report = ""] = judge
      .replaceAll("http://127.0.0.1:3000", shop.url)
      .split(/\n(?=npx)/);
    expect(await stage.shell(check)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/: 0 failures, 0 warnings, 19 passed/) as string,
    });
    const { code, stdout } = await stage.shell(report);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveProperty("rules");
  });

  it.each([
    ["AGENTS.md", page.text],
    ["SKILL.md", skill],
  ])("names commands and pages that exist: %s", async (_name, text) => {
    const commands = [...text.matchAll(/pix-sandbox (?!exec)([a-z][a-z -]*[a-z])/g)];
    expect(commands.length).toBeGreaterThan(3);
    for (const [, words = ""] of commands) {
      const command = words.split(" --")[0]?.split(" ") ?? [];
      expect(await runMain([...command, "--help"])).toMatchObject({ code: 0 });
    }
    for (const [, file = ""] of text.matchAll(/\]\((docs\/[^)#]+)/g))
      expect([file, await exists(file)]).toEqual([file, true]);
  });
});
