import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { startRecorder } from "../../src/cli/fidelity/recorder.ts";
import { listenOn } from "../../src/fidelity/http-server.ts";
import { hasCpfCheckDigits } from "../../src/core/records/checks.ts";
import { createFolder } from "../support/folder.ts";
import { runMain, startMain } from "../support/main.ts";
import { driftMistakes, driftOf, PRIVATE, recordDay } from "../support/recorded-variant.ts";
import { startVariant } from "../variants/start-variant.ts";
import { visit } from "../variants/visit.ts";

const REJECT = { "payout.rival": "reject" } as const;
const DAY_MS = 86_400_000;

describe("drift", { timeout: 60_000 }, () => {
  // test/long records 50 of them.
  it.each([1, 19])("finds what a recording of hidden gateway %i shows, and no more", async (seed) =>
    expect(await driftMistakes(seed)).toEqual([]),
  );

  it("names the choice that mends each difference", async () => {
    const recorded = await recordDay(REJECT);
    const { differences } = await driftOf(recorded, {});
    expect(differences.length).toBeGreaterThan(0);
    for (const { mends } of differences) expect(mends).toEqual(REJECT);
    const { differences: left, counts } = await driftOf(recorded, REJECT);
    expect(left).toEqual([]);
    expect(counts).toMatchObject({ different: 0, missing: 0 });
    expect(counts.equal).toBeGreaterThan(100);
    expect(counts.equal_in_shape).toBeGreaterThan(100);
  });

  it("exits with 8, and prints what no choice describes as an issue without private values", async () => {
    await using folder = await createFolder();
    const deviating = await recordDay(REJECT, ["payin.undocumented_status"]);
    await writeFile(folder.at("staging.jsonl"), deviating.text);
    const cwd = folder.path;
    const { code, stdout } = await runMain(["drift", "staging.jsonl"], { cwd, columns: 80 });
    expect(code).toBe(8);
    expect(stdout).toContain("30 calls and");
    expect(stdout).toContain("payout.rival=reject");
    const portuguese = await runMain(["drift", "staging.jsonl", "--lang", "pt-BR"], { cwd });
    expect(portuguese.stdout.split("# A gateway")[0]).not.toMatch(/\b(?:text|number|time)\b/);
    const [table = "", issue = ""] = stdout.split("# A gateway does what no choice describes");
    expect(table.split("\n").filter(({ length }) => length > 80)).toEqual([]);
    expect(issue).toContain('- `status`: recorded "waiting", sandbox –');
    expect(issue).toContain("`buyer_cpf` text");
    const sent = deviating.recording.calls.flatMap(({ body }) =>
      Object.values(JSON.parse(body) as object).filter((one) => String(one).length > 9),
    );
    expect(sent.filter((one) => issue.includes(String(one)))).toEqual([]);

    const { text } = await recordDay({});
    await writeFile(folder.at("staging.jsonl"), text);
    const same = await runMain(["drift", "staging.jsonl", "--json"], { cwd });
    expect(same.code).toBe(0);
    expect(JSON.parse(same.stdout)).toMatchObject({ is_old: false, differences: [], issue: null });
    const config = JSON.stringify({ assumptions: REJECT });
    await writeFile(folder.at("pix-sandbox.config.json"), config);
    expect(await runMain(["drift", "staging.jsonl"], { cwd })).toMatchObject({ code: 8 });
  });

  it("says that a recording is old after 90 days", async () => {
    await using folder = await createFolder();
    for (const [days, isOld] of [
      [90, false],
      [92, true],
    ] as const) {
      const atMs = Date.now() - days * DAY_MS;
      const start = { type: "pix-sandbox-recording", version: 1, atMs, hasWebhooks: false };
      await writeFile(folder.at("old.jsonl"), `${JSON.stringify(start)}\n`);
      const { code, stdout } = await runMain(["drift", "old.jsonl"], { cwd: folder.path });
      expect([code, stdout.includes("The recording is old")]).toEqual([0, isOld]);
      expect(stdout).toContain(`${days} days ago`);
    }
  });

  it("compares calls without a token, and a GET that has a body", async () => {
    await using folder = await createFolder();
    const atMs = Date.now();
    const start = { type: "pix-sandbox-recording", version: 1, atMs, hasWebhooks: false };
    const call = (method: string, status: number) => ({
      type: "call",
      call: {
        atMs,
        method,
        path: "/v1/health",
        headers: {},
        body: "{}",
        response: { status, headers: {}, body: "{}" },
      },
    });
    const lines = [start, call("POST", 200), call("GET", 404)].map((one) => JSON.stringify(one));
    await writeFile(folder.at("health.jsonl"), lines.join("\n"));
    const { code, stdout } = await runMain(["drift", "health.jsonl"], { cwd: folder.path });
    expect([code, stdout]).toEqual([8, expect.stringContaining("## 1 POST …: 200")]);
  });

  it("refuses a file that is not a recording, but not a torn last line", async () => {
    await using folder = await createFolder();
    const { text } = await recordDay({});
    const lines = text.split("\n");
    const damaged = [...lines.slice(0, 3), "{", ...lines.slice(3)].join("\n");
    for (const [content, code] of [
      ["{}", 2],
      [damaged, 2],
      [text.replace(/"atMs":\d+,"method"/, '"atMs":-1,"method"'), 2],
      [text.replace('"headers":{"', '"headers":{"a b":"","'), 2],
      [text.replace('"headers":{"', '"headers":{"a":"\\u0000","'), 2],
      [text.slice(0, -100), 0],
    ] as const) {
      await writeFile(folder.at("a.jsonl"), content);
      expect(await runMain(["drift", "a.jsonl"], { cwd: folder.path })).toMatchObject({ code });
    }
  });
});

