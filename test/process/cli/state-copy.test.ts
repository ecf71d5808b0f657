import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runCli, startServe } from "../../support/cli.ts";
import { runMain, runMainJson, serveMain } from "../../support/main.ts";
import { callsTo } from "../../support/calls.ts";
import { createFolder } from "../../support/folder.ts";
import { startMerchant } from "../../support/merchant.ts";
import { type Postgres, startPostgres } from "../../support/postgres.ts";
import { lacks } from "../../support/lacks.ts";

/** Everything that a sandbox shows of its state. */
async function shownBy(url: string): Promise<unknown> {
  const paths = ["payins", "payouts", "deliveries", "faults", "secret", "snapshots", "assumptions"];
  return Promise.all(paths.map(async (path) => (await fetch(`${url}/_sandbox/${path}`)).json()));
}

/** Fills a state with every kind of record, stops, and shows what it contained. */
async function fill(state: string): Promise<unknown> {
  await using merchant = await startMerchant();
  await using serving = await serveMain(["--state", state, "--clock", "frozen"]);
  const { url } = serving;
  const calls = callsTo(url);
  for (const key of ["one", "two", "three"])
    await calls.createPayin({ webhook_url: merchant.url }, key);
  await calls.createPayout({ webhook_url: merchant.url });
  const send = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${url}/_sandbox/${path}`, {
      method,
      ...(body && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
  await send("PUT", "snapshots/before");
  await send("POST", "faults", { on: "webhook", effect: "delay_ms=5" });
  await send("PATCH", "assumptions", { "error.language": "pt" });
  const shown = await shownBy(url);
  await serving.stop("SIGINT");
  return shown;
}

async function showsOf(state: string): Promise<unknown> {
  await using serving = await serveMain(["--state", state, "--clock", "frozen"]);
  const shown = await shownBy(serving.url);
  await serving.stop("SIGINT");
  return shown;
}

/** A state file without what differs between two files with the same state. */
async function contentOf(file: string): Promise<unknown> {
  const { sequence, ...rest } = JSON.parse(await readFile(file, "utf8")) as object & {
    sequence?: unknown;
  };
  expect(typeof sequence).toBe("number");
  return rest;
}

describe("state copy, between files", () => {
  it("copies everything, also the snapshots", async () => {
    await using folder = await createFolder();
    const shown = await fill(folder.at("state.json"));
    const { code, stdout } = await runCli(["state", "copy", "state.json", "copy.json"], {
      cwd: folder.path,
    });
    expect([code, stdout]).toEqual([
      0,
      "Copied from state.json to copy.json: 3 payins, 1 payout, 0 webhooks and 1 snapshot.\n",
    ]);
    const portuguese = ["state", "copy", "state.json", "again.json", "--lang", "pt-BR"];
    expect((await runMain(portuguese, { cwd: folder.path })).stdout).toBe(
      "Copiado de state.json para again.json: 3 cobranças, 1 payout, 0 webhooks e 1 snapshot.\n",
    );
    expect(await contentOf(folder.at("copy.json"))).toEqual(
      await contentOf(folder.at("state.json")),
    );
    expect(await showsOf(folder.at("copy.json"))).toEqual(shown);
  });

  it("refuses a state that exists, one that is missing or damaged, and one in use", async () => {
    await using folder = await createFolder();
    const copy = (from: string, to: string) =>
      runMain(["state", "copy", from, to], { cwd: folder.path });
    await fill(folder.at("state.json"));
    const before = await readFile(folder.at("state.json"), "utf8");

    const itself = await copy("state.json", "state.json");
    expect([itself.code, itself.stderr]).toEqual([2, expect.stringContaining("There is a state")]);
    expect(await readFile(folder.at("state.json"), "utf8")).toBe(before);
    const missing = await copy("nothing.json", "to.json");
    expect([missing.code, missing.stderr]).toEqual([
      9,
      expect.stringContaining("There is no state"),
    ]);
    const unknown = await copy("postgress://me:secret@host/db", "to.json");
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.not.stringContaining("secret")]);

    await using serving = await startServe(["--state", folder.at("state.json")]);
    const used = await copy("state.json", "to.json");
    expect([used.code, used.stderr]).toEqual([7, expect.stringContaining("state.json")]);
    await serving.stop("SIGINT");

    await writeFile(
      folder.at("state.json"),
      before.replace('"transactions":[', '"transactions":[}'),
    );
    const damaged = await copy("state.json", "to.json");
    expect([damaged.code, damaged.stderr]).toEqual([9, expect.stringContaining("is damaged")]);
    expect(await readFile(folder.at("to.json"), "utf8").catch(() => "")).toBe("");
  });
});

describe.skipIf(lacks("postgresql"))("state copy, with PostgreSQL", () => {
  let server: Postgres;
  let database: string;

  beforeAll(async () => {
    server = await startPostgres();
  });

  afterAll(() => server[Symbol.asyncDispose]());

  beforeEach(async () => {
    database = await server.createDatabase();
  });

  it("copies a state into a database and back", async () => {
    await using folder = await createFolder();
    const shown = await fill(folder.at("state.json"));
    const address = `${server.url(database)}?sandbox=team`;
    const copy = (from: string, to: string): Promise<unknown> =>
      runMainJson(["state", "copy", from, to], { cwd: folder.path });
    const counts = { payins: 3, payouts: 1, deliveries: 0, snapshots: 1 };
    expect(await copy("state.json", address)).toMatchObject(counts);
    expect(await showsOf(address)).toEqual(shown);
    expect(await copy(address, "back.json")).toMatchObject(counts);
    expect(await showsOf(folder.at("back.json"))).toEqual(shown);
    expect(await copy(address, `${server.url(database)}?sandbox=other`)).toMatchObject(counts);
    expect(await showsOf(`${server.url(database)}?sandbox=other`)).toEqual(shown);
  });

  it("refuses a sandbox that exists or is missing", async () => {
    await using folder = await createFolder();
    await fill(folder.at("state.json"));
    const address = `${server.url(database)}?sandbox=team`;
    const copy = (from: string, to: string) =>
      runMain(["state", "copy", from, to], { cwd: folder.path });
    const missing = await copy(address, "to.json");
    expect([missing.code, missing.stderr]).toEqual([
      9,
      expect.stringContaining("There is no state at"),
    ]);
    await (await serveMain(["--state", address])).stop("SIGINT");
    const exists = await copy("state.json", address);
    expect([exists.code, exists.stderr]).toEqual([
      2,
      expect.stringContaining("There is a state at"),
    ]);
  });
});
