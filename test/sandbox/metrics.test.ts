import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CallTally } from "../../src/http/call-tally.ts";
import { createMetrics } from "../../src/sandbox/metrics/metrics.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/start.ts";
import { MemoryStore } from "../../src/store/memory.ts";
import { callsTo } from "../support/calls.ts";
import { createFolder } from "../support/folder.ts";
import { call, control, sendRaw } from "../support/gateway.ts";
import { startMerchant } from "../support/merchant.ts";
import { parseMetrics, type ScrapedFamily, valueOf } from "../support/prometheus.ts";
import grafana from "../../docs/grafana.json" with { type: "json" };

const DURATION = "pix_sandbox_http_request_duration_seconds";

async function scrape(sandbox: Sandbox): Promise<ReadonlyMap<string, ScrapedFamily>> {
  const answer = await call(sandbox, { method: "GET", path: "/_sandbox/metrics" });
  expect([answer.status, answer.headers["content-type"]]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  return parseMetrics(answer.text);
}

/** The number of calls by route, method and status. */
function countsOf(families: ReadonlyMap<string, ScrapedFamily>): Record<string, number> {
  const samples = families.get(DURATION)?.samples ?? [];
  return Object.fromEntries(
    samples
      .filter(({ name }) => name === `${DURATION}_count`)
      .map(({ labels: { method, route, status }, value }) => [
        `${method} ${route} ${status}`,
        value,
      ]),
  );
}

describe("the calls in the metrics", () => {
  it("are counted exactly, by the paths of the routes", async () => {
    await using sandbox = await startSandbox();
    const calls = callsTo(sandbox.url, "shop");
    const { body: payin } = await calls.createPayin({ webhook_url: "http://127.0.0.1:1/hook" });
    await calls.createPayin({ webhook_url: "http://127.0.0.1:1/hook" });
    await call(sandbox, { path: "/v1/payins", body: {} });
    await call(sandbox, { method: "GET", path: `/_sandbox/payins/${payin.id}`, token: "shop" });
    await call(sandbox, { method: "GET", path: "/_sandbox/payins/nothing" });
    await call(sandbox, { method: "GET", path: "/_sandbox/payins?limit=1" });
    await call(sandbox, { method: "HEAD", path: "/_sandbox/payins" });
    await call(sandbox, { method: "DELETE", path: "/v1/payins" });
    await call(sandbox, { method: "PROPFIND", path: "/v1/payins" });
    for (let count = 0; count < 3; count++)
      await call(sandbox, { method: "GET", path: "/_sandbox/health" });
    await sandbox.fetch("/_sandbox/clock");
    await scrape(sandbox);

    expect(countsOf(await scrape(sandbox))).toEqual({
      "POST /v1/payins 200": 2,
      "POST /v1/payins 400": 1,
      "GET /_sandbox/payins/{id} 200": 1,
      "GET /_sandbox/payins/{id} 404": 1,
      "GET /_sandbox/payins 200": 1,
      "HEAD /_sandbox/payins 200": 1,
      "DELETE /v1/payins 405": 1,
      "other /v1/payins 405": 1,
      "GET /_sandbox/health 200": 3,
      "GET /_sandbox/clock 200": 1,
      "GET /_sandbox/metrics 200": 1,
    });
  });

  it("have one route for all paths that no route has, however hostile", async () => {
    await using sandbox = await startSandbox();
    const targets = [
      "/nothing",
      "/%0a",
      "/v1/%22%7d%0apix_sandbox_role%201",
      "/_sandbox/secret-token-4711",
      "/_sandbox/__proto__",
      "/v1/constructor",
      "//v1/payins",
      "/_sandbox/%zz",
      "/%2e/v1/payins",
      "/v1/./payins",
      "*",
    ];
    for (const target of targets)
      await sendRaw(
        sandbox,
        `GET ${target} HTTP/1.1\r\nhost: 127.0.0.1:${sandbox.port}\r\nconnection: close\r\n\r\n`,
      );

    const families = await scrape(sandbox);
    const routes = families.get(DURATION)?.samples.map(({ labels }) => labels["route"]);
    expect(new Set(routes)).toEqual(new Set(["unknown"]));
    const counts = Object.values(countsOf(families));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(targets.length);
  });

  it("have the status lost if a fault broke the connection", async () => {
    await using sandbox = await startSandbox();
    const body = { on: "payins.create", effect: "lost_answer", times: 1 };
    await control(sandbox, undefined, "POST /faults", body);
    const calls = callsTo(sandbox.url, "shop");
    const webhook_url = "http://127.0.0.1:1/hook";
    await expect(calls.createPayin({ webhook_url }, "order-1")).rejects.toThrow("fetch failed");
    expect(countsOf(await scrape(sandbox))).toMatchObject({ "POST /v1/payins lost": 1 });
  });

  it("belong to one sandbox of the process", async () => {
    await using one = await startSandbox();
    await using other = await startSandbox();
    await call(one, { method: "GET", path: "/_sandbox/health" });
    expect(countsOf(await scrape(one))).toEqual({ "GET /_sandbox/health 200": 1 });
    expect(countsOf(await scrape(other))).toEqual({});
  });
});

describe("the other metrics of a sandbox", () => {
  it("count attempts by outcome, deliveries that are pending, due events and records", async () => {
    await using merchant = await startMerchant({
      answer: ({ path }) => (path === "/fails" ? 500 : 200),
    });
    await using gone = await startMerchant();
    await gone.close();
    await using sandbox = await startSandbox({ clock: "frozen" });
    const calls = callsTo(sandbox.url, "shop");
    const pay = async (webhook_url: string): Promise<void> => {
      const { body } = await calls.createPayin({ webhook_url });
      await calls.simulate("payin", body.id);
    };
    await pay(merchant.url);
    await pay(merchant.url);
    await pay(merchant.at("/fails"));
    await pay(gone.url);
    const drop = { on: "webhook", effect: "drop_attempts=1", times: 1 };
    await control(sandbox, undefined, "POST /faults", drop);
    await pay(merchant.url);
    await calls.createPayout({ webhook_url: merchant.url });
    await calls.createPayin({ webhook_url: merchant.url });
    // Waits for the attempts in flight.
    await calls.advance(0.5);

    const families = await scrape(sandbox);
    const value = (name: string, labels?: Record<string, string>): number | undefined =>
      valueOf(families, name, labels);
    const attempts = families.get("pix_sandbox_webhook_attempts_total")?.samples ?? [];
    expect(
      Object.fromEntries(attempts.map(({ labels, value: n }) => [labels["outcome"], n])),
    ).toEqual({
      accepted: 2,
      rejected: 1,
      timeout: 0,
      connection_refused: 1,
      stale_connection: 0,
      failed: 0,
      not_sent: 1,
    });
    expect(value("pix_sandbox_deliveries_pending")).toBe(3);
    expect(value("pix_sandbox_records", { kind: "payin" })).toBe(6);
    expect(value("pix_sandbox_records", { kind: "payout" })).toBe(1);
    expect(value("pix_sandbox_records", { kind: "delivery" })).toBe(5);
    expect(value("pix_sandbox_due_events")).toBeGreaterThanOrEqual(4);
    expect(value("pix_sandbox_changes_refused")).toBe(0);
    expect(value("pix_sandbox_role", { role: "leader" })).toBe(1);
    expect(value("pix_sandbox_role", { role: "standby" })).toBe(0);
    expect(families.has("pix_sandbox_journal_position")).toBe(false);
  });

  it("measure the journal of a state file", async () => {
    await using folder = await createFolder();
    await using sandbox = await startSandbox({ stateFile: folder.at("state.json") });
    const before = await scrape(sandbox);
    const calls = callsTo(sandbox.url, "shop");
    await calls.createPayin({ webhook_url: "http://127.0.0.1:1/hook" });
    await calls.createPayin({ webhook_url: "http://127.0.0.1:1/hook" });
    const after = await scrape(sandbox);
    const difference = (name: string): number =>
      (valueOf(after, name) ?? Number.NaN) - (valueOf(before, name) ?? Number.NaN);
    expect(difference("pix_sandbox_journal_position")).toBe(2);
    expect(difference("pix_sandbox_journal_append_commits_sum")).toBe(2);
    expect(difference("pix_sandbox_journal_append_commits_count")).toBe(2);
    expect(difference("pix_sandbox_journal_append_duration_seconds_count")).toBe(2);
    expect(difference("pix_sandbox_journal_append_duration_seconds_sum")).toBeGreaterThan(0);
  });

  it("show that changes are refused", async () => {
    const { records } = new MemoryStore();
    const metrics = createMetrics({ store: { records, isDegraded: true } });
    const families = parseMetrics(await metrics.scrape());
    metrics.close();
    expect(valueOf(families, "pix_sandbox_changes_refused")).toBe(1);
  });

  it("show no token and no id", async () => {
    const token = "shop-token-4711";
    await using sandbox = await startSandbox({ controlToken: "control-token-4711" });
    const calls = callsTo(sandbox.url, token);
    const { body } = await calls.createPayin({ webhook_url: "http://127.0.0.1:1/hook-4711" });
    await calls.simulate("payin", body.id);
    const refused = await call(sandbox, { method: "GET", path: "/_sandbox/metrics" });
    expect(refused.status).toBe(401);
    const headers = { authorization: "Bearer control-token-4711" };
    const { text } = await call(sandbox, { method: "GET", path: "/_sandbox/metrics", headers });
    parseMetrics(text);
    expect(text).not.toContain("4711");
    expect(text).not.toContain(body.id);
    expect(text).not.toContain(sandbox.secret);
  });
});

describe("the metrics of a standby", () => {
  it("are its role, the lease, its position, its calls and the process", async () => {
    const calls = new CallTally();
    calls.add("/_sandbox/ready", "GET", 503, 1);
    let age: number | undefined = 1.5;
    const metrics = createMetrics({
      calls,
      position: () => 42,
      team: { role: () => "standby", leaseAgeSeconds: () => age },
    });
    const families = parseMetrics(await metrics.scrape());
    expect(valueOf(families, "pix_sandbox_role", { role: "standby" })).toBe(1);
    expect(valueOf(families, "pix_sandbox_role", { role: "leader" })).toBe(0);
    expect(valueOf(families, "pix_sandbox_lease_age_seconds")).toBe(1.5);
    expect(valueOf(families, "pix_sandbox_journal_position")).toBe(42);
    expect(countsOf(families)).toEqual({ "GET /_sandbox/ready 503": 1 });
    expect([...families.keys()].filter((name) => name.startsWith("pix_sandbox"))).toEqual([
      "pix_sandbox_info",
      "pix_sandbox_role",
      "pix_sandbox_lease_age_seconds",
      DURATION,
      "pix_sandbox_journal_position",
    ]);
    age = undefined;
    const later = parseMetrics(await metrics.scrape());
    expect(later.get("pix_sandbox_lease_age_seconds")?.samples).toEqual([]);
    metrics.close();
  });
});

describe("docs/grafana.json and docs/cli.md", () => {
  let exported: ReadonlyMap<string, ScrapedFamily>;
  let folder: Awaited<ReturnType<typeof createFolder>>;
  beforeAll(async () => {
    folder = await createFolder();
    await using sandbox = await startSandbox({ stateFile: folder.at("state.json") });
    await scrape(sandbox);
    // Only a process in a team has a lease.
    const team = createMetrics({ team: { role: () => "leader", leaseAgeSeconds: () => 0 } });
    exported = new Map([...(await scrape(sandbox)), ...parseMetrics(await team.scrape())]);
    team.close();
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  it("read metrics that exist, and all of them", () => {
    const { panels, templating } = grafana;
    const queries = [
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      ...templating.list.map(({ definition = "" }) => definition),
    ];
    const read = new Set(
      queries.flatMap((query) => query.match(/\b[a-z]+_[a-z0-9_]+\b(?=[{,])/g) ?? []),
    );
    const samples = new Set(
      [...exported.values()].flatMap((family) => family.samples.map(({ name }) => name)),
    );
    expect([...read].filter((name) => !samples.has(name))).toEqual([]);
    const families = new Set([...read].map((name) => name.replace(/_(bucket|sum|count)$/, "")));
    expect([...exported.keys()].filter((name) => !families.has(name))).toEqual([]);
  });

  it("can be imported: each panel has its own id and place, and the data source that is chosen", () => {
    const { panels, templating } = grafana;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from(
        { length: w * h },
        (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`,
      ),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
    const chosen = { type: "prometheus", uid: "${datasource}" };
    for (const { datasource, targets } of panels)
      expect([datasource, ...targets.map((target) => target.datasource)]).toEqual(
        Array.from({ length: targets.length + 1 }, () => chosen),
      );
    expect(templating.list.map(({ name, type }) => [name, type])).toEqual([
      ["datasource", "datasource"],
      ["instance", "query"],
    ]);
  });

  it("list every metric", async () => {
    const text = await readFile(new URL("../../docs/cli.md", import.meta.url), "utf8");
    const rows = text.match(/^\| `(?:pix_sandbox|process|nodejs)_.*$/gm) ?? [];
    const listed = rows.flatMap((row) => row.split(" | ")[0]?.match(/\w+_\w+/g) ?? []);
    expect(listed.toSorted()).toEqual([...exported.keys()].toSorted());
  });
});
