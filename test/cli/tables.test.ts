import { Chalk } from "chalk";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { FAULTS } from "../../src/cli/commands/faults.ts";
import { PAYINS } from "../../src/cli/commands/payin.ts";
import { PAYOUTS } from "../../src/cli/commands/payout.ts";
import { REQUESTS } from "../../src/cli/commands/requests.ts";
import { SNAPSHOTS } from "../../src/cli/commands/snapshot.ts";
import { RECEIVED } from "../../src/cli/commands/webhooks.ts";
import { DELIVERIES } from "../../src/cli/webhooks/deliveries.ts";
import { inLanguage, type Language, LANGUAGES } from "../../src/cli/terminal/language.ts";
import { foldText, renderTable, type Table } from "../../src/cli/terminal/table.ts";
import { toRelativeTime } from "../../src/cli/terminal/times.ts";
import { randomFrom } from "../support/core.ts";
import { callsTo } from "../support/calls.ts";
import { runMain, serveMain } from "../support/main.ts";

const NOW = "2026-11-21T12:00:00.000Z";
const CONTROLS = "\u001b[2J\u202egnp.exe\n";
const LONG = "muito longo ".repeat(25);
const COLOR = new Chalk({ level: 0 });

const before = (seconds: number): string =>
  new Date(Date.parse(NOW) - seconds * 1000).toISOString();

const NAMES = [
  ["Maria da Silva", "sandbox", 3],
  ["João 🎉 Conceição 👍🏽 🇧🇷", "worker-1", 130],
  ["山田太郎 株式会社テスト", "integração-de-nome-comprido", 7300],
  [LONG, "shop", 200_000],
  [CONTROLS, "shop", 0],
  ["Família 👩‍👩‍👧‍👦 ❤️‍🔥", "shop", 0],
] as const;

const id = (index: number): string => `${index}f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d1${index}`;

const payins = NAMES.map(([buyer_name, integration, age], index) => ({
  id: id(index),
  status: index % 2 === 0 ? "waiting" : "completed",
  value: index === 2 ? 9_999_999_999.99 : 10.5 * (index + 1),
  created_at: before(age),
  buyer_name,
  integration,
}));
const payouts = payins.map(({ buyer_name, ...payin }) => ({ ...payin, receiver_name: buyer_name }));

const deliveries = NAMES.map(([name, integration], index) => ({
  id: `evt_${index}123456789abcdef0123456789abcde${index}`,
  type: index % 2 === 0 ? "payin.paid" : "payout.completed",
  status: ["pending", "failed", "delivered", "delivered", "pending", "pending"][index],
  attempts: [
    [{ error: "ECONNREFUSED 127.0.0.1:3000" }],
    [{ status: 500 }, { error: "timeout" }],
    [{ status: 200 }],
    [{ status: 204 }],
    [],
    [],
  ][index],
  next_attempt_at: [before(-1), null, null, null, before(-3600), before(15)][index],
  transaction_id: id(index),
  url: `http://localhost:3000/webhooks/${index < 2 ? "pix" : encodeURIComponent(name)}`,
  integration,
}));

const received = NAMES.map(([name, , age], index) => ({
  id: `sink_${index + 8}`,
  webhook_id: index === 2 ? null : `evt_${index}123456789abcdef0123456789abcde${index}`,
  sandbox_at: before(age),
  type: index === 2 ? null : "payin.paid",
  transaction_id: index === 2 ? null : id(index),
  verified: index < 2,
  message: index < 2 ? null : index === 2 ? "The headers webhook-id are missing." : name,
}));

const requests = NAMES.map(([name], index) => {
  const isRefused = index === 1;
  const error = { code: "INVALID_VALUE", field: "buyer_cpf", message: "…" };
  return {
    id: `req_${index + 98}`,
    at: before(5 - index),
    method: index === 4 ? "DELETE" : "POST",
    path: [
      "/v1/payins",
      "/v1/payins",
      "/v1/payouts/simulations",
      "/v1/payouts",
      `/v1/${LONG}`,
      "/v1/payins",
    ][index],
    status: isRefused ? 400 : index === 4 ? 404 : 200,
    duration_ms: [3.1, 0.4, 12, 2048.7, 0.2, 1][index],
    body: index === 4 ? null : JSON.stringify({ value: 10.5, buyer_name: name }),
    response: "",
    code: isRefused ? "VALIDATION_ERROR" : null,
    errors: isRefused ? [error] : [],
    transaction_id: isRefused || index === 4 ? null : id(index),
    lost: index === 3,
  };
});

