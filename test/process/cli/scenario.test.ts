import { spawnSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  runMain,
  runMainJson,
  type ServingMain,
  startMain,
  serveMain,
} from "../../support/main.ts";
import { startCli, startServe } from "../../support/cli.ts";
import { createFolder } from "../../support/folder.ts";
import { type Ended, freePort } from "../../support/process.ts";
import { RULE_IDS, ruleOf } from "../../../src/review/rules.ts";
import type { WireReview } from "../../../src/review/report.ts";
import { toSigned } from "../../../src/server/tools/hand-made-webhook.ts";
import { BUYER, callsTo, type Shown } from "../../support/calls.ts";
import { type Received, startMerchant } from "../../support/merchant.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** The stories that the package brings: the usual ones, then one for each rule of the reviewer. */
const STORIES = [
  "duplicate-webhook",
  "expired",
  "lost-answer-and-retry",
  "paid",
  "paid-at-the-last-second",
  "payout-canceled-by-a-rival",
  "payout-completed",
  "provider-down-then-up",
  ...RULE_IDS.map((id) => id.replaceAll("_", "-")),
];
/** A slow answer would take five real seconds: its story shows a closed connection instead. */
const NOT_SHOWN: readonly string[] = ["webhook_answer_slow"];
/** Its story ends with the failed webhook delivered. */
const MENDED: readonly string[] = ["webhook_never_received"];
const SHOWN_TO_REVIEWER = RULE_IDS.filter(
  (id) => ruleOf(id).judgedBy === "traffic" && !NOT_SHOWN.includes(id) && !MENDED.includes(id),
);

describe("the package's scenarios", { timeout: 120_000 }, () => {
  it("are the existing files, the printed list, and part of the package", async () => {
    const files = await readdir(new URL("../../../fixtures/scenarios/", import.meta.url));
    expect(files.toSorted()).toEqual(STORIES.map((name) => `${name}.json`).toSorted());
    expect(STORIES).toHaveLength(8 + 24);
    const { data } = await runMainJson<{ data: { name: string; about: string }[] }>([
      "scenario",
      "list",
    ]);
    expect(data.map(({ name }) => name)).toEqual(STORIES);
    expect(new Set(data.map(({ about }) => about)).size).toBe(STORIES.length);
    const listed = await runMain(["scenario", "list"]);
    expect(listed).toMatchObject({ code: 0, stderr: "" });
    expect(listed.stdout.match(/^\w+ +SCENARIO$/gm)).toHaveLength(2);
    for (const { name, about } of data)
      expect(listed.stdout).toMatch(new RegExp(`^${name} +${about.replace(/\W/g, ".")}$`, "m"));

    const packing = ["pack", "--dry-run", "--ignore-scripts", "--json"];
    const { stdout } = spawnSync("npm", packing, { cwd: ROOT, encoding: "utf8" });
    const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[];
    const paths = packed?.files.map(({ path }) => path) ?? [];
    for (const name of STORIES) expect(paths).toContain(`fixtures/scenarios/${name}.json`);
  });

  it("describe every step", async () => {
    for (const name of STORIES) {
      const file = new URL(`../../../fixtures/scenarios/${name}.json`, import.meta.url);
      const { steps } = JSON.parse(await readFile(file, "utf8")) as { steps: { says?: string }[] };
      expect(steps.filter(({ says }) => says === undefined)).toEqual([]);
    }
  });

  describe.each(["real", "frozen"])("on a %s clock", (clock) => {
    let sandbox: ServingMain;
    beforeAll(async () => {
      sandbox = await serveMain(["--memory", "--clock", clock]);
    });
    afterAll(() => sandbox[Symbol.asyncDispose]());

    it.each(STORIES)("pass: %s, and once more as the same integration", async (name) => {
      const options = { env: { PIX_SANDBOX_URL: sandbox.url } };
      const { code, stdout, stderr } = await runMain(["scenario", "run", name], options);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const lines = stdout.trimEnd().split("\n");
      const count = lines.length - 1;
      expect(lines.slice(0, -1).map((line) => line.split(/ +/).slice(0, 2))).toEqual(
        Array.from({ length: count }, (_none, index) => ["✓", String(index + 1)]),
      );
      expect(lines.at(-1)).toBe(`${name}: all ${count} steps passed.`);

      for (let times = 0; times < 2; times++) {
        const again = ["scenario", "run", name, "--token", "again"];
        expect(await runMainJson(again, options)).toMatchObject({
          scenario: name,
          passed: true,
          seed: sandbox.ready.seed,
          integration: "again",
          steps: Array.from({ length: count }, (_none, index) => ({
            number: index + 1,
            passed: true,
          })),
        });
      }
    });

    it.each(SHOWN_TO_REVIEWER)("show the reviewer the mistake: %s", async (id) => {
      const name = id.replaceAll("_", "-");
      const options = { env: { PIX_SANDBOX_URL: sandbox.url } };
      const { integration } = await runMainJson<{ integration: string }>(
        ["scenario", "run", name],
        options,
      );
      const report = await fetch(`${sandbox.url}/_sandbox/report`, {
        headers: { "x-api-token": integration },
      });
      const { rules } = (await report.json()) as WireReview;
      const finding = rules.find((one) => one.id === id);
      expect(finding?.verdict).toBe(ruleOf(id).severity === "failure" ? "fail" : "warning");
    });

    it("leave nothing running", async () => {
      const calls = callsTo(sandbox.url);
      expect(await calls.control("GET", "/clock")).toMatchObject({ mode: clock });
      expect(await calls.control("GET", "/faults")).toMatchObject({ data: [] });
      expect(await calls.deliveries("&status=pending")).toEqual([]);
    });
  });
});

