import type * as z from "zod";
import { describe, expect, it } from "vitest";
import type { sinkWebhook } from "../../../src/http/schemas/rows.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../../src/server/start.ts";
import { callsTo } from "../../support/calls.ts";
import { call, control } from "../../support/gateway.ts";

type SinkWebhook = z.output<typeof sinkWebhook>;

interface SinkPage {
  readonly data: readonly SinkWebhook[];
  readonly next: string | null;
}

const start = (options: SandboxOptions = {}) =>
  startSandbox({ clock: "frozen", now: "2026-11-21T12:00:00Z", ...options });

const receivedBy = async (sandbox: Sandbox, query = "", token?: string) =>
  (await control(sandbox, token, `GET /sink${query}`)) as unknown as SinkPage;

/** Pays a new payin whose webhooks go to `url`, and waits until they are delivered. */
const pay = async (sandbox: Sandbox, url: string, token = "shop"): Promise<string> => {
  const calls = callsTo(sandbox.url, token);
  const { body } = await calls.createPayin({ webhook_url: url });
  await calls.control("POST", `/payins/${body.id}/pay`);
  await calls.control("POST", "/settle");
  return body.id;
};

describe("POST /_sandbox/sink/{sink}", () => {
  it("receives a webhook, verifies it and lists it with its raw body", async () => {
    await using sandbox = await start();
    const id = await pay(sandbox, `${sandbox.url}/_sandbox/sink/order-1`);
    const [delivery] = await callsTo(sandbox.url).deliveries();
    const { data, next } = await receivedBy(sandbox);
    expect(next).toBeNull();
    expect(data).toEqual([
      {
        id: "sink_1",
        webhook_id: delivery?.id,
        at: expect.stringMatching(/Z$/),
        sandbox_at: "2026-11-21T12:00:00.000Z",
        sink: "order-1",
        type: "payin.paid",
        transaction_id: id,
        verified: true,
        mistake: null,
        message: null,
        headers: { ...delivery?.attempts[0]?.headers, "user-agent": expect.any(String) },
        body: delivery?.body,
        integration: "shop",
      },
    ]);
    expect(delivery).toMatchObject({
      status: "delivered",
      attempts: [{ status: 200, response: "{}" }],
    });
  });

  it("receives webhooks of the sandbox under its host and loopback names without a connection", async () => {
    await using sandbox = await start();
    for (const host of ["127.0.0.1", "localhost", "shop.localhost", "127.8.0.1", "[::1]"])
      await pay(sandbox, `http://${host}:${sandbox.port}/_sandbox/sink/a`);
    await pay(sandbox, `https://localhost:${sandbox.port}/_sandbox/sink/a`);
    const { data } = await receivedBy(sandbox);
    // Over a connection every client sends the header host.
    expect(data.map(({ verified, headers }) => [verified, headers["host"]])).toEqual(
      Array.from({ length: 6 }, () => [true, undefined]),
    );
  });

  it("receives webhooks to its public URL, and to a host by which a client has called it", async () => {
    await using sandbox = await start({
      publicUrl: "https://pix.example/",
      webhookAllow: "loopback",
    });
    await pay(sandbox, "https://pix.example/_sandbox/sink/public");
    // Outside a container, another port leads to the sandbox.
    await sandbox.fetch("/_sandbox/health", { headers: { host: "Pix-Sandbox:8080" } });
    await pay(sandbox, "http://pix-sandbox:8080/_sandbox/sink/mapped");
    // No client has called these.
    await sandbox.fetch("/_sandbox/health", { headers: { host: "evil.example" } });
    for (const url of [
      "http://pix-sandbox:8081/_sandbox/sink/a",
      "http://pix-sandbox/_sandbox/sink/a",
      "http://evil.example/_sandbox/sink/a",
      "http://pix-sandbox:8080/_sandbox/sink/a/b",
      "http://pix-sandbox:8080/hook",
    ])
      await pay(sandbox, url);
    const { data } = await receivedBy(sandbox);
    expect(data.map(({ sink, verified }) => [sink, verified])).toEqual([
      ["public", true],
      ["mapped", true],
    ]);
  });

  it.each([
    ["duplicate", [true, true]],
    ["bad_signature", [false]],
    ["drop_attempts=1", []],
  ])("is subject to the fault %s, as any receiver", async (effect, verified) => {
    await using sandbox = await start();
    const calls = callsTo(sandbox.url, "shop");
    await calls.control("POST", "/faults", { on: "webhook", effect, times: 1 });
    await pay(sandbox, `${sandbox.url}/_sandbox/sink/a`);
    if (effect.startsWith("duplicate")) await calls.advance(60);
    const { data } = await receivedBy(sandbox);
    expect(data.map((one) => one.verified)).toEqual(verified);
    if (effect === "drop_attempts=1") {
      await calls.advance(1);
      expect((await receivedBy(sandbox)).data).toMatchObject([{ verified: true }]);
    }
  });

  it("verifies with the secret of the integration", async () => {
    const credentials = [{ apiKey: "shop", apiSecret: "open sesame", merchantId: "42" }];
    await using sandbox = await start({ credentials, assumptions: { credentials: "listed" } });
    await pay(sandbox, `${sandbox.url}/_sandbox/sink/a`);
    const { data } = await receivedBy(sandbox);
    expect(data).toMatchObject([{ verified: true, integration: "shop" }]);
  });

  it("refuses an id of other characters or of more than 64", async () => {
    await using sandbox = await start();
    for (const sink of ["a.b", "%20", "a".repeat(65)])
      expect(await call(sandbox, { path: `/_sandbox/sink/${sink}`, body: {} })).toMatchObject({
        status: 400,
        json: { errors: [{ field: "sink" }] },
      });
    expect((await receivedBy(sandbox)).data).toEqual([]);
  });
});