const faults = NAMES.map(([name, integration], index) => ({
  id: `flt_${index}123456789abcdef0123456789abcde${index}`,
  on: [
    "payins.create",
    "payouts.create",
    "webhook",
    "webhook",
    "payouts.simulate",
    "payins.simulate",
  ][index],
  effect: [
    "error=EXTERNAL_ERROR",
    "hold",
    "duplicate",
    "delay_ms=500",
    "lost_answer",
    "latency_ms=300",
  ][index],
  used: index,
  ...(index > 1 && { times: 0 }),
  ...(index === 1 && { held: [{}, {}] }),
  ...(index > 0 && { match: { description: name } }),
  integration: index === 0 ? null : integration,
}));

const snapshots = NAMES.map(([, integration, age], index) => ({
  name: index === 3 ? "a".repeat(64) : `snapshot-${index}`,
  integration: index === 0 ? null : integration,
  taken_at: before(age),
  payins: index,
  payouts: 10 * index,
  deliveries: 100 * index,
}));

/** Only the members that the tables show. */
const TABLES: readonly (readonly [name: string, table: Table<never>, rows: readonly unknown[]])[] =
  [
    ["payin list", PAYINS, payins],
    ["payout list", PAYOUTS, payouts],
    ["webhooks list", DELIVERIES, deliveries],
    ["webhooks received", RECEIVED, received],
    ["requests", REQUESTS, requests],
    ["faults list", FAULTS, faults],
    ["snapshot list", SNAPSHOTS, snapshots],
  ];

function render(
  table: Table<never>,
  rows: readonly unknown[],
  columns: number | undefined,
): string {
  const nowMs = columns === undefined ? undefined : Date.parse(NOW);
  return renderTable(table, rows as readonly never[], { columns, nowMs, color: COLOR });
}

function tooLong(text: string, columns: number): string[] {
  return text.split("\n").filter((line) => stringWidth(line) > columns);
}

describe.each(LANGUAGES)("the tables in %s", (language) => {
  it.each([60, 80, 110, 200, undefined])("fit a terminal of %s columns", async (columns) => {
    const text = TABLES.map(
      ([name, table, rows]) =>
        `$ pix-sandbox ${name}\n${inLanguage(language, () => render(table, rows, columns))}\n`,
    ).join("\n");

    expect(tooLong(text, columns ?? 240)).toEqual([]);
    if (columns === 80) await expect(text).toMatchFileSnapshot(`tables/${language}-80.txt`);
  });
});

describe("a table", () => {
  it("of any texts has a line a row, which fits any terminal", () => {
    const random = randomFrom(5);
    const signs = [
      "a",
      "Ç",
      "山",
      "🎉",
      "👍🏽",
      "🇧🇷",
      "e\u0301",
      "\u200d",
      "👩‍👩‍👧‍👦",
      "\n",
      " ",
      "한",
      "ﾞ",
    ];
    const text = (): string =>
      Array.from(
        { length: Math.floor(random() ** 3 * 60) },
        () => signs[Math.floor(random() * signs.length)],
      ).join("");
    for (let round = 0; round < 200; round++) {
      const rows = payins.map((payin) => ({ ...payin, buyer_name: text(), integration: text() }));
      const columns = 36 + Math.floor(random() * 100);
      const table = render(PAYINS, rows, columns);
      expect(table.split("\n")).toHaveLength(rows.length + 1);
      expect(tooLong(table, columns)).toEqual([]);
    }
  });

  it("shows as much of its ids as tells them apart, and whole ids where it is piped", () => {
    const ids = ["5f0c2a52-7ab1", "5f0c2a52-7ab2", "5f0c2a52-7ab2", "req_1"];
    const rows = ids.map((one) => ({ ...payins[0], id: one }));
    const firsts = (columns?: number): string[] =>
      render(PAYINS, rows, columns)
        .split("\n")
        .slice(1)
        .map((line) => line.split(" ")[0] ?? "");

    expect(firsts(80)).toEqual(ids);
    expect(firsts()).toEqual(ids);
    rows.splice(1, 2);
    expect(firsts(80)).toEqual(["5f0c2a52", "req_1"]);
  });

  it("cuts a text of a million characters in time", () => {
    const rows = [{ ...payins[0], buyer_name: "🎉".repeat(500_000) }];
    expect(render(PAYINS, rows, 80)).toContain("🎉…");
  });

  it("cuts between emoji, not inside one", () => {
    const family = "👩‍👩‍👧‍👦";
    const rows = [{ ...payins[0], buyer_name: family.repeat(30) }];
    for (let columns = 60; columns < 64; columns++)
      expect(render(PAYINS, rows, columns)).toMatch(new RegExp(`  (?:${family})+… +sandbox$`, "u"));
  });

  it("says of a pending webhook whether it is being sent, or when it is", () => {
    const statuses = (language: Language): string[] =>
      [1, 0, -15].map((seconds) => {
        const row = { ...deliveries[0], next_attempt_at: before(-seconds) };
        const table = inLanguage(language, () => render(DELIVERIES, [row], 200));
        return / {2}payin\.paid {2}(\S+(?: \S+)*)/.exec(table)?.[1] ?? "";
      });
    expect(statuses("en")).toEqual(["pending, in 1 s", "sending", "sending"]);
    expect(statuses("pt-BR")).toEqual(["pending, em 1 s", "enviando", "enviando"]);
  });

  it("without rows is a sentence", () => {
    expect(render(PAYINS, [], 80)).toBe("No payins.");
  });
});

