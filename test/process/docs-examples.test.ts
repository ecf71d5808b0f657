import { mkdir, readFile, writeFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { readTrace } from "../support/trace.ts";
import { renderQrPng } from "../../src/http/calls/qr-image.ts";
import { parseAddress } from "../../src/store/postgres/address.ts";
import { commandsIn } from "../support/help.ts";
import { callsTo } from "../support/calls.ts";
import { createCertificate } from "../support/certificate.ts";
import { runMain, runMainJson, serveMain, startMain } from "../support/main.ts";
import { startMerchant } from "../support/merchant.ts";
import { startShop } from "../merchants/start-shop.ts";
import { Page, type Stage, startStage } from "../support/documents.ts";
import { lacks } from "../support/lacks.ts";

/** All pages share one sandbox. `test/long/ci-recipes` runs docs/ci.md, `test/long/consumers` the frameworks' examples. */
let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterEach(() => stage.sandbox.reset());
afterAll(() => stage[Symbol.asyncDispose]());

describe("docs/cli.md", async () => {
  const page = await Page.read("docs/cli.md");
  const listing = page.take("sh", "payin list");
  const serve = page.take("sh", "serve");
  page.take("sh", "pix-sandbox demo"); // test/process/demo starts it.
  const protect = page.take("sh", "--host 0.0.0.0");
  const secure = page.take("sh", "--tls-cert");
  const address = page.take("text", "postgres://");
  const config = page.take("json");
  const agents = page.take("json", "mcpServers");
  const exec = page.take("sh", "exec --seed");
  const grid = page.take("sh", "exec --each");
  const log = page.take("text", "-->");
  const codes = page.take("sh", "decode");
  const ids = page.take("sh", "pay last");
  const trigger = page.take("sh", "trigger");
  const report = page.take("sh", "report --fail-on");
  const checks = [page.take("sh", "check-webhook"), page.take("sh", "check-webhook")];

  it("has no block that is not run", () => expect(page.untaken).toEqual([]));

  it("configures an agent with a command that exists; test/process/mcp speaks to it", async () => {
    const { mcpServers } = JSON.parse(agents) as {
      mcpServers: Record<string, { command: string; args: readonly string[] }>;
    };
    const [{ command, args } = { command: "", args: [] }] = Object.values(mcpServers);
    expect([command, ...args.slice(0, 2)]).toEqual(["npx", "--no", "pix-sandbox"]);
    expect(await runMain([...args.slice(2), "--help"])).toMatchObject({ code: 0 });
  });

  it("takes last in place of an id", async () => {
    const { code, stdout } = await stage.run(ids);
    expect(code).toBe(0);
    expect(stdout).toContain("payin.paid");
  });

  it("pays and explains codes", async () => {
    const picture = renderQrPng((await stage.sandbox.payins.create()).qrCode);
    await writeFile(stage.at("charge.png"), picture);
    await stage.write(
      "jq",
      "#!/bin/sh\nnode -e 'process.stdin.on(\"data\", (text) => console.log(JSON.parse(text).qr_code))'\n",
    );
    const { code, stdout } = await stage.shell(`chmod +x jq\n${codes}`);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^payin \S+ is paid\n[^]+ {3}verified: .+\n00020101/);
  });

  it("shows commands that work", { timeout: 60_000 }, async () => {
    expect(await stage.run(listing)).toMatchObject({ code: 0 });
    expect(await stage.run(trigger)).toMatchObject({ code: 0 });
    // The report judges what a merchant has done. It writes a file.
    await callsTo(stage.sandbox.url).createPayin({ webhook_url: "http://127.0.0.1:9/hook" });
    expect(await stage.shell(report)).toMatchObject({ code: 0 });
    expect(await stage.shell(exec)).toMatchObject({ code: 0, stdout: `${process.version}\n` });
    expect(await stage.shell(grid)).toMatchObject({ code: 0 });
  });

  it("checks a handler, with orders and their effects too", async () => {
    const { url: gateway, secret } = stage.sandbox;
    await using shop = await startShop("shop.js", { gateway, secret, token: "shop" });
    await stage.write(
      "jq",
      "#!/bin/sh\nnode -e 'process.stdin.on(\"data\", (text) => console.log(JSON.parse(text).transaction))'\n",
    );
    const [plain = "", withOrders = ""] = checks.map((block) =>
      block.replaceAll("http://localhost:3000", shop.url).replaceAll("localhost:3000", shop.url),
    );
    // A shop refuses transactions that it does not know.
    expect((await stage.shell(plain)).stdout).toContain("Integration review: 0 failures");
    const { code, stdout } = await stage.shell(`chmod +x jq\n${withOrders}`);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Integration review: 0 failures, 0 warnings, 19 passed/),
    });
  });

  it("shows the lines of the log as serve prints them", async () => {
    await using merchant = await startMerchant({ answer: 401 });
    const args = ["serve", "--memory", "--port", "0", "--assume", "webhook.retries=none"];
    await using serving = startMain(args);
    const [api = ""] = await serving.lines("stderr", 1, (line) => line.includes("http://"));
    await serving.lines("stderr", 1, (line) => line.startsWith("Ready"));
    const calls = callsTo(/http:\S+(?=\/v1)/.exec(api)?.[0] ?? "", "sandbox");
    const { body } = await calls.createPayin({ webhook_url: `${merchant.url}/hook` });
    await calls.simulate("payin", body.id);
    await serving.lines("stderr", 1, (line) => line.startsWith("!!  to send"));
    // The page's ids are short, as on a terminal.
    const masked = (text: string): string =>
      text
        .replace(/\d\d:\d\d:\d\d\.\d{3}(?:Z|[+-]\d\d:\d\d)/g, "TIME")
        .replace(/ +[\d.]+ ms/g, "  MS")
        .replace(/ --url \S+/g, "")
        .replace(/http:\S+/g, "URL")
        .replace(/evt_\w+/g, "evt_ID")
        .replace(/[0-9a-f]{8}(-[0-9a-f-]{27})?/g, "ID");
    const printed = masked(serving.stderr).split("\n");
    for (const line of masked(log).split("\n")) expect(printed).toContain(line);
  });

  it("starts a sandbox with the options and the config file that it shows", async () => {
    await stage.write("pix-sandbox.config.json", config);
    const args = serve.replace("npx pix-sandbox serve ", "").split(" ");
    await using serving = await serveMain(args, { cwd: stage.at(".") });
    expect(serving.ready).toMatchObject({ seed: "42", state_file: null });
    const answer = await fetch(`${serving.url}/_sandbox/assumptions`);
    const { data } = (await answer.json()) as { data: object[] };
    const { assumptions } = JSON.parse(config) as { assumptions: Record<string, string> };
    for (const [name, choice] of Object.entries(assumptions))
      expect(data).toContainEqual(expect.objectContaining({ name, choice }));
  });

  it.skipIf(lacks("openssl"))("serves HTTPS with certificate files", async () => {
    createCertificate(stage.at("server.pem"), stage.at("server-key.pem"));
    await using serving = stage.start(
      secure.replace("npx pix-sandbox serve", "exec npx pix-sandbox serve --memory --port 0"),
    );
    await serving.lines("stderr", 1, (line) => line.startsWith("Ready"));
    expect(serving.stderr).toContain("https://127.0.0.1:");
  });

  it("shows an address of a database", () => {
    expect(parseAddress(address)).toMatchObject({ sandbox: "name", connectTimeout: 3 });
  });

  it("protects a sandbox that other machines can reach", async () => {
    await using serving = stage.start(
      protect.replace("npx pix-sandbox serve", "exec npx pix-sandbox serve --memory --port 0"),
    );
    await serving.lines("stderr", 1, (line) => line.startsWith("Ready"));
    expect(serving.stderr).not.toContain("Warning");
    const [url = ""] = /http:\/\/127\S+(?=\/v1)/.exec(serving.stderr) ?? [];
    expect((await fetch(`${url}/_sandbox/secret`)).status).toBe(401);
  });

  it("names every command and every option of --help", async () => {
    const { stdout } = await runMain(["--help"]);
    const commands = commandsIn(stdout);
    expect(commands.length).toBeGreaterThan(15);
    for (const name of commands)
      expect(page.text).toMatch(new RegExp(`^(\\|.*\`|### )${name}\\b`, "m"));
    for (const command of ["serve", "exec"]) {
      const help = await runMain([command, "--help"]);
      const options = [...help.stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)];
      expect(options.length).toBeGreaterThan(20);
      for (const [, option = ""] of options)
        if (option !== "--help") expect(page.text).toContain(`\`${option}`);
    }
  });
});