describe("a recording", { timeout: 60_000 }, () => {
  it("has valid and consistent masks, and the application's address", async () => {
    const { text, recording } = await recordDay({});
    expect(PRIVATE.filter((one) => text.includes(one))).toEqual([]);
    expect(text).not.toContain("/webhooks/");
    const bodies = recording.calls.map(({ body }) => JSON.parse(body) as Record<string, string>);
    const [first, wrong] = [bodies[0], bodies[7]];
    expect(hasCpfCheckDigits(first?.["buyer_cpf"] ?? "")).toBe(true);
    expect(wrong?.["buyer_cpf"]).toMatch(/^\d{11}$/);
    expect(hasCpfCheckDigits(wrong?.["buyer_cpf"] ?? "")).toBe(false);
    expect(bodies[4]?.["buyer_cpf"]).toBe(first?.["buyer_cpf"]);
    expect(bodies[8]?.["buyer_email"]).toHaveLength(92);
    expect(bodies[10]?.["description"]).toHaveLength(120);
    expect(bodies[24]?.["pix_key"]).toMatch(/^\+\d{12}$/);
    expect(bodies[25]?.["pix_key"]).toMatch(/^[\dA-F]{8}-[\dA-F]{4}-4[\dA-F-]{21}$/);
    const keys = recording.calls.map(({ headers }) => headers["x-idempotency-key"]);
    expect(keys[15]).toBe(keys[16]);
    expect(keys[15]).not.toBe(keys[14]);
    expect(recording.webhooks.every(({ url }) => url.endsWith("/hook"))).toBe(true);
    expect(recording.webhooks.length).toBeGreaterThan(4);
  });

  it("has masks in a webhook that comes before the response", async () => {
    const lines: string[] = [];
    await using shop = await listenOn(0, async () => ({ status: 204 }));
    await using gateway = await listenOn(0, async ({ body }) => {
      const sent = JSON.parse(body.toString()) as Record<string, string>;
      const note = JSON.stringify({ note: `to ${sent["receiver_name"]}` });
      const webhook = await fetch(sent["webhook_url"] ?? "", { method: "POST", body: note });
      return { status: webhook.status === 204 ? 200 : 500, body: Buffer.from("{}") };
    });
    await using recorder = await startRecorder({
      port: 0,
      target: `http://127.0.0.1:${gateway.port}/v1`,
      get publicUrl() {
        return `http://127.0.0.1:${recorder.port}/tunnel`;
      },
      nowMs: Date.now,
      onEvent: (event) => void lines.push(JSON.stringify(event)),
      onFailure(error) {
        throw error;
      },
    });
    const body = { receiver_name: "Rosa Maia", webhook_url: `http://127.0.0.1:${shop.port}/` };
    const url = `http://127.0.0.1:${recorder.port}/v1/payouts`;
    const { status } = await fetch(url, { method: "POST", body: JSON.stringify(body) });
    expect([status, lines.map((line) => line.slice(9, 13))]).toEqual([200, ["webh", "call"]]);
    expect(lines.filter((line) => line.includes("Rosa"))).toEqual([]);
  });

  it("is what record writes until it is stopped", async () => {
    await using folder = await createFolder();
    await using variant = await startVariant({});
    const cwd = folder.path;
    const args = ["record", "--to", "a.jsonl", "--target", variant.url, "--port", "0", "--json"];
    await using recording = startMain(args, { cwd });
    const [line = "{}"] = await recording.lines("stdout", 1);
    const { url } = JSON.parse(line) as { url: string };
    await using shop = await visit({ ...variant, url });
    expect(await shop.payin()).toMatchObject({ status: 200 });
    expect(await shop.payin({ value: -1 })).toMatchObject({ status: 400 });
    const { code, stdout } = await recording.stop();
    expect([code, stdout]).toEqual([0, expect.stringContaining('"calls":2,"webhooks":0')]);
    expect(await readFile(folder.at("a.jsonl"), "utf8")).not.toContain(variant.credential.api_key);
    expect(await runMain(["drift", "a.jsonl"], { cwd })).toMatchObject({ code: 0 });
    const again = await runMain(args, { cwd });
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("a.jsonl exists")]);
  });
});