describe("a relative time", () => {
  it.each([
    [0, "now", "agora"],
    [1000, "in 1 s", "em 1 s"],
    [-3000, "3 s ago", "há 3 s"],
    [-59_400, "59 s ago", "há 59 s"],
    [-60_000, "1 min ago", "há 1 min"],
    [240_000, "in 4 min", "em 4 min"],
    [-7_199_000, "1 h ago", "há 1 h"],
    [-86_400_000, "1 d ago", "há 1 d"],
  ])("of %i ms", (ms, en, pt) => {
    expect(toRelativeTime(ms, 0)).toBe(en);
    expect(inLanguage("pt-BR", () => toRelativeTime(ms, 0))).toBe(pt);
  });
});

describe("a folded text", () => {
  it("breaks between words, with its continuations indented", () => {
    expect(foldText("name = value\n  * one: some words that are long", 24)).toBe(
      "name = value\n  * one: some words\n    that are long",
    );
    expect(foldText("short\n\nhttps://example.com/a/long/address ends", 20)).toBe(
      "short\n\nhttps://example.com/a/long/address\n  ends",
    );
  });

  it("is unchanged where it is piped", () => {
    expect(foldText("some words ".repeat(40), undefined)).toBe("some words ".repeat(40));
  });
});

describe("the lists of a sandbox on a terminal", { timeout: 60_000 }, () => {
  it("have short ids and relative times; piped they have whole ids and times in UTC", async () => {
    await using sandbox = await serveMain(["--memory", "--clock", "frozen", "--now", NOW]);
    const calls = callsTo(sandbox.url);
    const { body } = await calls.createPayin({ webhook_url: "http://127.0.0.1:9/hook" });
    await calls.simulate("payin", body.id);
    await calls.advance(90);
    const env = { PIX_SANDBOX_URL: sandbox.url };
    const terminal = { env, columns: 80 };

    const list = (await runMain(["payin", "list"], terminal)).stdout;
    expect(list).toMatch(new RegExp(`^${body.id.slice(0, 8)}  completed  \\S+ +1 min ago `, "m"));
    const piped = (await runMain(["payin", "list"], { env })).stdout;
    expect(piped).toMatch(new RegExp(`^${body.id}  completed  \\S+ +${NOW} `, "m"));
    const webhooks = (await runMain(["webhooks", "list"], terminal)).stdout;
    expect(webhooks).toMatch(/^evt_[0-9a-f]{8}  payin\.paid  failed  /m);
    const calledAt = (await runMain(["requests"], terminal)).stdout;
    expect(calledAt).toMatch(/^req_1  12:00:00\.000Z  POST  /m);
    await runMain(["snapshot", "save"], terminal);
    expect((await runMain(["snapshot", "list"], terminal)).stdout).toMatch(/ now  +1 /);
  });

  it("says when a pending webhook is sent again", async () => {
    await using sandbox = await serveMain(["--memory", "--clock", "frozen"]);
    const calls = callsTo(sandbox.url);
    const { body } = await calls.createPayin({ webhook_url: "http://127.0.0.1:9/hook" });
    await calls.simulate("payin", body.id);
    await calls.advance(0);
    const env = { PIX_SANDBOX_URL: sandbox.url };

    expect((await runMain(["webhooks", "list"], { env, columns: 80 })).stdout).toMatch(
      / pending, in 1 s  1 /,
    );
    expect((await runMain(["webhooks", "list"], { env })).stdout).toMatch(/ pending  1 /);
  });
});