describe("scenario run", { timeout: 120_000 }, () => {
  let sandbox: ServingMain;
  let folder: Awaited<ReturnType<typeof createFolder>>;
  beforeAll(async () => {
    folder = await createFolder();
    sandbox = await serveMain(["--memory", "--clock", "frozen", "--seed", "42"]);
  });
  afterAll(async () => {
    await sandbox[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  /** Plays a story from a file with that name, on the sandbox of these tests. */
  const run = async (
    steps: readonly object[] | string | object,
    ...args: string[]
  ): Promise<Ended> => {
    const story = Array.isArray(steps) ? { about: "A story of this test.", steps } : steps;
    const text = typeof story === "string" ? story : JSON.stringify(story);
    await writeFile(folder.at("story.json"), text);
    const options = { cwd: folder.path, env: { PIX_SANDBOX_URL: sandbox.url } };
    return await runMain(["scenario", "run", "story.json", ...args], options);
  };

  it("reports the failed step, member by member, with the seed", async () => {
    const steps = [
      { says: "The shop creates a charge", create_payin: { value: 10.5 }, as: "charge" },
      {
        says: "Nobody pays, \u001b[31mbut",
        expect_record: "charge",
        members: { status: "paid", value: 11, color: "red", end_to_end_id: "{{any}}" },
      },
      { says: "Nothing of this happens", pay: "charge" },
    ];
    expect(await run(steps, "--token", "one")).toEqual({
      code: 8,
      signal: null,
      stdout: "✓ 1  The shop creates a charge\n✗ 2  Nobody pays, \\u001b[31mbut\n",
      stderr: [
        "error: story.json failed at step 2: Nobody pays, \\u001b[31mbut",
        '  charge.status: expected "paid", found "waiting"',
        "  charge.value: expected 11, found 10.5",
        '  charge.color: expected "red", found nothing',
        "  charge.end_to_end_id: expected any value, found null",
        "Sandbox seed: 42. Scenario integration: one.",
        "",
      ].join("\n"),
    });
    const { code, stdout, stderr } = await run(steps, "--token", "one", "--json");
    expect(code).toBe(8);
    expect(JSON.parse(stdout)).toEqual({
      scenario: "story.json",
      passed: false,
      seed: "42",
      integration: "one",
      steps: [
        { number: 1, step: "The shop creates a charge", passed: true },
        {
          number: 2,
          step: "Nobody pays, \u001b[31mbut",
          passed: false,
          differences: [
            { member: "charge.status", expected: "paid", found: "waiting" },
            { member: "charge.value", expected: 11, found: 10.5 },
            { member: "charge.color", expected: "red" },
            { member: "charge.end_to_end_id", expected: "{{any}}", found: null },
          ],
          notes: [],
        },
      ],
    });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "STORY_FAILED" } });
  });

  it("shows the most similar webhooks if the expected one is missing", async () => {
    const missing = [
      { create_payin: {}, as: "charge" },
      { create_payin: {}, as: "other" },
      { pay: "other" },
      { expect_webhooks: "charge", are: [{ type: "payin.paid" }] },
    ];
    expect(await run(missing, "--token", "two")).toMatchObject({
      code: 8,
      stdout:
        "✓ 1  create_payin {}\n✓ 2  create_payin {}\n✓ 3  pay other\n✗ 4  expect_webhooks charge\n",
      stderr: [
        "error: story.json failed at step 4: expect_webhooks charge",
        '  webhooks: expected [{"type":"payin.paid"}], found []',
        "  There is payin.paid of other: delivered, 200.",
        "Sandbox seed: 42. Scenario integration: two.",
        "",
      ].join("\n"),
    });
    const waiting = [
      { create_payin: {}, as: "charge" },
      { wait_for: "payin.paid", of: "charge", timeout: "1ms" },
    ];
    expect((await run(waiting, "--token", "three")).stderr).toBe(
      [
        "error: story.json failed at step 2: wait_for payin.paid",
        '  webhook: expected "payin.paid", found nothing',
        "  There are no webhooks.",
        "Sandbox seed: 42. Scenario integration: three.",
        "",
      ].join("\n"),
    );
  });

  it.each<[string, readonly object[], readonly string[]]>([
    [
      "a call that is refused",
      [{ create_payin: { value: -1 } }],
      ["status: expected 200, found 400", "The response was: value must"],
    ],
    [
      "a call that is not refused",
      [{ create_payin: {}, answer: { code: "EXTERNAL_ERROR" } }],
      ['code: expected "EXTERNAL_ERROR", found nothing'],
    ],
    [
      "a header that is missing, and one that is there",
      [{ create_payin: {}, key: "k", answer: { headers: { "idempotent-replayed": "true" } } }],
      ['headers.idempotent-replayed: expected "true", found null'],
    ],
    [
      "an answer that is lost",
      [{ fault: "lost_answer", on: "payins.create" }, { create_payin: {} }],
      ['answer: expected 200, found "none: the connection died"'],
    ],
    [
      "an answer that is not lost",
      [{ create_payin: {}, answer: { lost: true } }],
      ['answer: expected "none: the connection died", found 200'],
    ],
    [
      "a webhook of another status",
      [
        { merchant_answers: [500, "nothing", 204] },
        { create_payout: {}, as: "payout" },
        { complete: "payout" },
        { clock: "advance 2s" },
        {
          expect_webhooks: "payout",
          are: [{ status: "delivered", attempts: [500, 500], data: { value: 1 } }],
        },
      ],
      [
        'webhooks.0.status: expected "delivered", found "pending"',
        'webhooks.0.attempts.1: expected 500, found "',
        "webhooks.0.data.value: expected 1, found 10.5",
        "There is payout.completed of payout: pending, 500, ",
      ],
    ],
    [
      "a webhook that ought not to be",
      [
        { create_payin: {}, as: "charge" },
        { simulate: "charge" },
        { expect_webhooks: "charge", are: [] },
      ],
      [
        'webhooks: expected [], found [{"type":"payin.paid","status":"delivered","attempts":[200]}]',
      ],
    ],
    [
      "what was received, and how often",
      [
        { create_payin: {}, as: "charge" },
        { pay: "charge" },
        { expect_received: 2, ids: 0, signature: "fails", data: { status: "completed" } },
      ],
      [
        "received: expected 2, found 1",
        "ids: expected 0, found 1",
        'received.0.signature: expected "fails", found "holds"',
        'received.0.data.status: expected "completed", found "paid"',
      ],
    ],
    [
      "a signature that does not hold",
      [
        { fault: "bad_signature", on: "webhook", match: { description: "this one" } },
        { create_payin: { description: "this one" }, as: "charge" },
        { pay: "charge" },
        { expect_received: 1, signature: "fails" },
        { expect_received: 1, signature: "holds" },
      ],
      ['received.0.signature: expected "holds", found "fails"'],
    ],
    [
      "a reference to a member that there is not",
      [
        { create_payout: {}, as: "payout" },
        { create_payout: { description: "again, {{payout.name}}" } },
      ],
      ["payout.name: expected any value, found nothing", "payout has the members id, status."],
    ],
  ])("fails with 8 at %s, in the last step", async (_title, steps, sentences) => {
    const { code, stdout, stderr } = await run(steps);
    expect(stdout.match(/[✓✗]/g)).toEqual(
      steps.map((_step, index) => "✓✗"[Number(index === steps.length - 1)]),
    );
    expect(code).toBe(8);
    expect(stderr).toContain(`story.json failed at step ${steps.length}: `);
    for (const sentence of sentences) expect(stderr).toContain(`\n  ${sentence}`);
    // What it had ordered is taken back all the same.
    expect(await callsTo(sandbox.url).control("GET", "/faults")).toMatchObject({ data: [] });
  });

  it("plays a race: calls that are held, answered later, and released in another order", async () => {
    const ended = await run([
      { fault: "hold", on: "payouts.create", times: 2, as: "gate" },
      { create_payout: { value: 1 }, as: "first", later: true },
      { create_payout: { value: 2 }, as: "second", later: true },
      { release: "gate", order: ["second", "first"] },
      { answer_of: "first", answer: { body: { status: "waiting" } } },
      { answer_of: "second" },
      { expect_record: "second", members: { status: "waiting", value: 2 }, as: "kept" },
      {
        expect_record: "first",
        members: { status: "canceled", created_at: "{{kept.created_at}}" },
      },
      { clear_faults: true },
      {
        call: "PUT /v1/webhooks",
        body: { webhook_url: "{{merchant.url}}", events: ["payment.received"] },
        answer: { body: { webhook_url: "{{merchant.url}}" } },
      },
      { cancel: "second" },
      { create_payout: { value: 3, description: "instead of {{second.id}}" }, as: "third" },
      { complete: "third" },
      { wait_for: "payment.received", of: "third", as: "webhook" },
      {
        call: "GET /_sandbox/deliveries/{{webhook.id}}",
        answer: { body: { status: "delivered", attempts: [{ status: 200 }] } },
      },
      { settle: true },
      {
        expect_received: 2,
        of: "third",
        ids: 2,
        data: { description: "instead of {{second.id}}" },
      },
    ]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
  });

  it.each<[string, string, readonly object[], string]>([
    [
      "a creation without later",
      "payins.create",
      [{ create_payin: {} }],
      'Set "later": true in this step, then use release and answer_of.',
    ],
    [
      "the response of a call that was not released",
      "payouts.create",
      [{ create_payout: {}, as: "held", later: true }, { answer_of: "held" }],
      "Use release before this step.",
    ],
    [
      "a simulation",
      "payins.simulate",
      [{ create_payin: {}, as: "charge" }, { simulate: "charge" }],
      'Hold only create_payin and create_payout, with "later": true.',
    ],
    [
      "a call of any route",
      "payins.create",
      [{ call: "POST /v1/payins", body: { ...BUYER, value: 1, webhook_url: "{{merchant.url}}" } }],
      'Hold only create_payin and create_payout, with "later": true.',
    ],
  ])("ends with a sentence at a step whose call is held: %s", async (_what, on, steps, advice) => {
    const { code, stderr } = await run([{ fault: "hold", on }, ...steps]);
    expect(code).toBe(8);
    expect(stderr).toContain(
      `  The fault "hold" on ${on} holds this call, so no later step would run.\n  ${advice}`,
    );
    expect(await callsTo(sandbox.url).control("GET", "/faults")).toMatchObject({ data: [] });
  });

  it.each([
    ["payins.create", [{ create_payin: {} }]],
    ["payins.simulate", [{ create_payin: {}, as: "charge" }, { simulate: "charge" }]],
  ])("ends at a step whose call a fault of all integrations holds: %s", async (on, steps) => {
    const { control } = callsTo(sandbox.url);
    await control("POST", "/faults", { on, effect: "hold" });
    const { code, stderr } = await run(steps);
    await control("DELETE", "/faults");
    expect(code).toBe(8);
    expect(stderr).toContain(`The fault "hold" on ${on} holds this call`);
  });

  it("sends webhooks that the gateway itself never sends", async () => {
    const ended = await run([
      { create_payin: { buyer_name: "João" }, as: "charge" },
      { expect_record: "charge", members: {}, as: "kept" },
      { merchant_answers: [200, 401, 302, "nothing", 200] },
      {
        send_webhook: "payin.paid",
        of: "charge",
        id: "evt_1",
        created_at: "{{kept.created_at}}",
        as: "sent",
        answer: "accepted",
      },
      { send_webhook: "payin.paid", signature: "other_bytes", answer: "refused" },
      { send_webhook: "payin.paid", signature: "garbage", answer: "refused" },
      { send_webhook: "payin.paid", signature: "old", answer: "refused" },
      {
        send_webhook: "payin.paid",
        of: "charge",
        id: "{{sent.id}}",
        data: { value: 7.5 },
        json: "unusual",
        answer: "accepted",
      },
      { expect_received: 5, ids: 4, type: "payin.paid" },
      {
        expect_received: 2,
        of: "charge",
        ids: 1,
        signature: "holds",
        data: { buyer_name: "João" },
      },
      { send_webhook: "payin.paid", answer: "refused" },
    ]);
    expect(ended.code).toBe(8);
    expect(ended.stdout.match(/[✓✗]/g)?.join("")).toBe("✓✓✓✓✓✓✓✓✓✓✗");
    expect(ended.stderr).toContain('answer: expected "refused", found 200');
  });

  it("writes a webhook's JSON with other bytes, and the same meaning", () => {
    const webhook = { id: "evt_1", type: "payin.paid", createdAt: "", signature: "valid" } as const;
    const data = { value: 10.5, name: "João 🎉", note: 'a "b": 1.5' };
    const { body } = toSigned({ ...webhook, data, spelling: "unusual" }, "whsec_b3RoZXI=");
    expect(body).toMatch(/^[ -~]+$/);
    expect(body).toContain('"value" : 10.50 ');
    expect(JSON.parse(body)).toMatchObject({ data });
  });

  it("lets another handler respond, and skips the steps that show a mistake", async () => {
    const { secret } = await callsTo(sandbox.url).control<{ secret: string }>("GET", "/secret");
    const isGenuine = ({ headers, body }: Received): boolean => {
      try {
        return Boolean(new Webhook(secret).verify(body, headers));
      } catch {
        return false;
      }
    };
    await using good = await startMerchant({
      answer: (received) => (isGenuine(received) ? 200 : 400),
    });
    await using careless = await startMerchant();
    const play = async (name: string, url: string) =>
      await runMain(["scenario", "run", name, "--forward-to", url], {
        env: { PIX_SANDBOX_URL: sandbox.url },
      });
    for (const name of STORIES.slice(-RULE_IDS.length)) {
      const { code, stdout, stderr } = await play(name, good.url);
      expect({ name, code, stdout, stderr }).toMatchObject({ code: 0, stderr: "" });
    }
    const passed = await play("bad-signature-accepted", good.url);
    expect(passed.stdout.split("\n")).toEqual([
      "✓ 1  The shop creates a charge",
      "- 2  Mistake: the shop accepts everything (skipped)",
      "- 3  A forged webhook arrives: its signature is of other bytes (skipped)",
      "- 4  Nobody has paid, and the shop serves the order (skipped)",
      "- 5  The right way: it computes the signature of the bytes, and compares (skipped)",
      "✓ 6  Such a webhook is refused",
      "    payin.paid → 400",
      "✓ 7  The buyer really pays",
      expect.stringMatching(/^ {4}payin.paid → 200$|^✓ 8 /) as string,
      expect.stringMatching(/^ {4}payin.paid → 200$|^✓ 8 /) as string,
      "bad-signature-accepted: all 8 steps passed.",
      "",
    ]);
    const closed = await startMerchant();
    await closed[Symbol.asyncDispose]();
    const unreached = await play("paid", closed.url);
    expect(unreached.stdout).toMatch(/^ {4}payin\.paid → no response: ECONNREFUSED /m);
    const failed = await play("bad-signature-accepted", careless.url);
    expect(failed).toMatchObject({ code: 8 });
    expect(failed.stderr).toContain('answer: expected "refused", found 200');
  });

  it("sets the clock to a record's time, and restores its mode", async () => {
    await using real = await serveMain();
    const steps = [
      { clock: "freeze" },
      { create_payin: { expiration: 600 }, as: "charge" },
      { expect_record: "charge", members: {}, as: "record" },
      { clock: "set {{record.expires_at}}" },
      { expect_record: "charge", members: { status: "expired" } },
      { clock: "resume" },
      { clock: "freeze" },
      { pay: "charge", answer: { status: 422 } },
      { pay: "charge" },
    ];
    const { code, stdout } = await run(steps, "--url", real.url);
    expect({ code, lines: stdout.match(/[✓✗]/g)?.join("") }).toEqual({
      code: 8,
      lines: "✓✓✓✓✓✓✓✓✗",
    });
    expect(await callsTo(real.url).control("GET", "/clock")).toMatchObject({ mode: "real" });
  });

  it("takes references with blanks around the name, any value too", async () => {
    const story = [
      { create_payin: {}, as: "charge" },
      { expect_record: "charge", members: { id: "{{ charge.id }}", qr_code: "{{ any }}" } },
    ];
    expect(await run(story)).toMatchObject({ code: 0 });
  });

  it("touches no other integration", async () => {
    await using merchant = await startMerchant();
    const calls = callsTo(sandbox.url, "neighbor");
    const { body: payin } = await calls.createPayin({ webhook_url: merchant.url, expiration: 600 });
    const isDown = { fault: "error=EXTERNAL_ERROR", on: "payins.create" };
    await writeFile(
      folder.at("neighbor.json"),
      JSON.stringify({
        about: "The provider is down for this shop.",
        steps: [isDown, { create_payin: {}, answer: { status: 502 } }, { expect_received: 1 }],
      }),
    );
    const url = ["--url", sandbox.url];
    const failed = await runMain(["scenario", "run", folder.at("neighbor.json"), ...url]);
    expect(failed.code).toBe(8);
    expect(failed.stderr).toContain("There are no webhooks.");
    expect((await calls.createPayin({ webhook_url: merchant.url })).status).toBe(200);
    const kept = await calls.control<Shown>("GET", `/payins/${payin.id}`);
    expect(kept.status).toBe("waiting");
    expect(merchant.received).toEqual([]);
  });

  it("ends with 3 when its sandbox ends meanwhile, stopped or killed", async () => {
    await writeFile(
      folder.at("endless.json"),
      JSON.stringify({
        about: "It waits for a webhook that never comes.",
        steps: [
          { create_payin: {}, as: "charge" },
          { wait_for: "payin.paid", of: "charge", timeout: "10m" },
        ],
      }),
    );
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      await using real = await startServe();
      const args = ["scenario", "run", folder.at("endless.json"), "--url", real.url];
      await using playing = startMain(args);
      await playing.lines("stdout", 1);
      await real.stop(signal);
      const { code, stderr } = await playing.ended;
      expect(code).toBe(3);
      expect(stderr).toContain(`No sandbox responds at ${real.url}`);
    }
  });

  it("ends at Ctrl-C with 130, and removes its faults", async () => {
    await using real = await serveMain();
    await writeFile(
      folder.at("slow.json"),
      JSON.stringify({
        about: "A call whose response takes too long.",
        steps: [
          { clock: "freeze" },
          { fault: "latency_ms=60000", on: "payins.create" },
          { says: "Slow", merchant_answers: [200] },
          { create_payin: {} },
        ],
      }),
    );
    await using playing = startCli(["scenario", "run", folder.at("slow.json"), "--url", real.url]);
    await playing.lines("stdout", 3);
    const { code, stderr } = await playing.stop("SIGINT");
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: "error: The scenario was interrupted.\n",
    });
    const calls = callsTo(real.url);
    expect(await calls.control("GET", "/faults")).toMatchObject({ data: [] });
    expect(await calls.control("GET", "/clock")).toMatchObject({ mode: "real" });
  });

  it("ends with 3 if no sandbox responds, and with 5 for an unknown name", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const nobody = await runMain(["scenario", "run", "paid", "--url", url]);
    expect(nobody).toMatchObject({ code: 3, stdout: "" });
    expect(nobody.stderr).toContain(`No sandbox responds at ${url}`);
    const unknown = await runMain(["scenario", "run", "payed", "--url", url]);
    expect(unknown).toEqual({
      code: 5,
      signal: null,
      stdout: "",
      stderr: `error: Unknown scenario "payed".\nUse a name from npx pix-sandbox scenario list, or the path of a scenario file.\n`,
    });
  });

  it.each<[string, string | object, readonly string[]]>([
    ["no JSON", "{", ["The scenario story.json is not JSON: "]],
    [
      "a value in 20,000 others",
      `{"about":"x","steps":[{"create_payin":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}]}`,
      ["The scenario story.json is nested more than 100 levels deep."],
    ],
    ["no object", '"paid"', ["The scenario story.json: Use a JSON object."]],
    ["no steps", { about: "x", steps: [] }, ['story.json, member "steps": Use at least one step']],
    ["nothing told", { steps: [{ settle: true }] }, ['member "about": The member is required.']],
    ["an unknown member", { about: "x", step: [] }, ['unknown member "step".']],
    [
      "a step that does nothing",
      [{ settle: true }, { says: "Nothing" }],
      ['story.json, step 2: the step has no action; its members are "says".', "create_payin"],
    ],
    [
      "a step that does two things",
      [{ settle: true, clock: "freeze" }],
      ["step 1: the step has two actions, settle and clock."],
    ],
    [
      "an unknown member of a step",
      [{ settle: true, of: "x" }],
      ['step 1: unknown member "of".', "Use one of settle, says, only."],
    ],
    [
      "an unknown member of an answer",
      [{ create_payin: {}, answer: { statuss: 200 } }],
      ['step 1: unknown member "answer.statuss".'],
    ],
    ["a wrong time", [{ clock: "advance soon" }], ['member "clock": Use freeze, resume, ']],
    ["a wrong duration", [{ wait_for: "x", timeout: "1 h" }], ['member "timeout": Use a duration']],
    [
      "an unknown effect",
      [{ fault: "duplicate", on: "payins.create" }],
      ['member "fault": fault must be one of error=CODE'],
    ],
    ["an unknown place", [{ fault: "hold", on: "payins" }], ['member "on": Use one of payins.c']],
    ["a fault without its place", [{ fault: "hold" }], ['member "on": The member is required. ']],
    [
      "wrong answers",
      [{ merchant_answers: [99] }],
      ['member "merchant_answers.0": Use HTTP statuses'],
    ],
    [
      "a key that no header carries",
      [{ create_payin: {}, key: "ключ" }],
      ['member "key": Invalid header value.'],
    ],
    [
      "a header that is none",
      [{ call: "GET /v1/webhooks", headers: { "x y": "z" } }],
      ['step 1, member "headers.x y": '],
    ],
    ["a path that is none", [{ call: "GET /v1/é" }], ['member "call": Use a method and a path']],
    [
      "a name that nothing has",
      [{ create_payin: {}, as: "charge" }, { pay: "charg" }],
      ['step 2: no earlier step defines a payin with the name "charg".', "Use one of charge."],
    ],
    [
      "a payout that is to be paid",
      [{ create_payout: {}, as: "payout" }, { pay: "payout" }],
      ['step 2: no earlier step defines a payin with the name "payout".'],
    ],
    [
      "a reference to what comes later",
      [{ create_payin: { description: "{{later.id}}" } }, { create_payin: {}, as: "later" }],
      ['step 1: no earlier step defines the name "later".'],
    ],
    [
      "any value in what is said",
      [{ create_payin: { description: "{{any}}" } }],
      ['step 1, member "create_payin": use {{any}} only as a whole expected value'],
    ],
    [
      "any value as a part of a text",
      [
        { create_payin: {}, as: "charge" },
        { expect_record: "charge", members: { id: "no {{any}}" } },
      ],
      ['step 2, member "members": use {{any}} only as a whole expected value'],
    ],
    [
      "a name that is given twice",
      [
        { create_payin: {}, as: "charge" },
        { create_payin: {}, as: "charge" },
      ],
      ['step 2, member "as": the name "charge" is in use.'],
    ],
    [
      "an answer now of a call that is answered later",
      [{ create_payin: {}, as: "charge", later: true, answer: { status: 200 } }],
      ['step 1, member "later": the response comes later.'],
    ],
    [
      "an answer later of a call that is answered now",
      [{ create_payin: {}, as: "charge" }, { answer_of: "charge" }],
      ['step 2: "charge" is not a call with a later response.'],
    ],
  ])("ends with 2 for %s, and names file, step and member", async (_title, story, sentences) => {
    const before = await callsTo(sandbox.url).control("GET", "/integrations");
    const { code, stdout, stderr } = await run(story);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    for (const sentence of sentences) expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/^ {4}at /m);
    expect(await callsTo(sandbox.url).control("GET", "/integrations")).toEqual(before);
  });

  it("ends with 2 for a file that cannot be read", async () => {
    const missing = await runMain(["scenario", "run", folder.at("missing.json")]);
    expect(missing).toMatchObject({ code: 2, stdout: "" });
    expect(missing.stderr).toContain("missing.json cannot be read: it does not exist.");
  });
});
