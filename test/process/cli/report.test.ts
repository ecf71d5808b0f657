import { readFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Review, type Sandbox, startSandbox } from "../../../src/index.ts";
import { RULE_IDS } from "../../../src/review/rules.ts";
import { callsTo } from "../../support/calls.ts";
import { runCli } from "../../support/cli.ts";
import { createFolder } from "../../support/folder.ts";
import { type MainOptions, runMain } from "../../support/main.ts";
import { type Merchant, startMerchant } from "../../support/merchant.ts";

let sandbox: Sandbox;
let merchant: Merchant;
let folder: Awaited<ReturnType<typeof createFolder>>;
beforeAll(async () => {
  sandbox = await startSandbox({ clock: "frozen" });
  merchant = await startMerchant();
  folder = await createFolder();
});
afterEach(async () => {
  merchant.answerWith(200);
  await sandbox.reset();
  await sandbox.fetch("/_sandbox/report", { method: "DELETE" });
});
afterAll(async () => {
  await sandbox.close();
  await merchant.close();
  await folder[Symbol.asyncDispose]();
});

const report = (args: readonly string[] = [], options: MainOptions = {}) =>
  runMain(["report", "--url", sandbox.url, ...args], { cwd: folder.path, ...options });

/** Creates a charge as the merchant does. */
async function charge(members: object = {}, token?: string): Promise<string> {
  const calls = callsTo(sandbox.url, token);
  return (await calls.createPayin({ webhook_url: merchant.url, ...members })).body.id;
}

async function pay(members: object = {}) {
  return sandbox.payins.pay(await charge(members));
}

/** Charges whose webhooks redirect and then fail, and one with a CPF in its address. */
async function misbehave(): Promise<void> {
  const before = merchant.received.length;
  merchant.answerWith(() => (merchant.received.length <= before + 5 ? 302 : 410));
  for (let count = 0; count < 5; count++) await pay({ value: 20 + count });
  await sandbox.clock.advance({ hours: 24 });
  merchant.answerWith(200);
  await pay({ webhook_url: merchant.at("/hook?cpf=12345678909") });
  await sandbox.settled();
}

const readRoute = async (format = "json"): Promise<string> =>
  (await sandbox.fetch(`/_sandbox/report?format=${format}`)).text();

