import { afterEach, describe, expect, it } from "vitest";
import {
  type ArrivedWebhook,
  type WebhookResponse,
  WebhookServer,
  type WebhookServerOptions,
} from "../../src/webhook-diagnosis/webhook-server.ts";
import { headersOf, signBody } from "../../src/play/hand-made-webhook.ts";

const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3";
const BODY = '{"id":"evt_1","type":"payin.paid","data":{"id":"42","value":10.5}}';
const opened: WebhookServer[] = [];

afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

async function open(options: Partial<WebhookServerOptions> = {}) {
  const seen: [ArrivedWebhook, WebhookResponse][] = [];
  const server = await WebhookServer.open({
    secret: SECRET,
    onWebhook: (...one) => void seen.push(one),
    ...options,
  });
  opened.push(server);
  const send = (body = BODY, headers: Record<string, string> = {}) =>
    fetch(server.url, { method: "POST", body, headers });
  return { server, send, seen };
}

describe("a webhook server", () => {
  it("reads a valid webhook", async () => {
    const { server, send, seen } = await open();
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/webhooks$/);
    const headers = headersOf(signBody("evt_1", BODY, SECRET));
    expect((await send(BODY, headers)).status).toBe(200);
    expect(seen).toMatchObject([
      [
        {
          id: "evt_1",
          type: "payin.paid",
          transactionId: "42",
          data: { id: "42", value: 10.5 },
          body: JSON.parse(BODY) as unknown,
          rawBody: BODY,
          headers,
          flaw: null,
        },
        200,
      ],
    ]);
  });

  it("names the flaw of an invalid one, and reads what it has", async () => {
    const { send, seen } = await open();
    const nothing = { id: "", type: "", transactionId: "", data: {}, flaw: { isValid: false } };
    for (const body of ["no JSON", "null", '{"type":1,"data":null}', '{"data":{"id":7}}', "{}"])
      await send(body);
    expect(seen).toMatchObject([
      [{ ...nothing, body: undefined, rawBody: "no JSON" }, 200],
      [{ ...nothing, body: null }, 200],
      [nothing, 200],
      [{ ...nothing, data: { id: 7 } }, 200],
      [nothing, 200],
    ]);
  });

  it("responds as it is set, and repeats the last response", async () => {
    const { server, send, seen } = await open();
    server.respondWith([500, "nothing", 204]);
    expect((await send()).status).toBe(500);
    await expect(send()).rejects.toThrow("fetch failed");
    expect([(await send()).status, (await send()).status]).toEqual([204, 204]);
    expect(seen.map(([, response]) => response)).toEqual([500, "nothing", 204, 204]);
  });

  it("responds as it chooses for each webhook", async () => {
    const { server, send } = await open({
      respond: ({ rawBody }) => Promise.resolve(Number(rawBody)),
    });
    server.respondWith([500]);
    expect([(await send("201")).status, (await send("418")).status]).toEqual([201, 418]);
  });

  it("accepts POST only, over one connection for each", async () => {
    const { server, send, seen } = await open();
    const response = await fetch(server.url);
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    expect(seen).toEqual([]);
    expect((await send()).headers.get("connection")).toBe("close");
  });
});
