import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VERSION } from "../../src/wire/names.ts";
import { commandsIn } from "../support/help.ts";
import { runMain, startMain } from "../support/main.ts";
import { Page, type Stage, startStage } from "../support/documents.ts";
import { lacks } from "../support/lacks.ts";

const page = await Page.read("README.md");
const startFromClone = page.take("sh", "npm start");
const trigger = page.take("sh", "trigger payin.paid");
const printedLog = page.take("");
const nextCommands = page.take("sh", "--qr");
const createWithCurl = page.take("sh", "/v1/payins \\");
const simulateWithCurl = page.take("sh", "/v1/payins/simulations");
const install = page.take("sh", "npm pack");
const handler = page.take("js", "// handler.mjs");
const startHandler = page.take("sh", "node handler.mjs");
const triggerHandler = page.take("sh", "trigger payin.paid --webhook-url");
const testFile = page.take("js", "// shop.test.mjs");
const execTests = page.take("sh", "exec");

describe("README.md", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it("has no block that is not run", () => {
    expect(page.untaken).toEqual([]);
  });

  it("has fewer than 220 lines", () => {
    expect(page.text.split("\n").length).toBeLessThan(220);
  });

  it("names scripts of the package, and so does CONTRIBUTING.md", async () => {
    const contributing = await readFile("CONTRIBUTING.md", "utf8");
    const manifest = await readFile(new URL("../../package.json", import.meta.url), "utf8");
    const { scripts } = JSON.parse(manifest) as { scripts: Record<string, string> };
    expect(startFromClone).toBe("npm ci && npm start");
    const named = [...`${page.text}${contributing}`.matchAll(/npm (?:run (\w+)|(start|test))/g)];
    expect(named.length).toBeGreaterThan(3);
    for (const [, run, own] of named) expect(scripts).toHaveProperty(run ?? own ?? "");
  });

  it("installs the tarball of this version; test/long/ci-recipes runs it", () => {
    expect(install).toContain(`npm install --save-dev ./pix-sandbox-${VERSION}.tgz`);
  });

  it("causes a payment whose webhook is verified, draws a code and pays it", async () => {
    const triggered = await stage.run(trigger);
    expect(triggered).toMatchObject({ code: 0 });
    expect(triggered.stdout).toContain("verified: the signature is valid");

    const next = await stage.run(nextCommands);
    expect(next).toMatchObject({ code: 0 });
    expect(next.stdout).toContain("█");
    expect(next.stdout).toMatch(/^payin \S+ is paid$/m);
    expect(stage.merchant.received).toEqual([]);
  });

  it.skipIf(lacks("curl"))("does the same with curl", async () => {
    const created = JSON.parse((await stage.shell(createWithCurl)).stdout) as { id: string };
    expect(Object.keys(created)).toEqual(["id", "pix_id", "acquirer_id", "qr_code"]);
    const simulated = await stage.shell(simulateWithCurl, created.id);
    expect(JSON.parse(simulated.stdout)).toHaveProperty("message");
    const webhook = await stage.sandbox.webhooks.waitFor({ transactionId: created.id });
    expect(webhook.status).toBe("delivered");
  });

  it("prints in the first terminal what it shows", async () => {
    await using serving = startMain(["serve", "--memory", "--port", "0"]);
    const [line = ""] = await serving.lines("stderr", 1, (text) => text.includes("/v1"));
    const [url = ""] = /http:\S+(?=\/v1)/.exec(line) ?? [];
    expect(trigger).toBe("npx pix-sandbox trigger payin.paid");
    await runMain(["trigger", "payin.paid", "--url", url]);
    const lines = await serving.lines("stderr", 3, (text) => /^\d\d:/.test(text));
    expect(lines.map(withoutChance)).toEqual(printedLog.split("\n").map(withoutChance));
  });

  it("shows a handler that verifies webhooks", async () => {
    const { devDependencies } = JSON.parse(
      await readFile(new URL("../../package.json", import.meta.url), "utf8"),
    ) as { devDependencies: Record<string, string> };
    const [installIt, startIt] = startHandler.split("\n");
    expect(installIt).toBe("npm install standardwebhooks");
    expect(devDependencies).toHaveProperty("standardwebhooks");

    await stage.write("handler.mjs", handler.replace("server.listen(3000);", LISTEN_ANYWHERE));
    await using server = stage.start(`exec env ${startIt}`);
    const [line = ""] = await server.lines("stdout", 1);
    const { sandbox } = stage;
    const payin = await sandbox.payins.create({ webhookUrl: line });
    await sandbox.payins.pay(payin.id);
    const { attempts } = await sandbox.webhooks.waitFor({ transactionId: payin.id });
    expect(attempts).toMatchObject([{ status: 200 }]);
    await server.lines("stdout", 1, (text) => text === `payin.paid ${payin.id} paid`);
    expect((await fetch(line, { method: "POST", body: "{}" })).status).toBe(400);
    const triggered = await stage.run(triggerHandler.replace("http://127.0.0.1:3000/hook", line));
    expect(triggered).toMatchObject({ code: 0 });
  });

  it("shows a test that exec judges: green, and red if the handler redirects", async () => {
    const index = new URL("../../dist/index.js", import.meta.url).href;
    const text = testFile.replace('"pix-sandbox"', JSON.stringify(index));
    await stage.write("shop.test.mjs", text);
    const [setScript = "", redirect = ""] = ["npm pkg set", "hook.respond"].map(
      (start) => page.text.split("`").find((span) => span.startsWith(start)) ?? "",
    );
    await stage.write("package.json", "{}");
    const green = await stage.shell(`${setScript}\n${execTests}`);
    expect(green).toMatchObject({ code: 0 });
    expect(green.stdout).toMatch(/pass 1\b/);
    expect(green.stderr).toContain("Integration review: 0 failures");

    await stage.write("shop.test.mjs", text.replace(/^.*receiver\(\).*$/m, `$&\n${redirect}`));
    const red = await stage.shell(execTests);
    expect(red).toMatchObject({ code: 8 });
    expect(red.stdout).toMatch(/pass 1\b/);
    expect(red.stderr).toContain("Rules broken: webhook_answer_redirects.");
  });

  it("says where the second terminal starts", () => {
    const before = page.text.slice(0, page.text.indexOf(trigger));
    expect(before).toContain("In a second terminal, in the same folder,");
  });

  it("names no command that does not exist", async () => {
    for (const [row] of page.section("Commands at a glance").matchAll(/^\| `.*?` \|/gm)) {
      let group: string[] = [];
      for (const [, one = ""] of row.matchAll(/`([^`]+)`/g)) {
        const words = one.split(" ").filter((word) => /^[a-z]/.test(word));
        // `list` after `payin create` is `payin list`; `trace FILE` is a command of its own.
        const command = one.includes(" ") ? words : [...group, ...words];
        if (command.length > 1) group = command.slice(0, 1);
        const { stdout } = await runMain([...command, "--help"]);
        expect(stdout).toContain(`Usage: pix-sandbox ${command.join(" ")} [`);
      }
    }
  });

  it("names every command of --help", async () => {
    const { stdout } = await runMain(["--help"]);
    const names = commandsIn(stdout);
    expect(names.length).toBeGreaterThan(15);
    const commands = page.section("Commands at a glance");
    for (const name of names) expect(commands).toMatch(new RegExp(`^\\|.*\`${name}\\b.*\\|`, "m"));
  });
});

/** The handler listens on a free port, and prints its address. */
const LISTEN_ANYWHERE = `server.listen(0, "127.0.0.1", () => {
  console.log(\`http://127.0.0.1:\${server.address().port}/\`);
});`;

/** A printed line with a word in place of each part that differs between runs. */
function withoutChance(line: string): string {
  return line
    .replace(/^\d\d:\d\d:\d\d\.\d{3}(?:Z|[+-]\d\d:\d\d)/, "TIME")
    .replace(/ +[\d.]+ ms/, "  MS")
    .replace(/127\.0\.0\.1:\d+/, "ADDRESS")
    .replace(/evt_\w+/, "EVENT")
    .replace(/[0-9a-f]{8}(-[0-9a-f-]{27})?/, "ID");
}