describe("docs/testing.md", async () => {
  const page = await Page.read("docs/testing.md");
  const inTest = page.take("js", "import assert");
  const receiving = page.take("js", "import assert");
  const inScript = page.take("js", "// pay.js");
  const events = page.take("js", "sandbox.events()");
  const assertions = page.take("js", "expectNoRefusedCalls");
  const report = page.take("js", "shop.report(");
  const exec = page.take("sh", "exec");
  const serve = page.take("sh", "--ready-file");
  const evalEnv = page.take("sh", "eval");
  const nodeTest = page.take("js", "// shop.node-test.js");
  // test/long/consumers runs these.
  for (const name of ["vitest.config.js", "shop.test.js", "shop.spec.js", "checkout.spec.js"])
    page.take("js", `// ${name}`);
  for (const name of ["jest.config.cjs", "shop.test.cjs"]) page.take("js", `// ${name}`);
  for (const name of ["vitest.dom.config.js", "sandbox-setup.js"]) page.take("js", `// ${name}`);
  // test/process/package.test.ts runs it.
  page.take("sh", "npx esbuild");
  const pytest = ["# conftest.py", "# test_charge.py"].map((name) => page.take("python", name));
  const phpunit = ["// tests/bootstrap.php", "// tests/ChargeTest.php"].map((name) =>
    page.take("php", name),
  );

  // test/long/consumers/playwright.test.ts runs it.
  page.take("js", "// expiry.spec.js");

  it("has no block that is not run", () => expect(page.untaken).toEqual([]));

  it.each([inTest, receiving])("shows a test that passes", async (program) => {
    expect(await stage.program(program)).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  it("shows how to read events", async () => {
    const { code, stdout, stderr } = await stage.program(events);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n").toSorted()).toEqual([
      "",
      "paid 10.5",
      "paid 25",
      "payin.paid 10.5",
      "payin.paid 25",
    ]);
  });

  it("shows assertions that pass", async () => {
    expect(await stage.program(assertions)).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  it("shows a review that passes", async () => {
    expect(await stage.program(report)).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  it("shows a suite of node:test that passes", async () => {
    expect(await stage.program(nodeTest)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\S pass 1$/m) as string,
    });
  });

  it("shows a script that pays as its integration", async () => {
    const { code, stdout } = await stage.program(inScript);
    expect({ code, stdout }).toMatchObject({ code: 0 });
    const { type, data } = JSON.parse(stdout) as { type: string; data: { id: string } };
    expect(type).toBe("payin.paid");
    const { integration } = await stage.sandbox.payins.get(data.id);
    expect(integration).toBe("my-shop");
  });

  it("names the variable that a program reads", async () => {
    await stage.write("npm", `#!/bin/sh\necho "$1 $PIX_API_URL"\n`);
    const { code, stdout, stderr } = await stage.shell(`chmod +x npm\n${exec}`);
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/^test http:\/\/127\.0\.0\.1:\d+\/v1\n$/);
    expect(stderr).toContain("made no call to the sandbox of exec");
  });

  it("starts a sandbox for other languages", async () => {
    const args = serve.replace("npx pix-sandbox serve ", "").split(" ");
    await using serving = await serveMain(args, { cwd: stage.at(".") });
    const written = await readFile(stage.at("ready.json"), "utf8");
    expect(JSON.parse(written)).toEqual(serving.ready);
  });

  it("starts a sandbox in a fixture of pytest", async ({ skip }) => {
    skip(lacks("pytest"));
    await stage.write("conftest.py", pytest[0] ?? "");
    await stage.write("test_charge.py", pytest[1] ?? "");
    const { code, stdout } = await stage.shell("python3 -m pytest -p no:cacheprovider");
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("1 passed"),
    });
  });

  it("starts a sandbox in PHPUnit's bootstrap file", async ({ skip }) => {
    skip(lacks("phpunit"));
    await mkdir(stage.at("tests"));
    await stage.write("tests/bootstrap.php", phpunit[0] ?? "");
    await stage.write("tests/ChargeTest.php", phpunit[1] ?? "");
    expect(page.text).toContain("`phpunit --bootstrap tests/bootstrap.php tests`");
    const { code, stdout } = await stage.shell("phpunit --bootstrap tests/bootstrap.php tests");
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("OK (1 test"),
    });
  });

  it("sets the variables of a running sandbox", async () => {
    const { url, secret } = stage.sandbox;
    const script = `${evalEnv}\necho "$PIX_SANDBOX_URL $PIX_SANDBOX_SECRET"`;
    expect(await stage.shell(script)).toMatchObject({ code: 0, stdout: `${url} ${secret}\n` });
  });

  it("names every member of an integration", () => {
    const { token: _, ...members } = stage.sandbox.integration("docs");
    for (const [name, member] of Object.entries(members)) {
      expect(page.text).toMatch(new RegExp(`\\| .*\`${name}\\b`));
      if (typeof member !== "object") continue;
      for (const method of Object.keys(member))
        expect(page.text).toMatch(new RegExp(`\`(${name}\\.)?${method}`));
    }
  });
});

