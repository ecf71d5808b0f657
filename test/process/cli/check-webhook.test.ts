import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/client/start.ts";
import type { SandboxOptions } from "../../../src/server/options/options.ts";
import type { WireReview } from "../../../src/review/report.ts";
import { RULE_IDS } from "../../../src/review/rules.ts";
import { callsTo } from "../../support/calls.ts";
import { runMain, startMain } from "../../support/main.ts";
import { freePort } from "../../support/process.ts";
import {
  type Answer,
  type Answering,
  type Received,
  startMerchant,
  verified,
} from "../../support/merchant.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

/** Checks a handler. @returns the ids of the rules with each verdict */
async function check(answer: Answer | Answering, ...args: string[]) {
  await using merchant = await startMerchant({ answer });
  return await checkAt(merchant.url, ...args);
}

async function checkAt(url: string, ...args: string[]) {
  const command = ["check-webhook", url, "--json", "--url", sandbox.url];
  const { code, stdout } = await runMain([...command, ...args]);
  const review = JSON.parse(stdout) as WireReview;
  const of = (verdict: string) =>
    review.rules.filter((rule) => rule.verdict === verdict).map(({ id }) => id);
  return { code, pass: of("pass"), fail: of("fail"), warning: of("warning"), review };
}

/** A handler that verifies as the package for merchants does. */
const correct = (received: Received): number => {
  try {
    verified(received, sandbox.secret);
    return 200;
  } catch {
    return 401;
  }
};

/** A signature of the usual content, under a key. */
function hmac(key: string | Buffer, headers: Record<string, string>, body: string): string {
  const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  return createHmac("sha256", key).update(content).digest("base64");
}

