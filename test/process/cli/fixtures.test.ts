import { readdir, writeFile } from "node:fs/promises";
import { watch } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Fixtures, startSandbox } from "../../../src/index.ts";
import { startCli, startServe, type Serving } from "../../support/cli.ts";
import { runMain, serveMain, type ServingMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { freePort } from "../../support/process.ts";
import { turns } from "../../support/core.ts";
import { callsTo, type Shown } from "../../support/calls.ts";
import { startMerchant } from "../../support/merchant.ts";

const PAYIN = {
  value: 10.5,
  buyer_cpf: "12345678909",
  buyer_name: "Maria da Silva",
  buyer_email: "maria@example.com",
  webhook_url: "http://127.0.0.1:9/hook",
};
const PAYOUT = {
  value: 25,
  receiver_cpf: "52998224725",
  receiver_name: "José de Souza",
  receiver_email: "jose@example.com",
  webhook_url: "http://127.0.0.1:9/hook",
  pix_key: "52998224725",
  pix_key_type: "cpf",
};
const FAULT = { on: "payouts.create", effect: "error=EXTERNAL_ERROR", times: 1 };
/** One of each kind, of two integrations and of the one that is meant where none is named. */
const WORLD = {
  payins: [
    { token: "shop", ...PAYIN, description: "waits" },
    { token: "shop", ...PAYIN, status: "paid", value: 2 },
    { token: "other", ...PAYIN, status: "expired" },
    PAYIN,
    PAYIN,
  ],
  payouts: [
    { token: "shop", ...PAYOUT },
    { token: "shop", ...PAYOUT, status: "completed" },
    { token: "shop", ...PAYOUT, status: "canceled" },
  ],
  faults: [
    { token: "shop", ...FAULT },
    { ...FAULT, on: "payins.create" },
  ],
};
const NOWHERE = { webhook_url: PAYIN.webhook_url };
const FROZEN = ["--clock", "frozen", "--now", "2026-11-21T12:00:00Z", "--seed", "42"];

describe("serve --fixtures", { timeout: 120_000 }, () => {
  it("creates every record before the ready line, and sends no webhook", async () => {
    await using merchant = await startMerchant();
    const webhook_url = merchant.url;
    const world = {
      ...WORLD,
      payins: WORLD.payins.map((payin) => ({ ...payin, webhook_url })),
      payouts: WORLD.payouts.map((payout) => ({ ...payout, webhook_url })),
    };
    await using sandbox = await serveWith([world], ["--memory", ...FROZEN]);
    const calls = callsTo(sandbox.url);
    const { payins, payouts, faults } = await recordsOf(sandbox);
    const now = "2026-11-21T12:00:00.000Z";
    const paid = { settled_at: now, end_to_end_id: expect.stringMatching(/^E/) as string };
    expect(payins).toMatchObject(
      [
        { ...world.payins[0], status: "waiting", expires_at: "2026-11-21T12:04:00.000Z" },
        { ...PAYIN, webhook_url, status: "paid", value: 2, integration: "shop", ...paid },
        { integration: "other", status: "expired", settled_at: now, end_to_end_id: null },
        { integration: "sandbox", status: "waiting", created_at: now, settled_at: null },
        { integration: "sandbox", status: "waiting" },
      ].map(({ token: _token, ...row }: Record<string, unknown>) => row),
    );
    expect(payouts).toMatchObject([
      { ...PAYOUT, webhook_url, status: "waiting", integration: "shop", settled_at: null },
      { status: "completed", ...paid },
      { status: "canceled", settled_at: now, end_to_end_id: null },
    ]);
    expect(faults).toMatchObject([
      { ...FAULT, integration: "shop", used: 0 },
      { ...FAULT, on: "payins.create", integration: null, used: 0 },
    ]);
    await calls.control("POST", "/settle");
    expect(await calls.deliveries()).toEqual([]);

    // From here on they are records like any other.
    expect(await calls.createPayout(NOWHERE)).toMatchObject({ status: 502 });
    expect(await calls.simulate("payin", payins[0]?.id ?? "")).toMatchObject({ status: 200 });
    await calls.advance(3600);
    expect(merchant.received.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
      { type: "payin.paid", data: { id: payins[0]?.id, description: "waits" } },
    ]);
    expect((await recordsOf(sandbox)).payins.map(({ status }) => status)).toEqual([
      "completed",
      "paid",
      "expired",
      "expired",
      "expired",
    ]);
  });

  it("responds to no call before they exist", async () => {
    await using folder = await createFolder();
    const many = Array.from({ length: 1000 }, () => PAYIN);
    await writeFile(folder.at("many.json"), JSON.stringify({ payins: many }));
    const port = await freePort();
    await using sandbox = startCli([
      "serve",
      "--memory",
      "--port",
      String(port),
      "--fixtures",
      folder.at("many.json"),
    ]);
    const url = `http://127.0.0.1:${port}`;
    let answer: Response | undefined;
    while (!answer && sandbox.process.exitCode === null) {
      answer = await fetch(`${url}/_sandbox/payins?limit=1000`).catch(() => undefined);
      await turns(1);
    }
    const body: unknown = await answer?.json();
    expect((body as { data: readonly Shown[] }).data).toHaveLength(many.length);
  });

  it("reads several files, by flag, by the config file and by the programmatic option", async () => {
    await using sandbox = await serveWith([{ payins: [PAYIN] }, { payins: [PAYIN], payouts: [] }]);
    expect((await recordsOf(sandbox)).payins).toHaveLength(2);

    await using folder = await createFolder();
    await writeFile(folder.at("shop.json"), JSON.stringify({ payins: [PAYIN] }));
    const config = { memory: true, fixtures: ["shop.json"] };
    await writeFile(folder.at("pix-sandbox.config.json"), JSON.stringify(config));
    await using configured = await serveMain([], { cwd: folder.path });
    expect((await recordsOf(configured)).payins).toMatchObject([PAYIN]);

    const fixtures: Fixtures = {
      payins: [
        {
          value: 10.5,
          buyerCpf: "12345678909",
          buyerName: "Maria da Silva",
          buyerEmail: "maria@example.com",
          webhookUrl: "http://127.0.0.1:9/hook",
          description: undefined,
        },
      ],
      faults: [{ on: "webhook", effect: "duplicate", match: { buyer_cpf: "12345678909" } }],
    };
    await using started = await startSandbox({ fixtures: [folder.at("shop.json"), fixtures] });
    const records = await recordsOf(started);
    expect(records.payins).toMatchObject([PAYIN, PAYIN]);
    expect(records.faults).toMatchObject([{ match: { buyer_cpf: "12345678909" } }]);
    const wrong: Fixtures = { payouts: [{ ...fixtures.payins?.[0], value: -1 } as never] };
    await expect(startSandbox({ fixtures: [wrong] })).rejects.toThrow(
      "The option fixtures, payouts.0.value: value must be a number more than 0",
    );
  });

  it("reads them under the choices that hold", async () => {
    const cents = { payins: [{ ...PAYIN, value: 1050 }] };
    await using sandbox = await serveWith([cents], ["--memory", "--assume", "value.unit=centavos"]);
    expect((await recordsOf(sandbox)).payins).toMatchObject([{ value: 1050 }]);
    const rivals = { payouts: [PAYOUT, PAYOUT] };
    await using allowed = await serveWith(
      [rivals],
      ["--memory", "--assume", "payout.rival=allow", "--assume", "payout.auto=complete_after:5"],
    );
    await callsTo(allowed.url).advance(5);
    expect((await recordsOf(allowed)).payouts).toMatchObject([
      { status: "completed" },
      { status: "completed" },
    ]);
  });

  it.each([
    ["no file", undefined, "cannot be read: it does not exist."],
    [
      "a wrong member",
      { payins: [PAYIN, PAYIN, { ...PAYIN, value: "ten" }] },
      ", payins.2.value: value must be a number more than 0 with at most 2 decimals, at most 9999999999.99.",
    ],
    [
      "two payouts in progress to one receiver",
      { payouts: [PAYOUT, { ...PAYOUT, token: "other" }, { ...PAYOUT, value: 1 }] },
      ", payouts.2.receiver_cpf: this receiver has another payout in progress;",
    ],
  ])("refuses to start for %s, and names file and place", async (_title, world, sentence) => {
    await using folder = await createFolder();
    const text = typeof world === "string" ? world : JSON.stringify(world);
    if (world !== undefined) await writeFile(folder.at("wrong.json"), text);
    const { code, stdout, stderr } = await runMain(
      ["serve", "--port", "0", "--ready-file", "ready.json", "--fixtures", "wrong.json"],
      { cwd: folder.path },
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(
      `error: The fixtures file ${folder.at("wrong.json")}${world === undefined ? " " : ""}`,
    );
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/^ {4}at /m);
    const left = await readdir(folder.path, { recursive: true });
    expect(left.filter((name) => /ready|state\.json/.test(name))).toEqual([]);
  });
});

