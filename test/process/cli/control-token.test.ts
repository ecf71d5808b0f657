import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/server/start.ts";
import { runCli } from "../../support/cli.ts";
import { createFolder } from "../../support/folder.ts";
import { runMain, serveMain, startMain } from "../../support/main.ts";

const TOKEN = "correct-horse:battery/staple";
const VARIABLE = "PIX_SANDBOX_CONTROL_TOKEN";
const FILE = "pix-sandbox.config.json";

async function statusOf(url: string, headers: Record<string, string> = {}): Promise<number> {
  return (await fetch(`${url}/_sandbox/secret`, { headers })).status;
}

describe("serve with a control token", { timeout: 60_000 }, () => {
  const args = ["--memory", "--log", "all"];

  it("is protected by the option, the variable and the config file", async () => {
    await using folder = await createFolder();
    await writeFile(folder.at(FILE), JSON.stringify({ control_token: "of-the-file" }));
    const started = [
      [await serveMain([...args, "--control-token", TOKEN]), TOKEN],
      [await serveMain(args, { env: { [VARIABLE]: TOKEN } }), TOKEN],
      [await serveMain(args, { cwd: folder.path }), "of-the-file"],
      [await serveMain(args, { cwd: folder.path, env: { [VARIABLE]: TOKEN } }), TOKEN],
    ] as const;
    for (const [serving, token] of started) {
      await using sandbox = serving;
      expect(await statusOf(sandbox.url)).toBe(401);
      expect(await statusOf(sandbox.url, { authorization: `Bearer ${token}` })).toBe(200);
    }
  });

  it("prints the token nowhere", async () => {
    await using folder = await createFolder();
    const ready = folder.at("ready.json");
    await using sandbox = await serveMain([
      ...args,
      "--control-token",
      TOKEN,
      "--ready-file",
      ready,
    ]);
    await runMain(["payin", "create", "--url", sandbox.url, "--control-token", TOKEN]);
    const env = await runMain(["env", "--url", sandbox.url, "--control-token", TOKEN]);
    expect(env.code).toBe(0);
    const { stdout, stderr } = await sandbox.stop();
    expect(stdout).toContain("/v1/payins");
    for (const text of [stdout, stderr, env.stdout, env.stderr]) expect(text).not.toContain(TOKEN);
  });

  it.each([
    ["an empty one", ""],
    ["a blank one", " "],
    ["one with a space", "let me in"],
    ["one with a letter that a header cannot contain", "senha-não"],
    ["one with a line break", "let-me-in\n"],
  ])("refuses %s, and does not show it", async (_title, token) => {
    await using folder = await createFolder();
    await writeFile(folder.at(FILE), JSON.stringify({ control_token: token }));
    const serve = ["serve", "--memory", "--port", "0"];
    for (const [given, name] of [
      [runMain([...serve, "--control-token", token]), "… for --control-token."],
      [runMain(serve, { env: { [VARIABLE]: token } }), `… for ${VARIABLE}.`],
      [runMain(serve, { cwd: folder.path }), `… for control_token in ${FILE}.`],
      [runMain(["secret", "--control-token", token]), "Invalid control token."],
    ] as const) {
      const ended = await given;
      expect(ended).toMatchObject({ code: 2, stdout: "" });
      expect(ended.stderr).toContain(name);
      if (token.trim() !== "") expect(ended.stderr).not.toContain(token);
    }
  });
});

describe("commands of a protected sandbox", { timeout: 60_000 }, () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ controlToken: TOKEN });
  });
  afterAll(() => sandbox.close());

  it.each([
    ["secret"],
    ["env"],
    ["reset"],
    ["clock"],
    ["clock", "advance", "5m"],
    ["payin", "create"],
    ["payin", "list"],
    ["payin", "show", "last"],
    ["trigger", "payin.paid"],
    ["requests"],
    ["webhooks", "list"],
    ["webhooks", "received"],
    ["faults"],
    ["snapshot", "save", "one"],
    ["assumptions"],
    ["wait", "payin.paid"],
  ])("work with the option or the variable: %s %s %s", async (...words) => {
    const args = [...words, "--url", sandbox.url];
    expect(await runMain([...args, "--control-token", TOKEN])).toMatchObject({ code: 0 });
    expect(await runMain(args, { env: { [VARIABLE]: TOKEN } })).toMatchObject({ code: 0 });
  });

  it("follow its events with the token", async () => {
    const args = ["webhooks", "tail", "--url", sandbox.url, "--control-token", TOKEN];
    await using tail = startMain(args);
    await tail.lines("stderr", 1);
    const trigger = ["trigger", "payin.paid", "--url", sandbox.url, "--control-token", TOKEN];
    await runMain(trigger);
    const [line] = await tail.lines("stdout", 1);
    expect(line).toContain("payin.paid");
  });

  it.each([["secret"], ["payin", "list"], ["webhooks", "list"], ["webhooks", "tail"]])(
    "say what to do without it: %s %s %s",
    async (...words) => {
      const args = [...words.filter(Boolean), "--url", sandbox.url];
      const missing = await runMain(args);
      expect(missing).toMatchObject({ code: 4, stdout: "" });
      expect(missing.stderr).toContain("This sandbox is protected by a control token.");
      expect(missing.stderr).toContain(`Set ${VARIABLE} to the sandbox's control token`);
      const wrong = await runMain([...args, "--control-token", "wrong"]);
      expect(wrong.code).toBe(4);
      expect(wrong.stderr).toContain("The control token in the header authorization is wrong.");
    },
  );
});

describe("exec with a control token", { timeout: 60_000 }, () => {
  const child = [
    process.execPath,
    "-e",
    `
    const { PIX_SANDBOX_URL: url, ${VARIABLE}: token } = process.env;
    const statusOf = async (headers) => (await fetch(url + "/_sandbox/secret", { headers })).status;
    (async () => console.log(token, await statusOf({}), await statusOf({ authorization: "Bearer " + token })))();
  `,
  ];

  it("passes it to the command, and reports with it", async () => {
    await using folder = await createFolder();
    await writeFile(folder.at(FILE), JSON.stringify({ control_token: TOKEN }));
    for (const ended of [
      await runCli(["exec", "--report", "--control-token", TOKEN, "--", ...child]),
      await runCli(["exec", "--report", "--", ...child], { env: { [VARIABLE]: TOKEN } }),
      await runCli(["exec", "--report", "--", ...child], { cwd: folder.path }),
    ]) {
      expect(ended).toMatchObject({ code: 0, stdout: `${TOKEN} 401 200\n` });
      expect(ended.stderr).toContain("made no call to the sandbox of exec");
    }
  });

  it("passes none without it", async () => {
    const { stdout } = await runCli(["exec", "--", ...child]);
    expect(stdout).toBe("undefined 200 200\n");
  });
});
