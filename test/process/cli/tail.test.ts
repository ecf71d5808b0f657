import { describe, expect, it } from "vitest";
import { startServe } from "../../support/cli.ts";
import { serveMain } from "../../support/main.ts";
import { freePort } from "../../support/process.ts";
import { callsTo } from "../../support/calls.ts";
import { startMerchant, verified } from "../../support/merchant.ts";
import { payOne, startTail, startTailProcess, toAttempts } from "./tail.ts";

/** Clears the screen, renames the window, and turns the direction of the text. */
const HOSTILE = "\u001b[2J\u001b]0;owned\u0007\r\nsecond line\u202egnp.exe";

/** Loaded ahead of the program: on this machine `localhost` is both loopback addresses. */
const BOTH_LOOPBACKS = new URL("both-loopbacks.js", import.meta.url).href;

describe("webhooks tail", { timeout: 60_000 }, () => {
  it("prints two lines for each attempt, from now on", async () => {
    await using merchant = await startMerchant({ answer: (_, index) => (index === 1 ? 500 : 200) });
    await using sandbox = await serveMain(["--memory", "--clock", "frozen"]);
    const calls = callsTo(sandbox.url);
    const before = await payOne(calls, merchant.url);
    await calls.advance(0);
    await using tail = await startTail(sandbox.url);
    const payinId = await payOne(calls, merchant.url);
    await calls.advance(1);
    const lines = await tail.lines("stdout", 4);

    const time = String.raw`^\d\d:\d\d:\d\d\.\d{3}Z`;
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`${time}  -->  payin\\.paid  ${payinId}  ${merchant.url}`)),
      expect.stringMatching(new RegExp(`${time}  <--  500  \\d+ ms`)),
      expect.stringMatching(new RegExp(`${time}  -->  payin\\.paid  ${payinId}  ${merchant.url}`)),
      expect.stringMatching(new RegExp(`${time}  <--  200  \\d+ ms`)),
    ]);
    expect(tail.stdout).not.toContain(before);
    expect(await tail.stop()).toMatchObject({ code: 130, signal: null });
  });

  it("prints one JSON object for each attempt with --json", async () => {
    await using merchant = await startMerchant({ answer: (_, index) => (index === 0 ? 500 : 200) });
    await using sandbox = await serveMain(["--memory", "--clock", "frozen"]);
    const calls = callsTo(sandbox.url);
    await using tail = await startTail(sandbox.url, "--json");
    const payinId = await payOne(calls, merchant.url);
    await calls.advance(1);
    const attempts = toAttempts(await tail.lines("stdout", 2));

    expect(attempts).toMatchObject([
      { type: "payin.paid", transaction_id: payinId, attempt_number: 1, attempt: { status: 500 } },
      { type: "payin.paid", transaction_id: payinId, attempt_number: 2, attempt: { status: 200 } },
    ]);
    expect(attempts.map(({ status }) => status)).toEqual(["pending", "delivered"]);
    expect(attempts[1]?.id).toBe(attempts[0]?.id);
  });

  it("forwards the same bytes with the same headers", async () => {
    await using merchant = await startMerchant();
    await using elsewhere = await startMerchant({ answer: 202 });
    await using sandbox = await serveMain();
    await using tail = await startTail(sandbox.url, "--forward-to", elsewhere.at("/dev"));
    const payinId = await payOne(callsTo(sandbox.url), merchant.url);
    const [original] = await merchant.waitFor(1);
    const [forwarded] = await elsewhere.waitFor(1);

    expect(forwarded).toMatchObject({ method: "POST", path: "/dev", body: original?.body });
    // Where they go to, and whether the connection stays open, is for each of both to say.
    const { host: _here, connection: _kept, ...sent } = original?.headers ?? {};
    const { host, connection: _closed, ...received } = forwarded?.headers ?? {};
    expect(received).toEqual(sent);
    expect(host).toBe(`127.0.0.1:${elsewhere.port}`);
    expect(Object.keys(sent)).toEqual(
      expect.arrayContaining([
        "content-type",
        "content-length",
        "user-agent",
        "webhook-id",
        "webhook-timestamp",
        "webhook-signature",
      ]),
    );
    expect(forwarded && verified(forwarded, sandbox.secret).data["id"]).toBe(payinId);
    const answers = await tail.lines("stdout", 1, (line) => line.includes(elsewhere.at("/dev")));
    expect(answers).toEqual([expect.stringMatching(/ {2}<-- {2}202 {2}\d+ ms/)]);
  });

  it("shows the answer of the address that it forwards to, on one line that no terminal obeys", async () => {
    await using merchant = await startMerchant();
    const body = `${HOSTILE}${"x".repeat(1000)}`;
    await using elsewhere = await startMerchant({ answer: { status: 500, body } });
    await using sandbox = await serveMain();
    await using tail = await startTail(sandbox.url, "--forward-to", elsewhere.url);
    await payOne(callsTo(sandbox.url), merchant.url);
    const [answer = ""] = await tail.lines("stdout", 1, (line) => line.includes("forwarded to"));

    expect(answer).toMatch(/ {2}<-- {2}500 {2}\d+ ms {2}forwarded to http:\/\/127/);
    expect(answer).toContain(
      "\\u001b[2J\\u001b]0;owned\\u0007\\u000d\\u000asecond line\\u202egnp.exe",
    );
    expect(answer).toMatch(/x…$/);
    // oxlint-disable-next-line no-control-regex -- control characters are what this is for.
    expect(tail.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });

  it("reports the forwarded webhook in JSON too, after the attempt", async () => {
    await using merchant = await startMerchant();
    await using elsewhere = await startMerchant({ answer: { status: 202, body: HOSTILE } });
    await using sandbox = await serveMain();
    await using tail = await startTail(sandbox.url, "--json", "--forward-to", elsewhere.url);
    await payOne(callsTo(sandbox.url), merchant.url);
    const [attempt, forwarded] = (await tail.lines("stdout", 2)).map(
      (line) => JSON.parse(line) as Record<string, unknown>,
    );

    expect(forwarded).toEqual({
      forwarded_to: elsewhere.url,
      id: attempt?.["id"],
      status: 202,
      error: null,
      duration_ms: expect.any(Number) as number,
      response: HOSTILE,
    });
  });

  it("forwards the first attempt and resends, but no retry", async () => {
    await using merchant = await startMerchant({ answer: 500 });
    await using elsewhere = await startMerchant();
    await using sandbox = await serveMain(["--memory", "--clock", "frozen"]);
    const calls = callsTo(sandbox.url);
    await using tail = await startTail(sandbox.url, "--forward-to", elsewhere.url);
    await payOne(calls, merchant.url);
    await calls.advance(60);
    const [{ id } = { id: "" }] = await calls.deliveries();
    await calls.control("POST", `/deliveries/${id}/resend`);
    await tail.lines("stdout", 2, (line) => line.includes("forwarded to"));

    expect(merchant.received).toHaveLength(5);
    const [original] = merchant.received;
    expect(elsewhere.received.map(({ body }) => body)).toEqual([original?.body, original?.body]);
    expect(elsewhere.received[1]?.headers["webhook-signature"]).toBe(
      merchant.received[4]?.headers["webhook-signature"],
    );
    expect(tail.stdout).toMatch(/-->.* {2}resent$/m);
    expect(tail.stdout).toMatch(/-->.* {2}attempt 2$/m);
  });

  it("forwards with --status the attempt that it lets through, be it a retry", async () => {
    await using merchant = await startMerchant({ answer: (_, index) => (index < 2 ? 500 : 200) });
    await using elsewhere = await startMerchant();
    await using sandbox = await serveMain(["--memory", "--clock", "frozen"]);
    const calls = callsTo(sandbox.url);
    const args = ["--status", "delivered", "--forward-to", elsewhere.url];
    await using tail = await startTail(sandbox.url, ...args);
    await payOne(calls, merchant.url);
    await calls.advance(60);
    await tail.lines("stdout", 1, (line) => line.includes("forwarded to"));

    expect(elsewhere.received.map(({ body }) => body)).toEqual([merchant.received[0]?.body]);
  });

  it("forwards a webhook once even if it begins between its attempts", async () => {
    await using merchant = await startMerchant({ answer: 500 });
    await using elsewhere = await startMerchant();
    await using sandbox = await serveMain(["--memory", "--clock", "frozen"]);
    const calls = callsTo(sandbox.url);
    await payOne(calls, merchant.url);
    await calls.advance(0);
    await using tail = await startTail(sandbox.url, "--forward-to", elsewhere.url);
    await calls.advance(60);
    await tail.lines("stdout", 3, (line) => line.includes("-->"));
    await tail.lines("stdout", 1, (line) => line.includes("gave up"));

    expect(elsewhere.received.map(({ body }) => body)).toEqual([merchant.received[0]?.body]);
  });

  it.each([
    ["--type", () => "payout.canceled", "payout"],
    ["--transaction", ({ payin }: Ids) => payin, "payin"],
    ["--status", () => "failed", "payin"],
    ["--status", () => "delivered", "payout"],
  ] as const)("shows and forwards with %s what it lets through alone", async (flag, of, noun) => {
    await using merchant = await startMerchant({
      answer: ({ body }) => (body.includes("payin.paid") ? 500 : 200),
    });
    await using elsewhere = await startMerchant();
    await using sandbox = await serveMain(["--memory", "--assume", "webhook.retries=none"]);
    const calls = callsTo(sandbox.url);
    const ids: Ids = {
      payin: (await calls.createPayin({ webhook_url: merchant.url })).body.id,
      payout: (await calls.createPayout({ webhook_url: merchant.url })).body.id,
    };
    const args = [flag, of(ids), "--json", "--forward-to", elsewhere.url, "--exit-with-sandbox"];
    await using tail = await startTail(sandbox.url, ...args);
    await calls.simulate("payin", ids.payin);
    await calls.simulate("payout", ids.payout, "canceled");
    await calls.control("POST", "/settle");
    await sandbox.stop();
    const { stdout } = await tail.ended;

    const [attempt, forwarded, ...rest] = stdout.trimEnd().split("\n");
    expect(JSON.parse(attempt ?? "")).toMatchObject({ transaction_id: ids[noun] });
    expect(JSON.parse(forwarded ?? "")).toMatchObject({ forwarded_to: elsewhere.url });
    expect(rest).toEqual([]);
    expect(elsewhere.received.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
      { data: { id: ids[noun] } },
    ]);
  });

  it("forwards to any address, not only loopback, over a new connection each", async () => {
    // A receiver that resets each kept connection.
    await using elsewhere = await startMerchant({
      answer: ({ headers }) => (headers["connection"] === "close" ? 200 : "reset"),
    });
    await using merchant = await startMerchant();
    await using sandbox = await serveMain();
    // It reaches this machine, and is not one of its loopback addresses.
    const address = `http://0.0.0.0:${elsewhere.port}/dev`;
    await using tail = await startTail(sandbox.url, "--forward-to", address);
    for (let count = 0; count < 2; count++) await payOne(callsTo(sandbox.url), merchant.url);
    const answers = await tail.lines("stdout", 2, (line) => line.includes(address));

    for (const answer of answers) expect(answer).toMatch(/ {2}<-- {2}200 {2}/);
    expect(elsewhere.received).toHaveLength(2);
  });

  it("names each address that it tried in vain, and what to check", async () => {
    const port = await freePort();
    const env = { NODE_OPTIONS: `--import=${BOTH_LOOPBACKS}` };
    await using merchant = await startMerchant();
    await using sandbox = await serveMain();
    const args = ["--forward-to", `http://localhost:${port}/dev`];
    await using tail = await startTailProcess(sandbox.url, args, { env });
    await payOne(callsTo(sandbox.url), merchant.url);
    const [answer] = await tail.lines("stdout", 1, (line) => line.includes("forwarded to"));
    const [advice] = await tail.lines("stdout", 1, (line) => line.startsWith("!!"));

    expect(answer).toContain(`ECONNREFUSED 127.0.0.1:${port}`);
    expect(answer).toMatch(new RegExp(`E[A-Z]+ \\[::1\\]:${port}`));
    expect(advice).toContain("connection refused");
    expect(advice).toContain("host.docker.internal");
  });

  it("shows a redirect's target, and does not follow it", async () => {
    await using elsewhere = await startMerchant();
    const answer = { status: 307, headers: { location: elsewhere.url } };
    await using merchant = await startMerchant({ answer });
    await using sandbox = await serveMain();
    await using tail = await startTail(sandbox.url);
    await payOne(callsTo(sandbox.url), merchant.url);
    const [, answered] = await tail.lines("stdout", 2);

    expect(answered).toContain(`redirects to ${elsewhere.url}; webhooks do not follow redirects`);
    expect(elsewhere.received).toEqual([]);
  });

  it("ends with the sandbox if requested, whether it is stopped or killed", async () => {
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      await using sandbox = await startServe();
      await using tail = await startTailProcess(sandbox.url, ["--exit-with-sandbox"]);
      await sandbox.stop(signal);
      expect(await tail.ended).toMatchObject({ code: 0, signal: null, stdout: "" });
    }
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 0],
  ] as const)("at %s ends with %i", async (signal, code) => {
    await using sandbox = await startServe();
    await using tail = await startTailProcess(sandbox.url);
    expect(await tail.stop(signal)).toMatchObject({ code, signal: null, stdout: "" });
  });
});

interface Ids {
  readonly payin: string;
  readonly payout: string;
}