describe("GET /_sandbox/sink", () => {
  it("lists the webhooks of one integration or of one sink, in pages", async () => {
    await using sandbox = await start({ keepRequests: 3 });
    const ids: string[] = [];
    for (const [sink, token] of [
      ["a", "one"],
      ["a", "two"],
      ["b", "two"],
      ["a", "two"],
    ])
      ids.push(await pay(sandbox, `${sandbox.url}/_sandbox/sink/${sink}`, token));
    const transactions = ({ data }: SinkPage) => data.map((one) => one.transaction_id);
    expect(transactions(await receivedBy(sandbox))).toEqual(ids.slice(1));
    expect(transactions(await receivedBy(sandbox, "", "one"))).toEqual([]);
    expect(transactions(await receivedBy(sandbox, "?sink=a", "two"))).toEqual([ids[1], ids[3]]);
    const first = await receivedBy(sandbox, "?limit=2");
    expect([transactions(first), first.next]).toEqual([ids.slice(1, 3), "sink_3"]);
    expect(transactions(await receivedBy(sandbox, `?after=${first.next}`))).toEqual([ids[3]]);
  });

  it("is empty of an integration that was reset", async () => {
    await using sandbox = await start();
    await pay(sandbox, `${sandbox.url}/_sandbox/sink/a`, "one");
    await pay(sandbox, `${sandbox.url}/_sandbox/sink/a`, "two");
    await control(sandbox, "one", "POST /reset");
    expect((await receivedBy(sandbox)).data).toMatchObject([{ integration: "two" }]);
  });

  it("contains what another sandbox has sent over a connection", async () => {
    await using sandbox = await start();
    await using other = await start();
    const id = await pay(other, `${sandbox.url}/_sandbox/sink/a`);
    expect((await receivedBy(other)).data).toEqual([]);
    expect((await receivedBy(sandbox)).data).toMatchObject([
      { transaction_id: id, verified: false, mistake: "wrong_secret", integration: null },
    ]);
  });
});