describe("docs/webhooks.md", async () => {
  const page = await Page.read("docs/webhooks.md");
  const payload = page.take("json");
  const secret = page.take("sh", "secret");
  const tail = page.take("sh", "tail");
  const inScript = page.take("sh", "wait");
  const verify = page.take("sh", "verify");
  const configure = page.take("sh", "PUT");
  const shown = [...page.text.matchAll(/\]\(\.\.\/(examples\/\S+)\):\n\n```(\w+)\n/g)];
  const verifications = shown.map(([, file = "", kind = ""]) => ({ file, block: page.take(kind) }));

  it("has no block that is not run", () => expect(page.untaken).toEqual([]));

  it.each(verifications)("shows the verification of $file", async ({ file, block }) => {
    // test/long/examples runs these files.
    const text = await readFile(new URL(`../../${file}`, import.meta.url), "utf8");
    expect(withoutIndent(text)).toContain(`\n${withoutIndent(block)}\n`);
  });

  it("shows the verification in seven languages", () => expect(verifications).toHaveLength(7));

  it("shows the payload of a payment's webhook, and the status after a simulation", async () => {
    const { payins, webhooks } = stage.sandbox;
    const paid = await payins.create({ webhookUrl: stage.merchant.url });
    await payins.pay(paid.id);
    const { body } = await webhooks.waitFor({ transactionId: paid.id });
    expect(JSON.parse(body)).toMatchObject(toExpected(payload));
    const simulated = await payins.create({ webhookUrl: stage.merchant.url });
    await payins.simulate(simulated.id);
    const second = await webhooks.waitFor({ transactionId: simulated.id });
    expect(JSON.parse(second.body)).toMatchObject({ data: { status: "completed" } });
    expect(page.text).toContain("After a simulation (`POST /v1/payins/simulations`)");
  });

  it("prints the secret", async () => {
    expect(await stage.run(secret)).toMatchObject({ stdout: `${stage.sandbox.secret}\n` });
  });

  it("forwards a webhook, waits for it, resends it and verifies it", async () => {
    const { sandbox, merchant } = stage;
    await using tailing = stage.start(`exec ${tail}`);
    await tailing.lines("stderr", 1);
    const { id } = await sandbox.payins.create({ webhookUrl: merchant.url });
    await sandbox.payins.pay(id);
    const isOurs = ({ body }: { readonly body: string }): boolean => body.includes(id);
    const [webhook, forwarded] = await merchant.waitFor(2, isOurs);
    expect(forwarded?.body).toBe(webhook?.body);
    await tailing.stop();

    const script = await stage.run(inScript);
    expect(script).toMatchObject({ code: 0 });
    expect(script.stdout).toContain(id);
    await merchant.waitFor(3, isOurs);

    const head = Object.entries(webhook?.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
    await stage.write("captured.http", `${head.join("\r\n")}\r\n\r\n${webhook?.body}`);
    expect(await stage.shell(verify)).toMatchObject({ code: 0, stderr: "" });
  });

  it.skipIf(lacks("curl"))("configures a second address", async () => {
    const { code, stdout } = await stage.shell(configure);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      webhook_url: stage.merchant.at("/hook"),
      events: ["payment.received", "payment.failed"],
    });
  });

  it("names every mistake that `webhooks verify` recognizes", async () => {
    const source = await readFile(
      new URL("../../src/webhook-diagnosis/flaw.ts", import.meta.url),
      "utf8",
    );
    const [, union = ""] = /export type Mistake =([^;]*);/.exec(source) ?? [];
    const mistakes = union.match(/\w+/g) ?? [];
    expect(mistakes.length).toBeGreaterThan(5);
    for (const mistake of mistakes) expect(page.text).toContain(`\`${mistake}\``);
  });
});