describe("check-webhook", { timeout: 60_000 }, () => {
  it("passes a correct handler", async () => {
    const { code, pass, fail, warning, review } = await check(correct);

    expect({ code, fail, warning }).toEqual({ code: 0, fail: [], warning: [] });
    expect(pass).toEqual([
      "webhook_answer_slow",
      "webhook_answer_not_200",
      "webhook_answer_redirects",
      "webhook_never_received",
      "valid_signature_refused",
      "duplicate_refused",
      "bad_signature_accepted",
      "signature_not_checked",
      "old_timestamp_accepted",
      "body_reserialised",
      "unknown_type_refused",
    ]);
    expect(review.rules).toHaveLength(RULE_IDS.length);
    expect(review.assumptions.map(({ name }) => name)).toContain("webhook.signature");
  });

  it.each<[string, Answer | Answering, readonly string[], readonly string[]]>([
    [
      "accepts everything",
      200,
      [],
      ["bad_signature_accepted", "signature_not_checked", "old_timestamp_accepted"],
    ],
    ["refuses everything", 401, ["webhook_never_received", "valid_signature_refused"], []],
    ["fails always", 500, ["webhook_never_received"], []],
    ["hangs", "hold", ["webhook_never_received"], ["webhook_answer_slow"]],
    ["closes connections", "reset", ["webhook_never_received"], []],
    [
      "redirects",
      { status: 302, headers: { location: "/elsewhere" } },
      ["webhook_answer_redirects", "webhook_never_received"],
      [],
    ],
  ])("judges a handler that %s", async (_, answer, fail, warning) => {
    const startedAt = new Date().toISOString();
    const checked = await check(answer);

    const times = checked.review.rules.flatMap(({ evidence }) => evidence.map(({ at }) => at));
    expect(times.filter((at) => at < startedAt)).toEqual([]);
    expect(checked).toMatchObject({ code: fail.length > 0 ? 8 : 0, fail, warning });
    const probed = checked.review.rules.filter(({ id }) =>
      /signature_|duplicate_r|body_|type_/.test(id),
    );
    const isAccepting = answer === 200;
    for (const { id, verdict, says } of probed)
      if (!isAccepting && id !== "valid_signature_refused")
        expect({ id, verdict, says }).toMatchObject({
          verdict: "not_seen",
          says: "The handler did not accept a valid webhook, so its other responses show nothing.",
        });
    if (isAccepting)
      expect(
        checked.review.rules.filter(({ implied_by }) => implied_by === "signature_not_checked"),
      ).toHaveLength(2);
  });

  it("does not blame a handler that refuses a transaction that it does not know", async () => {
    const { code, fail, review } = await check(404);

    expect({ code, fail }).toEqual({ code: 8, fail: [] });
    const [received] = review.rules.filter(({ id }) => id === "webhook_never_received");
    expect(received).toMatchObject({ verdict: "not_seen", says: expect.stringMatching(/--order/) });
  });

  it("finds one mistake and no other, with a curl command that sends the same webhook again", async () => {
    await using merchant = await startMerchant({
      answer: (received) =>
        correct({ ...received, body: JSON.stringify(JSON.parse(received.body)) }),
    });
    const { fail, warning } = await checkAt(merchant.url);
    expect([...fail, ...warning]).toEqual(["body_reserialised"]);
    const { review } = await checkAt(merchant.url, "--only", "20");
    const [{ command } = { command: "" }] = review.rules.flatMap((rule) => rule.evidence);
    const sent = merchant.received.at(-1);
    const { stdout } = await promisify(execFile)("sh", ["-c", command]);

    expect(stdout).toMatch(/^HTTP\/1.1 401/);
    const again = merchant.received.at(-1);
    expect(again?.body).toBe(sent?.body);
    expect(again?.headers["webhook-signature"]).toBe(sent?.headers["webhook-signature"]);
    expect(command).toMatch(/^curl -i -H 'content-type: /);
  });

  it.each<[string, (body: string, headers: Record<string, string>) => Promise<string> | string]>([
    ["the text after whsec_", (body, headers) => hmac(sandbox.secret.slice(6), headers, body)],
    ["the whole secret", (body, headers) => hmac(sandbox.secret, headers, body)],
    [
      "the body alone",
      (body) =>
        createHmac("sha256", Buffer.from(sandbox.secret.slice(6), "base64"))
          .update(body)
          .digest("base64"),
    ],
    [
      "PHP's json_encode",
      (body, headers) =>
        hmac(Buffer.from(sandbox.secret.slice(6), "base64"), headers, body.replaceAll("/", "\\/")),
    ],
    [
      "an indentation of two",
      (body, headers) =>
        hmac(
          Buffer.from(sandbox.secret.slice(6), "base64"),
          headers,
          JSON.stringify(JSON.parse(body), null, 2),
        ),
    ],
  ])("names the usual mistake of a handler that refuses all: %s", async (name, expected) => {
    const what = {
      "the text after whsec_": "with the text after",
      "the whole secret": "whole secret",
    };
    await using merchant = await startMerchant({
      answer: async ({ body, headers }) =>
        headers["webhook-signature"] === `v1,${await expected(body, headers)}` ? 200 : 401,
    });
    const { code, stderr } = await runMain(["check-webhook", merchant.url, "--url", sandbox.url]);
    expect(code).toBe(8);
    expect(stderr).toMatch(/^The handler verifies .+ This line mends it: /m);
    expect(stderr).not.toContain("Does the handler verify with the sandbox's secret?");
    expect(stderr).toContain(what[name as keyof typeof what] ?? name);
  });

  it("does not doubt the secret of a handler that verifies only the first signature", async () => {
    await using merchant = await startMerchant({
      answer: ({ body, headers }) => {
        const key = Buffer.from(sandbox.secret.slice("whsec_".length), "base64");
        const [first] = (headers["webhook-signature"] ?? "").split(" ");
        return first === `v1,${hmac(key, headers, body)}` ? 200 : 401;
      },
    });
    const { code, stderr } = await runMain(["check-webhook", merchant.url, "--url", sandbox.url]);
    expect(code).toBe(8);
    expect(stderr).toContain("Rules broken: valid_signature_refused");
    expect(stderr).not.toContain("Does the handler verify with the sandbox's secret?");
    expect(stderr).toContain("Each curl command above sends its webhook again");
  });

  it.each([
    [{ server: "gunicorn" }, 'key = base64.b64decode(secret.removeprefix("whsec_"))'],
    [{ "x-powered-by": "PHP/8.3.1" }, "$key = base64_decode(substr($secret, strlen('whsec_')));"],
    [{}, 'const key = Buffer.from(secret.replace("whsec_", ""), "base64");'],
  ])("shows the line that mends it in the language of a handler with %j", async (headers, line) => {
    await using merchant = await startMerchant({
      answer: (webhook) => {
        const expected = hmac(sandbox.secret.slice(6), webhook.headers, webhook.body);
        const isAccepted = webhook.headers["webhook-signature"] === `v1,${expected}`;
        return { status: isAccepted ? 200 : 401, headers };
      },
    });
    const { stderr } = await runMain(["check-webhook", merchant.url, "--url", sandbox.url]);
    expect(stderr).toContain(`This line mends it: ${line}`);
  });

  it.each([
    [{ server: "Werkzeug/3.0 Python/3.12" }, "body = request.get_data()  # the raw bytes"],
    [
      {},
      'app.post("/webhooks", express.raw({ type: "application/json" }), handler); // before express.json()',
    ],
  ])("shows the line that verifies the raw bytes to a handler with %j", async (headers, line) => {
    await using merchant = await startMerchant({
      answer: ({ body, ...received }) => ({
        status: correct({ ...received, body: JSON.stringify(JSON.parse(body)) }),
        headers,
      }),
    });
    const { stderr } = await runMain(["check-webhook", merchant.url, "--url", sandbox.url]);
    expect(stderr).toContain(
      `The handler verifies the body as it writes it itself, not the bytes that were sent. This line mends it: ${line}`,
    );
  });

  it("says that nothing listens, and nothing else", async () => {
    const url = `http://127.0.0.1:${await freePort()}/hook`;
    expect(await runMain(["check-webhook", url, "--url", sandbox.url])).toMatchObject({
      code: 8,
      stdout: "",
      stderr: `error: Nothing listens at ${url}.\n`,
    });
  });

  it("signs with the secret that the merchant has", async () => {
    const secret = `whsec_${Buffer.from("the merchant's own secret").toString("base64")}`;
    const own = (received: Received): number => {
      try {
        verified(received, secret);
        return 200;
      } catch {
        return 401;
      }
    };
    await using merchant = await startMerchant({ answer: own });
    expect(await checkAt(merchant.url, "--secret", secret)).toMatchObject({ code: 0, fail: [] });
    expect((await checkAt(merchant.url)).fail).toEqual([
      "webhook_never_received",
      "valid_signature_refused",
    ]);
  });

  it("signs itself if a fault or an assumption changes the sandbox's webhooks", async () => {
    const calls = callsTo(sandbox.url);
    const { id } = await calls.control<{ id: string }>("POST", "/faults", {
      on: "webhook",
      effect: "bad_signature",
    });
    try {
      expect(await check(correct)).toMatchObject({ code: 0, fail: [] });
    } finally {
      await calls.control("DELETE", `/faults/${id}`);
    }
  });

  it.each<[string, SandboxOptions]>([
    ["values are in centavos", { assumptions: { "value.unit": "centavos" } }],
    ["webhooks are not signed", { assumptions: { "webhook.signature": "none" } }],
    [
      "only listed credentials are active",
      {
        assumptions: { credentials: "listed" },
        credentials: [{ apiKey: "shop", apiSecret: "s", merchantId: "1" }],
      },
    ],
    ["the clock is frozen", { clock: "frozen" }],
  ])("works if %s", async (_, options) => {
    await using other = await startSandbox(options);
    await using merchant = await startMerchant({
      answer: (received) => {
        try {
          verified(received, other.secret);
          return 200;
        } catch {
          return 401;
        }
      },
    });
    const { code, stdout } = await runMain([
      "check-webhook",
      merchant.url,
      "--json",
      "--url",
      other.url,
    ]);
    expect({ code, pass: stdout.split('"pass"').length - 1 }).toEqual({ code: 0, pass: 11 });
  });

  it("leaves nothing in the sandbox, also when it fails or is interrupted", async () => {
    const calls = callsTo(sandbox.url);
    const remains = async () => ({
      integrations: (await calls.control<{ data: unknown[] }>("GET", "/integrations")).data,
      payins: (await calls.control<{ data: unknown[] }>("GET", "/payins")).data,
      requests: (await calls.control<{ data: unknown[] }>("GET", "/requests")).data,
      review: (await calls.control<WireReview>("GET", "/report")).rules.map(
        ({ verdict }) => verdict,
      ),
    });
    const before = await remains();
    await check(correct);
    await check(401);
    await using merchant = await startMerchant({ answer: "hold" });
    const running = startMain(["check-webhook", merchant.url, "--url", sandbox.url]);
    await merchant.waitFor(1);
    const { code, stderr } = await running.stop();

    expect(code).toBe(130);
    expect(stderr).toMatch(
      /^The check sends at most \d+ webhooks.*\nerror: The check was interrupted.\n$/,
    );
    expect(await remains()).toEqual(before);
  });

  it.each([
    [["http://192.0.2.1/hook"], "192.0.2.1 is not this machine."],
    [["ftp://localhost/hook"], 'Invalid address "ftp://localhost/hook".'],
    [["nonsense"], 'Invalid address "nonsense".'],
    [["http://localhost:0/hook"], 'Invalid address "http://localhost:0/hook".'],
    [["http://localhost/a\u001b[31m"], 'Invalid address "http://localhost/a\\u001b[31m".'],
    [["http://localhost/hook", "--only", "25"], 'Invalid value "25" for --only'],
    [["http://localhost/hook", "--only", "1"], "This check cannot judge that rule."],
    [["http://localhost/hook", "--effect", " "], "The value is empty."],
  ])("refuses %j", async (args, message) => {
    const { code, stdout, stderr } = await runMain([
      "check-webhook",
      ...args,
      "--url",
      sandbox.url,
    ]);

    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  it("shows a selected rule whose cause was not selected", async () => {
    await using merchant = await startMerchant({ answer: 401 });
    const { code, stdout, stderr } = await runMain([
      "check-webhook",
      merchant.url,
      "--url",
      sandbox.url,
      "--only",
      "8",
    ]);
    expect({ code, stderr }).toMatchObject({ code: 8 });
    expect(stdout).toMatch(/^Failure 8 webhook_never_received$/m);
  });

  it("fails if no selected rule could be judged", async () => {
    await using merchant = await startMerchant({ answer: 500 });
    const { code, stdout, stderr } = await runMain([
      "check-webhook",
      merchant.url,
      "--url",
      sandbox.url,
      "--only",
      "17",
    ]);
    expect(code).toBe(8);
    expect(stdout).toContain("0 failures, 0 warnings, 0 passed, 1 not seen");
    expect(stderr).toContain("error: No rule was judged.");
  });
});
