import { describe, expect, it } from "vitest";
import { createFolder, freePort, type Program, startCli, startServe } from "../support/cli.ts";
import { type Calls, callsTo, startMerchant, verified } from "../support/merchant.ts";

interface AttemptLine {
  readonly id: string;
  readonly type: string;
  readonly transaction_id: string;
  readonly status: string;
  readonly attempt_number: number;
  readonly attempt: { readonly status?: number; readonly error?: string };
}

describe("webhooks tail", { timeout: 60_000 }, () => {
  it("prints two lines for each attempt, from now on", async () => {
    await using merchant = await startMerchant({ answer: (_, index) => (index === 1 ? 500 : 200) });
    await using sandbox = await startServe(["--memory", "--clock", "frozen"]);
    const calls = callsTo(sandbox.url);
    const before = await payOne(calls, merchant.url);
    await calls.advance(0);
    await using tail = await startTail(sandbox.url);
    const payinId = await payOne(calls, merchant.url);
    await calls.advance(1);
    const lines = await tail.lines("stdout", 4);

    const time = String.raw`^\d\d:\d\d:\d\d\.\d{3}`;
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`${time}  -->  payin\\.paid  ${payinId}  ${merchant.url}`)),
      expect.stringMatching(new RegExp(`${time}  <--  500  \\d+ ms`)),
      expect.stringMatching(new RegExp(`${time}  -->  payin\\.paid  ${payinId}  ${merchant.url}`)),
      expect.stringMatching(new RegExp(`${time}  <--  200  \\d+ ms`)),
    ]);
    expect(tail.stdout).not.toContain(before);
    expect(await tail.stop()).toMatchObject({ code: 0, signal: null });
  });

  it("prints why there was no answer", async () => {
    const port = await freePort();
    await using sandbox = await startServe();
    await using tail = await startTail(sandbox.url);
    await payOne(callsTo(sandbox.url), `http://127.0.0.1:${port}/hook`);
    const [, answered] = await tail.lines("stdout", 2);

    expect(answered).toMatch(/ {2}<-- {2}ECONNREFUSED 127\.0\.0\.1:\d+ {2}\d+ ms/);
  });

  it("prints one JSON object for each attempt with --json", async () => {
    await using merchant = await startMerchant({ answer: (_, index) => (index === 0 ? 500 : 200) });
    await using sandbox = await startServe(["--memory", "--clock", "frozen"]);
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

  it("shows one integration alone with --token", async () => {
    await using merchant = await startMerchant();
    await using sandbox = await startServe();
    await using tail = await startTail(sandbox.url, "--json", "--token", "one");
    await payOne(callsTo(sandbox.url, "another"), merchant.url);
    const payinId = await payOne(callsTo(sandbox.url, "one"), merchant.url);
    const attempts = toAttempts(await tail.lines("stdout", 1));

    expect(attempts.map(({ transaction_id }) => transaction_id)).toEqual([payinId]);
  });

  it("forwards the same bytes with the same headers", async () => {
    await using merchant = await startMerchant();
    await using elsewhere = await startMerchant({ answer: 202 });
    await using sandbox = await startServe();
    await using tail = await startTail(sandbox.url, "--forward-to", elsewhere.at("/dev"));
    const payinId = await payOne(callsTo(sandbox.url), merchant.url);
    const [original] = await merchant.waitFor(1);
    const [forwarded] = await elsewhere.waitFor(1);

    expect(forwarded).toMatchObject({ method: "POST", path: "/dev", body: original?.body });
    for (const name of ["content-type", "webhook-id", "webhook-timestamp", "webhook-signature"]) {
      expect([name, forwarded?.headers[name]]).toEqual([name, original?.headers[name]]);
    }
    expect(forwarded && verified(forwarded, sandbox.secret).data["id"]).toBe(payinId);
    const answers = await tail.lines("stdout", 1, (line) => line.includes(elsewhere.at("/dev")));
    expect(answers).toEqual([expect.stringMatching(/ {2}<-- {2}202 {2}\d+ ms/)]);
  });

  it("forwards to an address where nobody answers, says so and goes on", async () => {
    const port = await freePort();
    await using merchant = await startMerchant();
    await using sandbox = await startServe();
    const address = `http://127.0.0.1:${port}/dev`;
    await using tail = await startTail(sandbox.url, "--forward-to", address);
    await payOne(callsTo(sandbox.url), merchant.url);
    await payOne(callsTo(sandbox.url), merchant.url);
    const answers = await tail.lines("stdout", 2, (line) => line.includes(address));

    for (const answer of answers) expect(answer).toContain("ECONNREFUSED");
  });

  it.each(["SIGINT", "SIGTERM"] as const)("ends with 0 at %s", async (signal) => {
    await using sandbox = await startServe();
    await using tail = await startTail(sandbox.url);
    expect(await tail.stop(signal)).toMatchObject({ code: 0, signal: null, stdout: "" });
  });
});

