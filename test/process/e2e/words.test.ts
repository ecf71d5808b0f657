import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/client/start.ts";
import { runCli } from "../../support/cli.ts";
import { createFolder } from "../../support/folder.ts";
import { runMain, runMainJson, serveMain } from "../../support/main.ts";
import { EVENT_TYPES } from "../../../src/core/records/delivery.ts";
import { startMerchant } from "../../support/merchant.ts";
import type { Shown } from "../../support/calls.ts";

const PORTUGUESE = ["--lang", "pt-BR"];
const UNKNOWN_ID = "5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10";

describe("the words of a command that needs no sandbox", () => {
  it.each<[args: string[], text: string]>([
    [["payin", "crate"], 'error: Unknown command "crate". Did you mean "create"?\n'],
    [["payins"], 'error: Unknown command "payins". Did you mean "payin"?\n'],
    [["foo"], 'error: Unknown command "foo". See them all: npx pix-sandbox --help\n'],
    [
      ["payin", "delete"],
      'error: Unknown command "delete". Use one of create, list, show, pay, cancel, expire.\n',
    ],
    [
      ["payin", "list", "--statu=paid"],
      'error: Unknown option "--statu". Did you mean "--status"?\n',
    ],
    [
      ["payin", "create", "--valeu", "3"],
      'error: Unknown option "--valeu". Did you mean "--value"?\n',
    ],
    [
      ["payin", "create", "--on"],
      'error: Unknown option "--on".\nSee its help: npx pix-sandbox payin create --help\n',
    ],
    [
      ["wait", "paid"],
      `error: Invalid value "paid" for <event type>. Use one of ${EVENT_TYPES.join(", ")}.\n`,
    ],
    [
      ["webhooks", "list", "--type", "payin.payd"],
      `error: Invalid value "payin.payd" for --type <type>. Use one of ${EVENT_TYPES.join(", ")}. Did you mean "payin.paid"?\n`,
    ],
    [
      ["serve", "--memory", "--state", "state.json"],
      "error: --memory and --state contradict each other.\nUse --state to store the records in a file, or --memory to store nothing.\n",
    ],
  ])("suggest only what is near, and refuse what contradicts: %j", async (args, text) => {
    expect(await runMain(args)).toMatchObject({ code: 2, stdout: "", stderr: text });
  });

  it("are its help after help too", async () => {
    for (const args of [[], ["payin"], ["payin", "create"], ["exec"]]) {
      for (const language of [[], PORTUGUESE]) {
        const help = await runMain([...args, "--help", ...language]);
        expect(help).toMatchObject({ code: 0, stderr: "" });
        expect(await runMain(["help", ...args, ...language])).toEqual(help);
      }
    }
    expect(await runMain(["help", "paiyn"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Unknown command "paiyn". Did you mean "payin"?'),
    });
  });

  it("explain an amount with a comma, which is one in Portuguese only", async () => {
    const nowhere = ["--url", "http://127.0.0.1:9"];
    for (const noun of ["payin", "payout"])
      expect(await runMain([noun, "create", "--value", "10,50", ...nowhere])).toMatchObject({
        code: 2,
        stderr:
          'error: Invalid amount "10,50": decimals follow a point.\nUse 10.50, or add --lang pt-BR, which accepts a comma.\n',
      });
  });
});

describe("the words of a command to a sandbox", { timeout: 60_000 }, () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ assumptions: { "webhook.retries": "none" } });
  });
  afterAll(() => sandbox.close());
  const run = (...args: string[]) => runMain([...args, "--url", sandbox.url]);
  const create = (...args: string[]) =>
    runMainJson<Shown & { value: number }>(["payin", "create", ...args, "--url", sandbox.url]);

  it("accept an amount with a comma in Portuguese", async () => {
    expect(await create("--value", "10,50", ...PORTUGUESE)).toMatchObject({ value: 10.5 });
    const brazil = { env: { LANG: "pt_BR.UTF-8", PIX_SANDBOX_URL: sandbox.url } };
    for (const [text, value] of [
      ["1.234,5", 1234.5],
      ["10.50", 10.5],
      ["10.5", 10.5],
      ["0.500", 0.5],
    ] as const)
      expect(await runMainJson(["payout", "create", "--value", text], brazil)).toMatchObject({
        value,
      });
    for (const [text, hint] of [
      ["1.000", "1000 ou 1,00"],
      ["123.456", "123456 ou 123,45"],
    ] as const)
      expect(await runMain(["payin", "create", "--value", text], brazil)).toMatchObject({
        code: 2,
        stdout: "",
        stderr: `erro: Valor ambíguo: "${text}".\nUse ${hint}.\n`,
      });
    expect(await create("--value", "1.000")).toMatchObject({ value: 1 });
  });

  it("name the commands after a missing snapshot", async () => {
    for (const command of ["restore", "delete"]) {
      expect(await run("snapshot", command, "nope")).toMatchObject({
        code: 5,
        stdout: "",
        stderr: `error: There is no snapshot with the name "nope".\nList them with: npx pix-sandbox snapshot list --url ${sandbox.url}. Save one with: npx pix-sandbox snapshot save NAME --url ${sandbox.url}\n`,
      });
    }
  });

  it("say that the picture of a QR code cannot be written", async () => {
    await create();
    const file = "no-such-folder/charge.png";
    const refused = await run("qr", "last", "-o", file);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(
      /^error: no-such-folder\/charge\.png cannot be written: its folder does not exist\.\nCreate its folder, or choose another file with --output\.\n$/,
    );
  });

  it("say what sets time back", async () => {
    const back = ["clock", "set", "2020-01-01T00:00:00Z"];
    expect(await run(...back)).toMatchObject({
      code: 4,
      stderr:
        "error: The sandbox's time does not go back. Only a reset or a restore of all integrations sets it back.\n",
    });
    const sentence = "only a reset or a restore of all integrations sets";
    for (const page of ["cli", "testing"])
      expect((await readFile(`docs/${page}.md`, "utf8")).toLowerCase()).toContain(sentence);
  });

  it("accept --url, --token and --lang before the subcommand", async () => {
    const { id } = await create("--token", "own");
    const options = ["--url", sandbox.url, "--token=own", "--json"];
    const { stdout } = await runMain(["payin", "show", id, ...options]);
    expect(JSON.parse(stdout)).toMatchObject({ id });
    for (const place of [0, 1, 2, 3]) {
      const args = ["payin", "show", id].toSpliced(place, 0, ...options);
      expect(await runMain(args)).toMatchObject({ code: 0, stdout, stderr: "" });
    }
    const missing = ["--url", sandbox.url, ...PORTUGUESE, "payin", "show", UNKNOWN_ID];
    expect((await runMain(missing)).stderr).toMatch(/^erro: /);
  });

  it("say why a simulated payin is completed, and not paid", async () => {
    const { id: simulated } = await create("--webhook-url", "http://127.0.0.1:9/");
    const { code, stdout, stderr } = await run("simulate", "payin", simulated);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `payin ${simulated} is completed\n` });
    expect(stderr).toContain("completed, not paid");
    expect(stderr).toContain("npx pix-sandbox payin pay ID");
    expect(stderr.split("\n").every((line) => line.length <= 80)).toBe(true);
    const { id } = await create();
    const json = await run("simulate", "payin", id, "--json", ...PORTUGUESE);
    expect(json).toMatchObject({
      code: 0,
      stdout: '{"message":"The charge was marked as completed in staging."}\n',
      stderr: "",
    });
    const canceled = await run("simulate", "payin", id, "--status", "canceled");
    expect(canceled.stderr).not.toContain("completed, not paid");
  });

  it("sum up what was resent, and end with 8 if any failed", async () => {
    await using merchant = await startMerchant({ answer: () => 200 });
    const token = ["--token", crypto.randomUUID()];
    for (const address of [merchant.url, "http://127.0.0.1:9/"]) {
      const { id } = await create("--webhook-url", address, ...token);
      await run("simulate", "payin", id);
    }
    await runMain(["wait", "payin.paid", ...token, "--url", sandbox.url]);
    await fetch(`${sandbox.url}/_sandbox/settle`, { method: "POST" });
    const resend = (...args: string[]) => run("webhooks", "resend", ...token, ...args);

    expect(await resend("--status", "delivered")).toMatchObject({
      code: 0,
      stderr: "Resent: 1. Answered with 2xx: 1. Failed: 0.\n",
    });
    const all = await resend("--all");
    const failed = /^evt_\S+(?=.* failed )/m.exec(all.stdout)?.[0] ?? "none";
    expect(all.code).toBe(8);
    expect(all.stderr).toBe(
      `Resent: 2. Answered with 2xx: 1. Failed: 1.\nerror: 1 of 2 webhooks got no 2xx response.\nSee the responses with: npx pix-sandbox webhooks show ${failed} --url ${sandbox.url}\n`,
    );
    const json = await resend(failed, "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ id: failed });
    expect(json.code).toBe(8);
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "RESEND_FAILED" } });
    expect(await resend("--type", "payin.expired")).toMatchObject({ code: 0, stderr: "" });
  });

  it("say that a fault cut the connection", async () => {
    const token = ["--token", crypto.randomUUID()];
    await run("faults", "add", "payins.create", "lost_answer", ...token);
    expect(await run("payin", "create", ...token)).toMatchObject({
      code: 1,
      stdout: "",
      stderr:
        "error: A fault (lost_answer) cut the connection after the sandbox did the work.\nSee the fault with: npx pix-sandbox faults list. See the result with payin list\nor payout list.\n",
    });
  });

  it("name the scheme of a server that speaks another one", async () => {
    await using secure = await startSandbox({ https: true });
    for (const { url, isSecure } of [
      { url: sandbox.url, isSecure: false },
      { url: secure.url, isSecure: true },
    ]) {
      const other = isSecure ? url.replace("https:", "http:") : url.replace("http:", "https:");
      const name = isSecure ? "HTTPS" : "HTTP";
      for (const args of [
        ["payin", "list"],
        ["ready", "--wait"],
      ])
        expect(await runMain([...args, "--url", other])).toMatchObject({
          code: 3,
          stderr: `error: The server at ${other} speaks ${name}.\nUse --url ${url}\n`,
        });
    }
  });
});

