import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/server/start.ts";
import payinRequest from "../../fixtures/requests/payin.json" with { type: "json" };
import { type Answer, call, control, type Json } from "../support/gateway.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ publicUrl: "https://pix.shop.example" });
});
afterAll(() => sandbox.close());

async function createPayin(members: Json = {}, provider = "Padaria Central"): Promise<string> {
  const { json } = await call(sandbox, {
    path: "/v1/payins",
    headers: { "x-provider": provider },
    body: { ...payinRequest, ...members },
  });
  return (json as { id: string }).id;
}

type Headers = Readonly<Record<string, string>>;

const page = (place: string, own: Headers, request: object): Promise<Answer> => {
  const headers = { "x-api-token": undefined, ...own };
  return call(sandbox, { path: `/_sandbox/pay/${place}`, headers, ...request });
};

const open = (place: string, headers: Headers = {}, method = "GET") =>
  page(place, headers, { method });

function press(id: string, body: string, headers: Headers = {}): Promise<Answer> {
  const host = `127.0.0.1:${sandbox.port}`;
  const form = { "content-type": "application/x-www-form-urlencoded" };
  return page(id, { ...form, host, origin: `http://${host}`, ...headers }, { body });
}

async function statusOf(id: string): Promise<unknown> {
  return (await control(sandbox, undefined, `GET /payins/${id}`))["status"];
}

const move = (id: string, name: string): Promise<Json> =>
  control(sandbox, undefined, `POST /payins/${id}/${name}`);

describe("the payer's page", { timeout: 60_000 }, () => {
  it("shows who is paid, how much, until when, and the code", async () => {
    const id = await createPayin({ description: "Order 42" });
    const { status, text } = await open(id);
    expect(status).toBe(200);
    for (const shown of ["Padaria Central", "R$10.50", "Order 42"]) expect(text).toContain(shown);
    expect(text).toMatch(/>(4:00|3:5\d)</);
    const { qr_code: code } = await control(sandbox, undefined, `GET /payins/${id}`);
    expect(text).toContain(String(code));
    expect(text).toContain("no money moves");
    expect(text.match(/<h1/g)).toHaveLength(1);
  });

  it.each([
    ["pay", "paid", "Paid"],
    ["expire", "expired", "Expired"],
    ["cancel", "canceled", "Canceled"],
  ])("shows a charge after %s", async (name, status, word) => {
    const id = await createPayin();
    await move(id, name);
    const { text } = await open(`${id}?notice=declined`);
    expect(text).toContain(`data-status="${status}"`);
    expect(text).toMatch(new RegExp(`>\\s*${word}\\s*<`));
    expect(text).not.toMatch(/<form|<script|pay-countdown|pay-notice|pay-code/);
    expect(/E\d{8}\d{12}\w{11}/.test(text), "a receipt").toBe(status === "paid");
  });

  it("pays, declines and expires", async () => {
    const id = await createPayin();
    const declined = await press(id, "action=decline");
    expect([declined.status, declined.headers["location"]]).toEqual([303, `${id}?notice=declined`]);
    expect(await statusOf(id)).toBe("waiting");
    expect((await open(`${id}?notice=declined`)).text).toContain("You declined.");

    const paid = await press(id, "action=pay");
    expect([paid.status, paid.headers["location"]]).toEqual([303, id]);
    expect(await statusOf(id)).toBe("paid");

    const late = await createPayin();
    await press(late, "action=expire");
    expect(await statusOf(late)).toBe("expired");
  });

  it("shows the status of a charge that was final before a button was pressed", async () => {
    const id = await createPayin();
    await move(id, "cancel");
    expect(await press(id, "action=pay")).toMatchObject({ status: 303 });
    expect(await statusOf(id)).toBe("canceled");
  });

  it("changes nothing for another action, or for a GET", async () => {
    const id = await createPayin();
    for (const body of ["", "action=", "action=steal", "pay=1"])
      expect(await press(id, body)).toMatchObject({
        status: 400,
        text: expect.stringContaining("pay-notice"),
      });
    await open(`${id}?action=pay`);
    expect(await open(id, {}, "HEAD")).toMatchObject({ status: 200, text: "" });
    expect(await statusOf(id)).toBe("waiting");
  });

  it.each([
    ["another origin", { origin: "https://evil.example" }],
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["another host", { host: "evil.example", origin: "http://evil.example" }],
  ])("refuses a button of %s", async (_name, headers) => {
    const id = await createPayin();
    expect(await press(id, "action=pay", headers)).toMatchObject({ status: 403 });
    expect(await statusOf(id)).toBe("waiting");
  });

  it("refuses another host, and accepts the one of the public URL", async () => {
    const id = await createPayin();
    expect(await open(id, { host: "evil.example" })).toMatchObject({ status: 403 });
    expect(await open(id, { host: "pix.shop.example" })).toMatchObject({ status: 200 });
    const headers = { host: "pix.shop.example", origin: "https://pix.shop.example" };
    expect(await press(id, "action=pay", headers)).toMatchObject({ status: 303 });
  });

  it("is found by a whole id only", async () => {
    const id = await createPayin();
    for (const place of [id.slice(0, -1), "nothing", "%3Cscript%3E", "last"]) {
      const { status, headers, text } = await open(place);
      const type = headers["content-type"];
      expect([place, status, type]).toEqual([place, 404, "text/html; charset=utf-8"]);
      expect(text).toContain('data-status="unknown"');
      expect(text).not.toMatch(/<script|<form/);
    }
    expect(await press("nothing", "action=expire")).toMatchObject({ status: 303 });
  });

  it("shows text from outside as text, and makes invisible characters visible", async () => {
    const hostile = `"><script>alert(1)</script>' onload=alert(1) </textarea>&amp;\u202egnp.exe\u200b\u0007`;
    const id = await createPayin({ description: hostile }, `<img src=x onerror=alert(1)>`);
    const { text } = await open(id);
    expect(text).not.toContain("<script>alert");
    expect(text).not.toContain("<img src=x");
    for (const invisible of ["\u202e", "\u200b", "\u0007"]) expect(text).not.toContain(invisible);
    expect(text).toContain("&#60;script&#62;alert(1)&#60;/script&#62;");
    expect(text).toContain("\\u202egnp.exe\\u200b\\u0007");
    expect(text.match(/<\/textarea/g)).toHaveLength(1);
  });

  it("runs and loads nothing but its own, and shows nothing of the buyer", async () => {
    const id = await createPayin();
    const { headers, text } = await open(id);
    // test/platform/html has the rest of the policy.
    const policy = headers["content-security-policy"] ?? "";
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+';.* form-action 'self';/);
    expect(policy).not.toMatch(/unsafe|connect-src/);
    expect(text).not.toMatch(/ style=| on\w+=|https?:/);
    for (const personal of ["12345678909", "Maria", "maria.silva"])
      expect(text).not.toContain(personal);
  });

  it("explains a frozen clock, and does not count down then", async () => {
    await using frozen = await startSandbox({ clock: "frozen" });
    const { json } = await call(frozen, { path: "/v1/payins", body: payinRequest });
    const { id } = json as { id: string };
    const { text } = await call(frozen, { method: "GET", path: `/_sandbox/pay/${id}` });
    expect(text).toContain("The sandbox&#39;s clock is frozen.");
    expect(text).toContain('data-mode="frozen"');
    expect(text).not.toContain("setInterval");
  });
});
