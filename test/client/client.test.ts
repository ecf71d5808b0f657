import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type ClientOptions,
  createClient,
  type Sandbox,
  SandboxError,
  startSandbox,
  type View,
} from "../../src/index.ts";
import { type Merchant, startMerchant, verified } from "../support/merchant.ts";

const KEY = [{ idempotencykey: "" }, "idempotencyKey"] as const;
const TRANSACTION = [{ transactionid: "" }, "transactionId"] as const;
const TIMEOUT = [{ timeoutms: 1 }, "timeoutMs"] as const;
const expectPayins = (client: View, wrong: never) =>
  client.requests.expectReceived("POST /v1/payins", undefined, wrong);

let sandbox: Sandbox;
let merchant: Merchant;
beforeAll(async () => {
  merchant = await startMerchant();
  sandbox = await startSandbox({
    seed: "42",
    credentials: [{ apiKey: "listed", apiSecret: "very secret", merchantId: "17" }],
  });
});
afterEach(() => sandbox.reset());
afterAll(async () => {
  await sandbox.close();
  await merchant.close();
});

describe("a client of a sandbox that runs elsewhere", () => {
  it("plays a payment from its creation to its webhook", async () => {
    const client = createClient({
      baseUrl: sandbox.baseUrl,
      headers: { "X-Api-Token": "my-shop" },
    });
    const payin = await client.payins.create({ value: 25, webhookUrl: merchant.url });
    await client.payins.pay(payin.id);
    const { id, body } = await client.webhooks.waitFor({ transactionId: payin.id });

    const received = merchant.received.findLast((webhook) => webhook.body === body);
    const { secret, seed } = await client.signing();
    expect(received && verified(received, secret).id).toBe(id);
    expect(seed).toBe("42");
    expect(await client.payins.list({ status: "paid" })).toEqual([
      expect.objectContaining({ id: payin.id, integration: "my-shop", value: 25 }),
    ]);
  });

  it.each<[string, (client: View, wrong: never) => Promise<unknown>, object, string]>([
    ["payins.create()", (client, wrong) => client.payins.create(wrong), { valu: 10 }, "value"],
    ["payins.create()", (client, wrong) => client.payins.create({}, wrong), ...KEY],
    ["payins.list()", (client, wrong) => client.payins.list(wrong), { stauts: "paid" }, "status"],
    [
      "payouts.create()",
      (client, wrong) => client.payouts.create(wrong),
      { pix_key: "" },
      "pixKey",
    ],
    ["payouts.create()", (client, wrong) => client.payouts.create({}, wrong), ...KEY],
    ["payouts.list()", (client, wrong) => client.payouts.list(wrong), { statu: "" }, "status"],
    ["waitFor()", (client, wrong) => client.webhooks.waitFor(wrong), { typ: "" }, "type"],
    ["webhooks.list()", (client, wrong) => client.webhooks.list(wrong), ...TRANSACTION],
    ["resendAll()", (client, wrong) => client.webhooks.resendAll(wrong), ...TRANSACTION],
    ["configure()", (client, wrong) => client.webhooks.configure(wrong), { event: [] }, "events"],
    ["faults.add()", (client, wrong) => client.faults.add(wrong), { time: 1 }, "times"],
    ["report()", (client, wrong) => client.report(wrong), { finl: true }, "final"],
    ["expectReceived()", expectPayins, ...TIMEOUT],
    [
      "next()",
      async (client, wrong) => (await client.receiver()).next(undefined, wrong),
      ...TIMEOUT,
    ],
  ])("refuses a misspelled member of %s", async (caller, call, wrong, meant) => {
    const [name] = Object.keys(wrong);
    await expect(call(sandbox, wrong as never)).rejects.toThrow(
      new TypeError(`Unknown member "${name}" of ${caller}. Did you mean "${meant}"?`),
    );
  });

  it("names the members of payins.create() if none is similar", async () => {
    const wrong = { valor: 10 } as object;
    await expect(sandbox.payins.create(wrong)).rejects.toThrow(
      'Unknown member "valor" of payins.create(). Use value, description, ',
    );
  });

  it("pays a charge by its code", async () => {
    for (const client of [createClient({ baseUrl: sandbox.url }), sandbox]) {
      const { id, qrCode } = await client.payins.create();
      expect(await client.payins.payCode(qrCode)).toMatchObject({ id, status: "paid" });
      await expect(client.payins.payCode("0002")).rejects.toMatchObject({ status: 400 });
    }
  });

  it("sees its token's records, and without a token all records", async () => {
    const { url } = sandbox;
    const shop = createClient({ baseUrl: url, headers: { "x-api-token": "my-shop" } });
    const other = createClient({ baseUrl: `${url}/`, headers: { "x-api-token": "other-shop" } });
    const everyone = createClient({ baseUrl: `${url}/v1/` });
    const payin = await shop.payins.create();
    const { integration } = await everyone.payins.create();

    expect(integration).toBe("sandbox");
    await expect(other.payins.get(payin.id)).rejects.toMatchObject({ status: 404 });
    expect(await everyone.payins.list()).toHaveLength(2);
    expect(await everyone.integration("my-shop").payins.list()).toHaveLength(1);
    await everyone.payins.simulate(payin.id);
    expect(await shop.payins.get(payin.id)).toMatchObject({ status: "completed" });
  });

  it("carries its headers in each call, and a key of its own in each that creates", async () => {
    await sandbox.assumptions.change({ credentials: "listed" });
    const stranger = createClient({
      baseUrl: sandbox.baseUrl,
      headers: { "x-api-token": "listed" },
    });
    await expect(stranger.payins.create()).rejects.toMatchObject({ code: "NO_ACTIVE_CREDENTIAL" });

    const headers = new Headers(sandbox.headers("listed"));
    headers.set("x-provider", "Loja");
    const client = createClient({ baseUrl: sandbox.baseUrl, headers });
    const [one, other] = [await client.payins.create(), await client.payins.create()];
    expect(one.id).not.toBe(other.id);
    const key = { idempotencyKey: "order-1" };
    const first = await client.payins.create({}, key);
    expect(await client.payins.create({}, key)).toEqual(first);
    expect(client.headers()).toMatchObject({ "x-api-token": "listed", "x-provider-id": "17" });
    const requests = await client.requests.list();
    expect(requests.at(-1)?.headers).toMatchObject({ "x-provider": "Loja" });
  });

  it("sends the given headers with each call, and its own with those of a call", async () => {
    const received: IncomingHttpHeaders[] = [];
    const server = createServer((request, response) => {
      received.push(request.headers);
      response.setHeader("content-type", "application/json").end('{"data":[],"next":null}');
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const client = createClient({
      baseUrl: `http://127.0.0.1:${port}`,
      headers: { authorization: "Basic eA==", "X-Api-Token": "my-shop" },
    });
    await client.payins.list();
    await client.integration("other").payins.list();
    server.close();
    expect(received).toMatchObject([
      { authorization: "Basic eA==", "x-api-token": "my-shop" },
      { authorization: "Basic eA==", "x-api-token": "other" },
    ]);
  });

  it("names one more address for webhooks", async () => {
    const shop = sandbox.integration("my-shop");
    await expect(shop.webhooks.configuration()).rejects.toBeInstanceOf(SandboxError);
    const configuration = { webhookUrl: `${merchant.url}/all`, events: ["payment.received"] };
    const client = createClient({
      baseUrl: sandbox.baseUrl,
      headers: { "x-api-token": "my-shop" },
    });
    expect(
      await client.webhooks.configure({
        webhookUrl: `${merchant.url}/all`,
        events: ["payment.received"],
      }),
    ).toEqual(configuration);
    expect(await shop.webhooks.configuration()).toEqual(configuration);

    const payin = await client.payins.create({ webhookUrl: merchant.url });
    await client.payins.pay(payin.id);
    const { url } = await client.webhooks.waitFor({ type: "payment.received" });
    expect(url).toBe(configuration.webhookUrl);
  });

  it("names the address that does not respond, and what to do", async () => {
    const gone = await startSandbox();
    await gone.close();
    const client = createClient({ baseUrl: gone.baseUrl });
    await expect(client.payins.list()).rejects.toThrow(
      `No sandbox responds at ${gone.url}; "npx pix-sandbox serve" starts one.`,
    );
  });

  it("refuses an invalid address", () => {
    for (const baseUrl of [...ADDRESSES, null as unknown as string])
      expect(() => createClient({ baseUrl })).toThrow(
        /^Invalid baseUrl .*\. Use an address such as/,
      );
    expect(createClient().baseUrl).toBe("http://127.0.0.1:7490/v1");
  });

  it("takes an address as it may be written", () => {
    const { url } = sandbox;
    for (const baseUrl of [`${url}/v1//`, url.toUpperCase(), url.replace("//", ""), new URL(url)])
      expect(createClient({ baseUrl: baseUrl as string })).toMatchObject({ url });
    const behind = createClient({ baseUrl: `${url}/gateway/v1/` });
    expect(behind).toMatchObject({ url: `${url}/gateway`, baseUrl: `${url}/gateway/v1` });
  });

  it("refuses an unknown option, and a token that would select all integrations", () => {
    const wrong = { baseURL: sandbox.url } as object;
    expect(() => createClient(wrong)).toThrow(
      'Unknown member "baseURL" of createClient(). Did you mean "baseUrl"?',
    );
    expect(() => createClient(sandbox.url as unknown as ClientOptions)).toThrow(
      "createClient() takes an object with baseUrl, headers, controlToken, not",
    );
    for (const token of ["", " "])
      expect(() => createClient({ headers: { "x-api-token": token } })).toThrow(
        "A token is a text",
      );
  });
});

const ADDRESSES = [
  "127.0.0.1:7490",
  "",
  "/v1",
  "http://",
  "ftp://127.0.0.1",
  "http://127.0.0.1/v1?shop=1",
  "http://127.0.0.1/#v1",
  "http://user:word@127.0.0.1",
];