describe("webhooks tail of a sandbox that is started again", { timeout: 60_000 }, () => {
  it("goes on without a gap or a repeat", async () => {
    await using folder = await createFolder();
    await using merchant = await startMerchant();
    const args = ["--state", folder.at("state.json"), "--port"];
    await using first = await startServe([...args, "0"]);
    await using tail = await startTail(first.url, "--json");
    const seen = await payOne(callsTo(first.url), merchant.url);
    await tail.lines("stdout", 1);

    // The tail sleeps while the sandbox comes back and sends two more: they are told of later.
    tail.process.kill("SIGSTOP");
    await first.stop();
    await using second = await startServe([...args, String(first.ready.port)]);
    const calls = callsTo(second.url);
    const missed = [await payOne(calls, merchant.url), await payOne(calls, merchant.url)];
    await merchant.waitFor(3);
    await calls.advance(0);
    tail.process.kill("SIGCONT");
    await tail.lines("stderr", 1, (line) => line.startsWith("Connected again"));
    const live = await payOne(calls, merchant.url);

    const attempts = toAttempts(await tail.lines("stdout", 4));
    expect(attempts.map(({ transaction_id }) => transaction_id)).toEqual([seen, ...missed, live]);
    expect(new Set(attempts.map(({ id }) => id)).size).toBe(4);
    expect((await tail.stop()).code).toBe(0);
  });

  it("misses nothing where it had seen nothing yet", async () => {
    await using folder = await createFolder();
    await using merchant = await startMerchant();
    const args = ["--state", folder.at("state.json"), "--port"];
    await using first = await startServe([...args, "0"]);
    const before = await payOne(callsTo(first.url), merchant.url);
    await merchant.waitFor(1);
    await callsTo(first.url).advance(0);
    await using tail = await startTail(first.url, "--json");

    tail.process.kill("SIGSTOP");
    await first.stop();
    await using second = await startServe([...args, String(first.ready.port)]);
    const calls = callsTo(second.url);
    const missed = await payOne(calls, merchant.url);
    await merchant.waitFor(2);
    await calls.advance(0);
    tail.process.kill("SIGCONT");
    await tail.lines("stderr", 1, (line) => line.startsWith("Connected again"));
    const live = await payOne(calls, merchant.url);
    await tail.lines("stdout", 1, (line) => line.includes(live));

    const attempts = toAttempts(await tail.lines("stdout", 1));
    expect(attempts.map(({ transaction_id }) => transaction_id)).toEqual([missed, live]);
    expect(tail.stdout).not.toContain(before);
  });

  it("goes on with one that kept nothing and counts from the start", async () => {
    await using merchant = await startMerchant();
    await using first = await startServe();
    await using tail = await startTail(first.url, "--json");
    for (let count = 0; count < 3; count++) await payOne(callsTo(first.url), merchant.url);
    await tail.lines("stdout", 3);
    await first.stop();

    await using second = await startServe(["--memory", "--port", String(first.ready.port)]);
    await tail.lines("stderr", 1, (line) => line.startsWith("Connected again"));
    const live = await payOne(callsTo(second.url), merchant.url);
    await merchant.waitFor(4);
    await callsTo(second.url).advance(0);
    // The end of the stream comes after all that was in it.
    await second.stop();
    await tail.lines("stderr", 2, (line) => line.startsWith("The sandbox closed"));
    expect(toAttempts(await tail.lines("stdout", 3)).at(-1)?.transaction_id).toBe(live);
  });
});

async function startTail(url: string, ...args: string[]): Promise<Program> {
  const tail = startCli(["webhooks", "tail", "--url", url, ...args]);
  await tail.lines("stderr", 1, (line) => line.startsWith("Connected"));
  return tail;
}

function toAttempts(lines: readonly string[]): AttemptLine[] {
  return lines.map((line) => JSON.parse(line) as AttemptLine);
}

/** Creates a payin and simulates that it is paid. */
async function payOne(calls: Calls, webhookUrl: string): Promise<string> {
  const { body } = await calls.createPayin({ webhook_url: webhookUrl });
  await calls.simulate("payin", body.id);
  return body.id;
}