describe("docs/faults.md", async () => {
  const page = await Page.read("docs/faults.md");
  const byCommand = page.take("sh", "faults add");
  const byRoute = page.take("sh", "/_sandbox/faults");
  const byHeader = page.take("sh", "x-sandbox-fault");
  const race = page.take("js", "// race.mjs");
  const printed = page.take("");

  it("has no block that is not run", () => expect(page.untaken).toEqual([]));

  it("adds, lists and removes a fault by command", async () => {
    const { code, stdout } = await stage.run(byCommand);
    expect(code).toBe(0);
    expect(stdout).toContain("error=EXTERNAL_ERROR");
    expect(await stage.sandbox.faults.list()).toEqual([]);
  });

  it.skipIf(lacks("curl"))("adds a fault by route and by header", async () => {
    const added = JSON.parse((await stage.shell(byRoute)).stdout) as object;
    expect(added).toMatchObject({ on: "payouts.create", times: 1, integration: "my-shop" });
    const refused = JSON.parse((await stage.shell(byHeader)).stdout) as object;
    expect(refused).toMatchObject({ code: "EXTERNAL_ERROR" });
  });

  it("arranges a race", async () => {
    expect(await stage.program(race)).toMatchObject({ stdout: `${printed}\n`, stderr: "" });
  });

  it("has every magic value", async () => {
    const { data } = await runMainJson<{ data: Record<string, string>[] }>(["magic"]);
    expect(data.length).toBeGreaterThan(3);
    for (const { name, cpf } of data) {
      const rows = page.section("Magic values").split("\n");
      expect(rows.find((row) => row.startsWith(`| \`${name}\``))).toContain(`\`${cpf}\``);
    }
  });
});