describe("fixtures on a persistent state", { timeout: 120_000 }, () => {
  it("are created once, whatever their status and age", async () => {
    await using folder = await createFolder();
    const start = (world: object) =>
      startWith([world], ["--state", folder.at("state.json"), "--clock", "frozen"]);
    await using first = await start(WORLD);
    const calls = callsTo(first.url);
    const { payins, payouts } = await recordsOf(first);
    await calls.simulate("payin", payins[0]?.id ?? "");
    await calls.createPayin(NOWHERE);
    // Long enough for every key to be forgotten, which later calls do.
    await calls.advance(2 * 86_400);
    for (let count = 0; count < 3; count++) await calls.createPayin(NOWHERE);
    const before = await recordsOf(first);
    expect(before.faults).toMatchObject([{ used: 0 }, { used: 1 }]);
    await first.stop();

    await using second = await start(WORLD);
    expect(await recordsOf(second)).toEqual(before);
    await second.stop("SIGKILL");

    const more = { ...WORLD, payins: [{ ...PAYIN, value: 99 }, ...WORLD.payins, PAYIN] };
    await using third = await start(more);
    const after = await recordsOf(third);
    expect(after.payins.slice(0, before.payins.length)).toEqual(before.payins);
    expect(after.payins.slice(before.payins.length)).toMatchObject([{ value: 99 }, PAYIN]);
    expect(after.payouts).toEqual(payouts);
    await third.stop();

    // Somebody whose payout is in progress is not sent another.
    const rival = { payouts: [{ ...PAYOUT, token: "shop", value: 1 }] };
    const fixtures = folder.at("rival.json");
    await writeFile(fixtures, JSON.stringify(rival));
    const state = ["--state", folder.at("state.json"), "--port", "0"];
    const refused = await runMain(["serve", ...state, "--fixtures", fixtures]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("payouts.0.receiver_cpf: this receiver has another payout");
  });

  it("are restored by a reset, of all or of one integration", async () => {
    await using folder = await createFolder();
    const args = ["--state", folder.at("state.json"), ...FROZEN];
    await using sandbox = await startWith([WORLD], args);
    const start = await recordsOf(sandbox);
    const change = async () => {
      for (const token of ["shop", "other"]) {
        const calls = callsTo(sandbox.url, token);
        await calls.createPayout({ ...NOWHERE, receiver_cpf: "12345678909" });
        await calls.control("DELETE", "/faults");
        await fetch(`${sandbox.url}/_sandbox/assumptions`, {
          method: "PATCH",
          headers: { "x-api-token": token, "content-type": "application/json" },
          body: JSON.stringify({ "payout.auto": "complete_after:5" }),
        });
        await calls.gateway("PUT", "/v1/webhooks", {
          webhook_url: PAYIN.webhook_url,
          events: ["payment.received"],
        });
      }
      await callsTo(sandbox.url).advance(600);
    };
    await change();
    const changed = await recordsOf(sandbox);
    await post(sandbox, "/reset", "shop");
    const back = await recordsOf(sandbox);
    const isOf = (token: string) => (row: Shown) => row.integration === token;
    const times = (rows: readonly Shown[]) =>
      rows.map((row) => ({
        ...row,
        created_at: "",
        expires_at: "",
        settled_at: "",
        end_to_end_id: "",
      }));
    expect(times(back.payins.filter(isOf("shop")))).toEqual(
      times(start.payins.filter(isOf("shop"))),
    );
    expect(times(back.payouts.filter(isOf("shop")))).toEqual(times(start.payouts));
    // The clock is everyone's.
    expect(back.payins.filter(isOf("shop"))[0]).toMatchObject({
      created_at: "2026-11-21T12:10:00.000Z",
    });
    expect(back.payouts.filter(isOf("other"))).toEqual(changed.payouts.filter(isOf("other")));
    expect(back.faults).toEqual(start.faults.slice(0, 1));

    // So are the choices that held at the start.
    await callsTo(sandbox.url).advance(600);
    const later = await recordsOf(sandbox);
    expect(later.payouts.filter(isOf("shop"))[0]?.status).toBe("waiting");
    expect(later.payins.filter(isOf("shop"))[0]?.status).toBe("expired");

    await post(sandbox, "/reset");
    expect(await recordsOf(sandbox)).toEqual(start);
    await sandbox.stop("SIGKILL");
    await using again = await serveWith([WORLD], args);
    expect(await recordsOf(again)).toEqual(start);
    expect(await callsTo(again.url).deliveries()).toEqual([]);
  });

  it("exist as a whole or not at all, whenever a start is killed, and once in the end", async () => {
    for (let moment = 1; moment <= 6; moment++) {
      await using folder = await createFolder();
      const fixtures = folder.at("fixtures.json");
      await writeFile(fixtures, JSON.stringify(WORLD));
      const args = ["--state", folder.at("state.json"), ...FROZEN];
      await killAtStart(folder.path, [...args, "--fixtures", fixtures], moment);
      await using found = await startServe(args);
      const { payins, payouts, faults } = await recordsOf(found);
      expect([0, 10]).toContain(payins.length + payouts.length + faults.length);
      await found.stop("SIGKILL");
      await using sandbox = await serveMain([...args, "--fixtures", fixtures]);
      const there = await recordsOf(sandbox);
      expect(there.payins).toMatchObject(WORLD.payins.map(({ value }) => ({ value })));
      expect([there.payouts.length, there.faults.length]).toEqual([3, 2]);
    }
  });
});

interface Recorded {
  readonly payins: readonly Shown[];
  readonly payouts: readonly Shown[];
  readonly faults: readonly Shown[];
}

async function recordsOf({ url }: { readonly url: string }): Promise<Recorded> {
  const calls = callsTo(url);
  const list = async (path: string) =>
    (await calls.control<{ data: readonly Shown[] }>("GET", `${path}?limit=1000`)).data;
  return {
    payins: await list("/payins"),
    payouts: await list("/payouts"),
    faults: await list("/faults"),
  };
}

/** Runs `serve` in this process with fixtures from files, which are needed until it answers. */
const serveWith = (worlds: readonly object[], args = ["--memory"]): Promise<ServingMain> =>
  withFixtures(worlds, (fixtures) => serveMain([...args, ...fixtures]));

/** The same in a process of its own, which a test can kill. */
const startWith = (worlds: readonly object[], args: readonly string[]): Promise<Serving> =>
  withFixtures(worlds, (fixtures) => startServe([...args, ...fixtures]));

async function withFixtures<Result>(
  worlds: readonly object[],
  use: (args: readonly string[]) => Promise<Result>,
): Promise<Result> {
  await using folder = await createFolder();
  const files = worlds.map((_world, index) => folder.at(`${index}.json`));
  for (const [index, file] of files.entries()) await writeFile(file, JSON.stringify(worlds[index]));
  return await use(files.flatMap((file) => ["--fixtures", file]));
}

async function post(
  { url }: { readonly url: string },
  path: string,
  token?: string,
): Promise<void> {
  const headers = token === undefined ? {} : { "x-api-token": token };
  const { status } = await fetch(`${url}/_sandbox${path}`, { method: "POST", headers });
  expect(status).toBe(200);
}

/** Kills a start as the folder changes for the n-th time, or when it is done. */
async function killAtStart(folder: string, args: readonly string[], moment: number): Promise<void> {
  const watching = watch(folder);
  let changes = 0;
  await using program = startCli(["serve", "--port", "0", "--json", ...args]);
  await Promise.race([
    new Promise<void>((resolve) => {
      watching.on("change", () => {
        changes += 1;
        if (changes >= moment) resolve();
      });
    }),
    program.lines("stdout", 1),
  ]);
  watching.close();
  await program.stop("SIGKILL");
}
