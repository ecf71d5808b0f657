import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/index.ts";
import { type MainOptions, runMain, type RunningMain, startMain } from "../support/main.ts";

const EVENT = "evt_0123456789abcdef0123456789abcdef";

let sandbox: Sandbox;
let env: Record<string, string>;
beforeAll(async () => {
  sandbox = await startSandbox();
  env = { PIX_SANDBOX_URL: sandbox.url };
});
afterAll(() => sandbox.close());

interface Listening {
  readonly program: RunningMain;
  readonly url: string;
}

const listen = async (
  args: readonly string[] = [],
  options: MainOptions = {},
): Promise<Listening> => {
  const program = startMain(["listen", ...args], { env, ...options });
  const [line = ""] = await program.lines("stdout", 1);
  return { program, url: /http:[^\s"]+/.exec(line)?.[0] ?? "" };
};

const pay = async (webhookUrl: string): Promise<string> => {
  const { id } = await sandbox.payins.create({ webhookUrl });
  await sandbox.payins.pay(id);
  return id;
};

describe("listen", () => {
  it("prints its address, then each webhook with the response that it gets", async () => {
    const { program, url } = await listen(["--status", "500,200"]);
    const id = await pay(url);
    const [first, second] = await program.lines("stdout", 2, (line) => line.includes(id));
    const { code, stdout, stderr } = await program.stop();
    const { id: event } = await sandbox.webhooks.waitFor({ transactionId: id });
    expect(code).toBe(0);
    expect(stdout.split("\n")[0]).toBe(`Receiving webhooks at ${url}`);
    expect(stderr).toBe(
      `Ctrl-C to stop. Next: npx pix-sandbox trigger payin.paid --webhook-url ${url} --url ${sandbox.url}\n`,
    );
    expect(first).toMatch(
      new RegExp(`^\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z  payin\\.paid  ${event}  ${id}  500  verified$`),
    );
    expect(second).toMatch(/ {2}200 {2}verified$/);
  });

  it("says why a webhook is not valid, in the language of the command", async () => {
    const { program, url } = await listen(["--lang", "pt-BR"]);
    await fetch(url, { method: "POST", body: JSON.stringify({ type: "payin.\u001b[2Jpaid" }) });
    await program.lines("stdout", 1, (line) => line.startsWith("!!"));
    const { stdout } = await program.stop();
    const [head, webhook, reason] = stdout.split("\n");
    expect(head).toBe(`Recebendo webhooks em ${url}`);
    expect(webhook).toMatch(
      / {2}payin\.\\u001b\[2Jpaid {2}200 {2}assinatura inválida: missing_header$/,
    );
    expect(reason).toBe("!!  Faltam webhook-id, webhook-timestamp e webhook-signature.");
  });

  it("prints JSON lines with the raw body", async () => {
    const { program, url } = await listen(["--json"]);
    const id = await pay(url);
    const delivery = await sandbox.webhooks.waitFor({ transactionId: id });
    await fetch(url, { method: "POST", headers: { "webhook-id": EVENT }, body: "no JSON" });
    const lines = await program.lines("stdout", 3);
    await program.stop();
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { type: "listening", url },
      {
        type: "webhook",
        at: expect.stringMatching(/Z$/),
        id: delivery.id,
        event: "payin.paid",
        transaction_id: id,
        verified: true,
        mistake: null,
        message: null,
        status: 200,
        headers: expect.objectContaining({ "webhook-id": delivery.id }),
        body: delivery.body,
      },
      expect.objectContaining({
        id: EVENT,
        event: "",
        transaction_id: null,
        verified: false,
        mistake: "missing_header",
        message: "webhook-timestamp and webhook-signature are missing.",
        body: "no JSON",
      }),
    ]);
  });

  it("delays each response", async () => {
    const { program, url } = await listen(["--delay", "50ms", "--status", "204"]);
    const id = await pay(url);
    const delivery = await sandbox.webhooks.waitFor({ transactionId: id });
    await program.stop();
    expect(delivery.attempts).toMatchObject([{ status: 204 }]);
    expect(delivery.attempts[0]?.durationMs).toBeGreaterThanOrEqual(49);
  });

  it("stops while it delays a response", async () => {
    const { program, url } = await listen(["--delay", "5m"]);
    const response = fetch(url, { method: "POST", body: "{}" });
    response.catch(() => undefined);
    await program.lines("stdout", 2);
    expect((await program.stop("SIGTERM")).code).toBe(0);
    await expect(response).rejects.toThrow(TypeError);
  });

  it("needs no sandbox if it is given the secret", async () => {
    const { program, url } = await listen(["--secret", sandbox.secret], {
      env: { PIX_SANDBOX_URL: "http://127.0.0.1:9" },
    });
    const id = await pay(url);
    const [line] = await program.lines("stdout", 1, (one) => one.includes(id));
    await program.stop();
    expect(line).toMatch(/verified$/);
  });

  it("exits with 7 if its port is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await runMain(["listen", "--port", String(port)], { env });
    other.close();
    expect([code, stderr]).toEqual([7, expect.stringContaining("or a free one with --port 0")]);
  });

  it.each([
    [["--status", "200,ok"], "Use an HTTP status from 200 to 599"],
    [["--status", "199"], "Use an HTTP status from 200 to 599"],
    [["--status", ""], "Use an HTTP status from 200 to 599"],
    [["--delay", "soon"], 'Invalid duration "soon"'],
    [["--delay", "1h"], "Use at most 10m"],
    [["--port", "65536"], "Use a whole number from 0 to 65535"],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await runMain(["listen", ...args], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
