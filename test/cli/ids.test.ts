import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/server/start.ts";
import { callsTo, type Shown } from "../support/calls.ts";
import { runMain, runMainJson } from "../support/main.ts";
import type { Ended } from "../support/process.ts";

const NOWHERE = { webhook_url: "http://127.0.0.1:9/hook" };
/** Long enough for one of few ids. */
const PREFIX = 12;

describe("an id on the command line", { timeout: 60_000 }, () => {
  let sandbox: Sandbox;
  let env: Record<string, string>;
  beforeAll(async () => {
    sandbox = await startSandbox({ assumptions: { "payout.rival": "allow" } });
    env = { PIX_SANDBOX_URL: sandbox.url };
  });
  beforeEach(async () => {
    await callsTo(sandbox.url, "shop").control("POST", "/reset");
  });
  afterAll(() => sandbox.close());

  const run = (...args: string[]): Promise<Ended> => runMain(args, { env });
  const json = (...args: string[]): Promise<Shown> => runMainJson<Shown>(args, { env });
  const createPayin = async (token = "shop"): Promise<Shown> =>
    (await callsTo(sandbox.url, token).createPayin(NOWHERE)).body;
  const createPayout = async (): Promise<Shown> =>
    (await callsTo(sandbox.url, "shop").createPayout(NOWHERE)).body;

  it("is that of a payin by its beginning, last, or the BR Code", async () => {
    const first = await createPayin();
    const newest = await createPayin();
    const start = first.id.slice(0, PREFIX);
    expect(await json("payin", "show", start)).toMatchObject({ id: first.id });
    expect(await json("payin", "show", `${start}…`)).toMatchObject({ id: first.id });
    expect(await json("payin", "show", "last")).toMatchObject({ id: newest.id });
    expect(await json("payin", "show", first.qr_code)).toMatchObject({ id: first.id });
    expect(await json("qr", start)).toEqual({ qr_code: first.qr_code });
    expect(await json("payin", "cancel", start)).toMatchObject({
      id: first.id,
      status: "canceled",
    });
    expect(await json("payin", "expire", newest.qr_code)).toMatchObject({ status: "expired" });
    const third = await createPayin();
    expect(await json("pay", "last")).toMatchObject({ id: third.id, status: "paid" });
    await createPayin();
    expect((await run("simulate", "payin", "last")).code).toBe(0);
    expect(await json("payin", "show", "last")).toMatchObject({ status: "completed" });
  });

  it("is that of a payout by its beginning or last", async () => {
    const first = await createPayout();
    const newest = await createPayout();
    const start = first.id.slice(0, PREFIX);
    expect(await json("payout", "complete", start)).toMatchObject({ id: first.id });
    expect(await json("payout", "cancel", "last")).toMatchObject({ id: newest.id });
  });

  it("is that of a webhook or a fault by its beginning or last", async () => {
    for (const { id } of [await createPayin(), await createPayin()]) await json("pay", id);
    const { data } = await runMainJson<{ data: Shown[] }>(["webhooks", "list"], { env });
    const [newest, oldest] = [data[0]?.id ?? "", data.at(-1)?.id ?? ""];
    expect(await json("webhooks", "show", "last")).toMatchObject({ id: newest });
    const start = oldest.slice(0, PREFIX);
    expect(await json("webhooks", "show", start)).toMatchObject({ id: oldest });
    // No server runs at its address.
    const resent = await run("webhooks", "resend", start, "--json");
    expect(resent.code).toBe(8);
    expect(JSON.parse(resent.stdout)).toMatchObject({ id: oldest });

    const hold = await json("faults", "add", "payins.create", "hold");
    expect(await json("faults", "release", hold.id.slice(0, PREFIX))).toMatchObject({
      id: hold.id,
    });
    const other = await json("faults", "add", "webhook", "duplicate");
    expect(await json("faults", "remove", "last")).toMatchObject({ id: other.id });
    expect(await json("faults", "remove", hold.id)).toMatchObject({ id: hold.id });
  });

  it("selects webhooks by a payin or payout", async () => {
    const payin = await createPayin();
    await json("pay", payin.id);
    const payout = await createPayout();
    await json("payout", "complete", payout.id);
    const listed = async (id: string): Promise<string[]> => {
      const args = ["webhooks", "list", "--transaction", id];
      const { data } = await runMainJson<{ data: Shown[] }>(args, { env });
      return data.map((webhook) => webhook.transaction_id);
    };
    expect(await listed(payin.id.slice(0, PREFIX))).toEqual([payin.id]);
    expect(await listed(payin.qr_code)).toEqual([payin.id]);
    expect(await listed(payout.id.slice(0, PREFIX))).toEqual([payout.id]);
    expect(await listed("last")).toEqual([payout.id]);
    const wait = await run(
      "wait",
      "payin.paid",
      "--id",
      payin.id.slice(0, PREFIX),
      "--timeout",
      "1ms",
    );
    expect(wait).toMatchObject({ code: 6 });
    expect(wait.stderr).toContain(payin.id);
    const resent = await run("webhooks", "resend", "--transaction", payin.id.slice(0, PREFIX));
    expect(resent.stdout).toContain(payin.id);
  });

  it("is the beginning or the end of a list", async () => {
    const payins = [await createPayin(), await createPayin(), await createPayin()];
    const [first = "", , third = ""] = payins.map(({ id }) => id);
    const listed = async (...args: string[]): Promise<string[]> => {
      const { data } = await runMainJson<{ data: Shown[] }>(["payin", "list", ...args], { env });
      return data.map(({ id }) => id);
    };
    expect(await listed("--before", third.slice(0, PREFIX))).toEqual([payins[1]?.id, first]);
    expect(await listed("--after", first.slice(0, PREFIX))).toEqual([third, payins[1]?.id]);
  });

  it("counts only the records of --token", async () => {
    const payin = await createPayin();
    const others = await createPayin("other");
    expect(await json("payin", "show", "last", "--token", "shop")).toMatchObject({ id: payin.id });
    expect(await json("payin", "show", "last")).toMatchObject({ id: others.id });
    const start = others.id.slice(0, PREFIX);
    expect(await run("payin", "show", start, "--token", "shop")).toMatchObject({ code: 5 });
    expect(await run("payin", "show", others.qr_code, "--token", "shop")).toMatchObject({
      code: 5,
    });
  });

  it("says whose records there are none of", async () => {
    expect(await run("payin", "show", "last", "--token", "nobody")).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(
        'error: The integration "nobody" has no payin yet.',
      ) as string,
    });
  });

  it("is refused if it is that of a broken BR Code", async () => {
    expect(await run("payin", "show", "00020126")).toMatchObject({ code: 2, stdout: "" });
  });
});