describe("exec without --", { timeout: 60_000 }, () => {
  it("runs the command with all of its options", async () => {
    const script = "console.log(process.argv.slice(1).join(' '))";
    const command = [process.execPath, "-e", script, "x", "--json", "--lang", "pt-BR", "--port"];
    for (const own of [[], ["--port", "0", "--seed", "42", "--quiet"], ["--lang", "pt-BR"]])
      expect(await runCli(["exec", ...own, ...command])).toMatchObject({
        code: 0,
        stdout: "x --json --lang pt-BR --port\n",
        stderr: "",
      });
    expect(await runMain(["exec", "--memroy", "npm", "test"])).toMatchObject({
      code: 2,
      stderr: 'error: Unknown option "--memroy". Did you mean "--memory"?\n',
    });
  });
});

describe("the folder of the default state", () => {
  it("ignores itself in Git, once", async () => {
    await using folder = await createFolder();
    const { path: cwd } = folder;
    for (let start = 0; start < 2; start++) {
      await using _ = await serveMain([], { cwd });
      expect(await readFile(folder.at(".pix-sandbox/.gitignore"), "utf8")).toBe("*\n");
    }
  });

  it("is left alone if it exists, as is the folder of another file", async () => {
    await using folder = await createFolder();
    const file = folder.at("mine/state.json");
    await using _ = await serveMain(["--state", file]);
    await expect(readFile(folder.at("mine/.gitignore"))).rejects.toThrow("ENOENT");
  });
});
