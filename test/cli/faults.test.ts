import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runMain, runMainJson, type ServingMain, serveMain } from "../support/main.ts";
import { callsTo } from "../support/calls.ts";

const NOWHERE = { webhook_url: "http://127.0.0.1:9/hook" };

interface Fault {
  readonly id: string;
  readonly used: number;
  readonly held?: readonly unknown[];
}

describe("faults", { timeout: 60_000 }, () => {
  let sandbox: ServingMain;
  beforeAll(async () => {
    sandbox = await serveMain(["--memory"]);
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());
  beforeEach(async () => {
    await run("clear");
  });

  const run = (...args: string[]) => runMain(["faults", ...args, "--url", sandbox.url]);
  const json = <Result>(...args: string[]) =>
    runMainJson<Result>(["faults", ...args, "--url", sandbox.url]);

  it("are added, listed a line each, and taken away", async () => {
    expect((await run()).stdout).toBe("No faults.\n");
    const added = await run("add", "payouts.create", "error=NOT_PROCESSABLE", "--times", "1");
    expect(added.code).toBe(0);
    const id = /^id +(\S+)$/m.exec(added.stdout)?.[1] ?? "";
    const { status } = await callsTo(sandbox.url, "shop").createPayout(NOWHERE);
    expect(status).toBe(422);
    await run("add", "webhook", "duplicate", "--token", "shop", "--match", "description=\u001b[2J");

    const [titles, ...rows] = (await run("list")).stdout.trimEnd().split("\n");
    expect(titles).toMatch(/^ID +ON +EFFECT +USED +LEFT +HELD +MATCH +INTEGRATION$/);
    expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
      [id, "payouts.create", "error=NOT_PROCESSABLE", "1", "0", "-", "-", "all"],
      [
        expect.stringMatching(/^flt_/) as string,
        "webhook",
        "duplicate",
        "0",
        "always",
        "-",
        expect.stringContaining("\\u001b") as string,
        "shop",
      ],
    ]);
    expect(rows.join()).not.toContain("\u001b");
    expect((await run("remove", id)).stdout).toBe(`fault ${id} removed; uses: 1\n`);
    expect((await run("remove", id)).code).toBe(5);
    expect((await run("clear")).stdout).toBe("faults removed: 1\n");
  });

  it("are listed in the order in which they apply, in pages", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count++)
      ids.push((await json<Fault>("add", "webhook", "duplicate", "--token", "pages")).id);
    const page = async (...args: string[]) => {
      const { stdout, stderr } = await run("list", "--token", "pages", ...args);
      return [stdout.match(/^flt_\S+/gm), stderr];
    };

    expect(await page()).toEqual([ids, ""]);
    expect(await page("--limit", "2")).toEqual([
      ids.slice(0, 2),
      `1 more: --limit 3, or --after ${ids[1]}\n`,
    ]);
    expect(await page("--after", ids[0] ?? "", "--limit", "1")).toEqual([
      [ids[1]],
      `More: --after ${ids[1]}\n`,
    ]);
    expect(await page("--before", ids[2] ?? "", "--limit", "1")).toEqual([
      [ids[1]],
      `More: --before ${ids[1]}\n`,
    ]);
  });

  it("match text, and JSON after :=", async () => {
    const match = ["--match", "receiver_cpf=52998224725", "--match", "value:=10.5"];
    const fault = await json<object>(
      "add",
      "payouts.create",
      "hold",
      ...match,
      "--probability",
      "1",
    );
    expect(fault).toMatchObject({
      match: { receiver_cpf: "52998224725", value: 10.5 },
      probability: 1,
    });
    expect((await run("add", "webhook", "early", "--match", "value")).code).toBe(2);
    expect((await run("add", "webhook", "early", "--match", "value:=x")).code).toBe(2);
    expect((await run("add", "webhook", "early", "--probability", "2")).code).toBe(2);
    const refused = await run("add", "webhook", "hold");
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain("drop_attempts");
  });

  it.each([
    [["payin.create", "hold"], "payins.create"],
    [["payins.create", "eror=EXTERNAL_ERROR"], "error"],
    [["webhook", "duplicated"], "duplicate"],
  ])("name what a misspelled word means: %j", async (words, meant) => {
    const { code, stderr } = await run("add", ...words);
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining(`Did you mean ${JSON.stringify(meant)}?`),
    ]);
  });

  it("hold calls until they are released", async () => {
    const { id } = await json<Fault>("add", "payins.create", "hold");
    const calls = callsTo(sandbox.url, "racing");
    const held = calls.createPayin(NOWHERE, "first");
    while ((await calls.control<Fault>("GET", `/faults/${id}`)).held?.length !== 1);
    const { code, stdout } = await run("release", id);
    expect([code, stdout]).toEqual([0, `fault ${id} holds 0 calls\n`]);
    await held;
  });
});