describe("report", { timeout: 60_000 }, () => {
  it("shows each cause with what it implies, its cost, the newest evidence and a command", async () => {
    await misbehave();
    const { code, stdout, stderr } = await report();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^Integration review: 2 failures, 1 warning, \d passed, \d+ not seen\n\nFailure 7 /,
    );
    const [, cause = ""] = stdout.split("\n\n");
    const { rules } = JSON.parse(await readRoute()) as Review;
    const redirects = rules.find(({ id }) => id === "webhook_answer_redirects");
    const shown = redirects?.evidence.slice(-3) ?? [];
    expect(cause.split("\n")).toEqual([
      "Failure 7 webhook_answer_redirects",
      "  It responds to a webhook with a redirect. Seen 5 times.",
      "  What it costs: No gateway follows it: the webhook is never delivered.",
      "  What to change: Register the final address: its protocol, host and slash at the end.",
      "  It implies 8 webhook_never_received: It accepts none of a webhook's attempts. Seen 5 times.",
      ...shown.flatMap(({ at, says, command }) => [
        `  - ${at} ${says}`,
        `      ${command} --url ${sandbox.url}`,
      ]),
      `  - 2 earlier cases: npx pix-sandbox report --json --url ${sandbox.url}`,
    ]);
    expect(shown).toHaveLength(3);
    expect(stdout).not.toContain("Failure 8");
    expect(stdout).toContain("\nWarning 11 personal_data_in_address\n");
    expect(stdout).toMatch(
      /\nPassed\n[^]*\n {2}5 webhook_answer_slow: It responded within 5 s\.\n/,
    );
    // Rules that lack the same are named together.
    expect(stdout).toContain("\n  1 payout_new_key_after_failure, 2 unknown_outcome_not_retried\n");
    expect(stdout).toContain("report --questions");
  });

  it("shows text from outside without its control characters", async () => {
    const webhook_url = merchant.at("/hook?cpf=12345678909");
    await pay({ webhook_url, description: "\u001b[2J" });
    for (const args of [[], ["--questions"]])
      // oxlint-disable-next-line no-control-regex -- control characters are what it looks for.
      expect((await report(args)).stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  it("prints with --json what the route answers, in every language", async () => {
    await misbehave();
    for (const lang of ["en", "pt-BR"]) {
      const { stdout } = await report(["--json", "--lang", lang]);
      expect(JSON.parse(stdout)).toEqual(JSON.parse(await readRoute()));
    }
  });

  it("prints Markdown, and the questions for an e-mail", async () => {
    await misbehave();
    expect((await report(["--markdown"])).stdout.trimEnd()).toBe(
      (await readRoute("markdown")).trimEnd(),
    );
    expect((await report(["--markdown", "--lang", "pt-BR"])).stdout).toContain("## Avaliação");
    const { assumptions } = JSON.parse(await readRoute()) as Review;
    const { stdout } = await report(["--questions"]);
    expect(assumptions.length).toBeGreaterThan(3);
    for (const [index, { name, choice, question }] of assumptions.entries())
      expect(stdout).toContain(`\n${index + 1}. ${question}\n   (We assume: ${name}=${choice})\n`);
    expect((await report(["--questions", "--token", "nobody"])).stdout).toBe(
      "The run depended on no assumption.\n",
    );
  });

  it("writes a JUnit file, and prints the text too", async () => {
    await misbehave();
    const { code, stdout } = await report(["--junit", "review.xml"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Integration review: /);
    const xml = await readFile(folder.at("review.xml"), "utf8");
    expect(xml).toBe(await readRoute("junit"));
    const elements = parseXml(xml);
    const { rules } = JSON.parse(await readRoute()) as Review;
    const count = (name: string) => elements.filter((one) => one === name).length;
    expect(count("testcase")).toBe(rules.length);
    expect(count("failure")).toBe(2);
    expect(count("system-out")).toBe(1);
  });

  it("refuses a JUnit file that cannot be written, after the report", async () => {
    const { code, stdout, stderr } = await report(["--junit", "no/such/folder/review.xml"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Integration review: /);
    expect(stderr).toMatch(/^error: \S*review\.xml cannot be written: its folder does not exist\./);
    expect(stderr).toContain("Check that its folder exists");
  });

  it("exits with 8 for a failure, and for a warning if it is told to", async () => {
    expect(await report(["--fail-on", "warning"])).toMatchObject({
      code: 8,
      stderr: "error: No rule was judged.\nEach rule says what it needs.\n",
    });
    await pay({ webhook_url: merchant.at("/hook?cpf=12345678909") });
    expect(await report(["--fail-on", "error"])).toMatchObject({ code: 0 });
    expect(await report(["--fail-on", "warning"])).toMatchObject({
      code: 8,
      stderr: "error: Rules broken: personal_data_in_address.\n",
    });
    merchant.answerWith(302);
    await pay();
    await sandbox.settled();
    const failed = await report(["--fail-on", "error", "--json"]);
    expect(failed.code).toBe(8);
    expect(JSON.parse(failed.stderr)).toMatchObject({ error: { code: "RULES_BROKEN" } });
    expect(JSON.parse(failed.stdout)).toEqual(JSON.parse(await readRoute()));
  });

  it("refuses two formats and an unknown level", async () => {
    const two = await report(["--json", "--questions"]);
    expect(two).toMatchObject({ code: 2, stdout: "" });
    expect(two.stderr).toContain("--json and --questions cannot be combined.");
    const level = await report(["--fail-on", "failure"]);
    expect(level).toMatchObject({ code: 2, stdout: "" });
    expect(level.stderr).toContain("Use one of warning, error.");
  });

  it("judges only the integration of --token", async () => {
    await charge({ webhook_url: merchant.at("/hook?cpf=12345678909") }, "other");
    const unused = await report(["--token", "mine", "--fail-on", "warning"]);
    expect(unused.code).toBe(8);
    expect(unused.stderr).toContain('No call used the token "mine", so no rule was judged.');
    expect((await report(["--token", "other", "--fail-on", "warning"])).code).toBe(8);
  });

  it("does not wait for retries in the future, also on a running clock", async () => {
    await using running = await startSandbox();
    merchant.answerWith(500);
    const { id } = await running.payins.create({ webhookUrl: merchant.url });
    await running.payins.pay(id);
    const ended = await runMain(["report", "--url", running.url]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(/^Integration review: /);
  });
});

describe("a report that gates a merge", { timeout: 60_000 }, () => {
  it("ignores a rule for a reason", async () => {
    await pay({ webhook_url: merchant.at("/hook?cpf=12345678909") });
    const fails = ["--fail-on", "warning"];
    const ignored = await report([...fails, "--ignore", "11=moved next week"]);
    expect(ignored).toMatchObject({ code: 0, stderr: "" });
    expect(ignored.stdout).toContain(
      "\nIgnored\n  11 personal_data_in_address (warning): moved next week\n",
    );
  });

  it("refuses what it cannot apply", async () => {
    for (const [args, sentence] of [
      [["--ignore", "11"], "Give the reason"],
      [["--ignore", "retry_strom=x"], 'Did you mean "retry_storm"?'],
    ] as const) {
      const refused = await report(args);
      expect(refused).toMatchObject({ code: 2, stdout: "" });
      expect(refused.stderr).toContain(sentence);
    }
  });

  it("is that of exec too, after the command", async () => {
    const child = ["--", process.execPath, "-e"];
    const red = ["exec", "--report", "--fail-on", "error", ...child, "process.exit(3)"];
    expect((await runCli(red)).code).toBe(3);
    const without = await runCli(["exec", "--fail-on", "error", ...child, "0"]);
    expect(without.code).toBe(2);
    expect(without.stderr).toContain("--fail-on needs --report.");
  });

  it("is one sentence if the command of exec made no call to its sandbox", async () => {
    const exec = async (...args: readonly string[]) => {
      const command = [process.execPath, "-e", ""];
      const { code, stderr } = await runMain(["exec", ...args, "--", ...command], {
        cwd: folder.path,
      });
      return { code, stderr };
    };
    const none =
      "The command made no call to the sandbox of exec: let your code call PIX_SANDBOX_BASE_URL, or pass that address under another name with --as. In tests, replace startSandbox() with useSandbox(), and leave out the options of test set-ups.\n";
    const gate = ["--report", "--fail-on", "error"];
    expect(await exec("--report")).toEqual({ code: 0, stderr: none });
    expect(await exec(...gate)).toEqual({ code: 8, stderr: `error: ${none}` });
    expect(await exec("--trace", "trace.html")).toEqual({ code: 0, stderr: none });
  });
});

describe("the installed program", { timeout: 60_000 }, () => {
  it("reports, and exec --report shows the rules below its summary", async () => {
    await pay({ webhook_url: merchant.at("/hook?cpf=12345678909") });
    const ended = await runCli(["report", "--url", sandbox.url, "--fail-on", "warning"]);
    expect(ended).toMatchObject({
      code: 8,
      stderr: "error: Rules broken: personal_data_in_address.\n",
    });
    expect(ended.stdout).toContain("Warning 11 personal_data_in_address");

    const program = `fetch(process.env.PIX_SANDBOX_BASE_URL + "/payouts", { method: "POST", body: "no" })`;
    const child = [process.execPath, "-e", program];
    const text = await runCli(["exec", "--report", "--", ...child]);
    expect(text).toMatchObject({ code: 0, stdout: "" });
    expect(text.stderr).toMatch(
      new RegExp(
        String.raw`^payins +0\n[^]*\n\nIntegration review: 0 failures, 0 warnings, 0 passed, ${RULE_IDS.length} not seen\n`,
      ),
    );
    const json = await runCli(["exec", "--report", "--json", "--lang", "pt-BR", "--", ...child]);
    const { type, requests, review } = JSON.parse(json.stderr) as Record<string, unknown>;
    expect({ type, requests }).toEqual({ type: "report", requests: { total: 1, refused: 1 } });
    expect(Object.keys(review as object)).toEqual(["rules", "assumptions"]);
    expect((review as Review).rules[0]?.says).toMatch(/^Every response arrived\./);
  });
});

/** The names of the elements of an XML document, in order. @throws if it is not well-formed */
function parseXml(xml: string): string[] {
  const open: string[] = [];
  const names: string[] = [];
  let rest = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>/, "");
  while (rest !== "") {
    const text = /^(?:[^<&]|&(?:amp|lt|gt|quot|#10);)+/.exec(rest);
    const tag = /^<(\/?)([\w-]+)((?: [\w-]+="(?:[^<&"]|&(?:amp|lt|gt|quot|#10);)*")*)(\/?)>/.exec(
      rest,
    );
    const [whole = "", closes, name = "", , isEmpty] = tag ?? [];
    const taken = text?.[0] ?? whole;
    if (taken === "") throw new Error(`Not well-formed: ${rest.slice(0, 80)}`);
    if (tag && closes) {
      if (open.pop() !== name) throw new Error(`</${name}> closes another element.`);
    } else if (tag) {
      names.push(name);
      if (!isEmpty) open.push(name);
    }
    rest = rest.slice(taken.length);
  }
  if (open.length > 0) throw new Error(`Not closed: ${open.join(", ")}`);
  return names;
}
