import { writeFile } from "node:fs/promises";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { runMain, startMain, serveMain } from "../../support/main.ts";
import { startCli, startServe } from "../../support/cli.ts";
import { RULE_IDS } from "../../../src/review/rules.ts";
import { BUYER, callsTo, type Shown } from "../../support/calls.ts";
import { type Received, startMerchant } from "../../support/merchant.ts";
import { STORIES, folder, run, sandbox, useSandbox } from "./scenario.ts";

useSandbox();

describe("scenario run", { timeout: 120_000 }, () => {
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
      "an answer that is lost",
      [{ fault: "lost_answer", on: "payins.create" }, { create_payin: {} }],
      ['answer: expected 200, found "none: the connection died"'],
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

  it.each([["payins.simulate", [{ create_payin: {}, as: "charge" }, { simulate: "charge" }]]])(
    "ends at a step whose call a fault of all integrations holds: %s",
    async (on, steps) => {
      const { control } = callsTo(sandbox.url);
      await control("POST", "/faults", { on, effect: "hold" });
      const { code, stderr } = await run(steps);
      await control("DELETE", "/faults");
      expect(code).toBe(8);
      expect(stderr).toContain(`The fault "hold" on ${on} holds this call`);
    },
  );

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
});