describe("docs/fixtures.md", async () => {
  const page = await Page.read("docs/fixtures.md");
  const fixtures = page.take("json");
  const serve = page.take("sh");

  it("has no block that is not run", () => expect(page.untaken).toEqual([]));

  it("starts with its fixtures", async () => {
    await stage.write("fixtures.json", fixtures);
    const args = serve.replace("npx pix-sandbox serve ", "").split(" ");
    await using serving = await serveMain(args, { cwd: stage.at(".") });
    const answer = await fetch(`${serving.url}/_sandbox/payins`);
    expect(await answer.json()).toMatchObject({
      data: [{ integration: "my-shop", status: "paid", value: 10.5 }],
    });
  });
});

/** A class indents a method that the page shows alone. */
function withoutIndent(text: string): string {
  return text.replaceAll(/^[ \t]+/gm, "");
}

/** What a shown document promises of a real one: a text with "…" stands for any text with that beginning. */
function toExpected(shown: string): object {
  return JSON.parse(shown, (name, value: unknown) => {
    if (typeof value === "string" && value.endsWith("…"))
      return expect.stringMatching(`^${/^([a-z]+_|E)?/.exec(value)?.[0]}.`) as unknown;
    return name === "created_at" ? (expect.stringMatching(/^\d{4}-\S+Z$/) as unknown) : value;
  }) as object;
}

// Both pages have the same blocks: test/docs-languages.test.ts compares them.
describe("docs/traces.md", async () => {
  const page = await Page.read("docs/traces.md");
  const [exec, serve] = page.take("sh", "exec --trace").split("\n");
  const running = page.take("sh", "trace trace.html");
  const ofTest = page.take("js", "shop.trace()");

  it("has no block that is not run", () => expect(page.untaken).toEqual([]));

  it("writes the trace of a command", async () => {
    await stage.write("npm", "#!/bin/sh\n");
    expect(await stage.shell(`chmod +x npm\n${exec}`)).toMatchObject({ code: 0 });
    expect(await readFile(stage.at("trace.html"), "utf8")).toContain('id="trace"');
    expect(serve).toBe("npx pix-sandbox serve --memory --trace trace.html");
  });

  it("writes the trace of a running sandbox, and of one test", async () => {
    expect(await stage.shell(running)).toMatchObject({ code: 0 });
    expect(await stage.program(ofTest)).toMatchObject({ code: 0, stderr: "" });
    expect(await readFile(stage.at("trace.html"), "utf8")).toContain('id="trace"');
    const { rows } = readTrace(await readFile(stage.at("a-charge-is-paid.html"), "utf8"));
    expect(rows["/payins"]).toMatchObject([{ status: "paid" }]);
  });
});
