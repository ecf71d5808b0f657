import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import http from "node:http";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toSafeText } from "../../../src/text/plain/safe-text.ts";
import { type Sandbox, startSandbox } from "../../../src/index.ts";
import { startBrowser, type TestBrowser } from "../../support/browser.ts";
import { BUYER, RECEIVER } from "../../support/calls.ts";
import { readTrace } from "../../support/trace.ts";
import { createFolder } from "../../support/folder.ts";
import { type Merchant, startMerchant } from "../../support/merchant.ts";
import { PANES } from "../../../src/inspector/state/place.ts";

/** Text that would do something if a page took it for markup, for an address or for directions of writing. */
const HOSTILE =
  `"><img src=x onerror=alert(1)></script><script>alert(2)</script>'\`<a href="javascript:alert(3)">` +
  "\u202egnp.exe\u202c \u2066iso\u2069 zero\u200bwidth\ufeff __proto__";
/** The same in fewer characters. */
const SHORT =
  "\"><img src=x onerror=alert(1)></script>' \u202egnp.exe\u202c zero\u200bwidth\ufeff \u0007\u001b[31m";
/** The same with characters that no header can have. */
const WORSE = `${HOSTILE}\u0007\u001b[31m\u0000\u2028\r\n`;
const LONG = `${HOSTILE} ${"long ".repeat(20_000)}`;
/** The same as a part of an address, which has no blanks. */
const PATH = HOSTILE.replace(/\s/g, "+");
/** The same as a header has it: each byte of UTF-8 is a character. */
const HOSTILE_BYTES = Buffer.from(HOSTILE).toString("latin1");
const PROTO = JSON.parse('{"__proto__":"text"}') as Readonly<Record<string, string>>;
const JAVASCRIPT = "javascript:alert(document.domain)//";
const CPF = "52998224725";
const PATIENCE = { timeout: 120_000 };

let browser: TestBrowser;
let merchant: Merchant;
let sandbox: Sandbox;
beforeAll(async () => {
  merchant = await startMerchant({
    answer: (_received, index) =>
      index % 2 === 0
        ? { status: 302, headers: { location: JAVASCRIPT }, body: WORSE }
        : { status: 500, headers: { "content-type": "text/html" }, body: LONG },
  });
  sandbox = await startSandbox({
    seed: "1",
    clock: "frozen",
    assumptions: { "webhook.retries": "none" },
  });
  await fill();
  browser = await startBrowser();
}, 60_000);
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await sandbox?.close();
  await merchant?.[Symbol.asyncDispose]();
});

interface Sent {
  readonly status: number;
  readonly text: string;
}

/** A gateway call. The header's bytes are UTF-8; the path and the body are sent as they are. */
async function send(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Sent> {
  const request = http.request(sandbox.url, {
    method: "POST",
    path,
    headers: {
      "content-type": "application/json",
      "x-api-token": HOSTILE_BYTES,
      "x-provider": HOSTILE_BYTES,
      "x-provider-id": HOSTILE_BYTES,
      "x-country-code": "BR",
      "x-idempotency-key": `${HOSTILE_BYTES} ${Math.random()}`,
      "user-agent": HOSTILE_BYTES,
      referer: JAVASCRIPT,
      ...headers,
    },
  });
  // Bytes: Node would write a text's encoding over the headers too.
  request.end(Buffer.from(typeof body === "string" ? body : JSON.stringify(body)));
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode ?? 0, text };
}

const ids: Record<"payins" | "payouts", string[]> = { payins: [], payouts: [] };

/** Sends hostile text in everything that a caller can set. */
async function fill(): Promise<void> {
  const hook = `${merchant.url}/${PATH}?q=${PATH}`;
  const address = "<img/src=x>".replace(/[<>]/g, "'");
  const create = async (kind: "payins" | "payouts", body: object): Promise<void> => {
    const { status, text } = await send(`/v1/${kind}`, body);
    if (status !== 200) throw new Error(text);
    ids[kind].push((JSON.parse(text) as { id: string }).id);
  };
  const payin = { ...BUYER, buyer_cpf: CPF, webhook_url: hook };
  const payout = { ...RECEIVER, webhook_url: hook };
  await create("payins", { ...payin, buyer_name: WORSE, description: SHORT });
  await create("payins", { ...payin, buyer_name: LONG, description: "á".repeat(140) });
  await create("payins", {
    ...payin,
    buyer_name: JAVASCRIPT,
    description: JAVASCRIPT,
    buyer_email: `${address}@example.com`,
  });
  await create("payins", { ...payin, buyer_name: "__proto__", description: "__proto__" });
  await create("payouts", {
    ...payout,
    receiver_name: WORSE,
    receiver_email: `${address}@example.com`,
    pix_key: `${address}@example.com`,
    pix_key_type: "email",
  });
  await create("payouts", { ...payout, receiver_name: LONG, receiver_cpf: "11144477735" });
  await sandbox.faults.add({
    on: "payins.simulate",
    effect: `patch_body=${JSON.stringify({ description: WORSE })}`,
  });
  for (const id of ids.payins.slice(0, 3)) await sandbox.payins.pay(id);
  for (const id of ids.payouts) await sandbox.payouts.complete(id).catch(() => undefined);
  await sandbox.settled();

  const refused = [
    send(
      `/v1/payins/${HOSTILE.replace(/[^!-~]/g, encodeURIComponent)}?q=${encodeURIComponent(WORSE)}`,
      {},
    ),
    send(`/v1/__proto__?x=<script>alert(1)</script>`, {}),
    send("/v1/payins", WORSE),
    send("/v1/payins", LONG),
    send(
      "/v1/payins",
      `{"__proto__":{"x":1},"constructor":${JSON.stringify(WORSE)},"value":"<b>"}`,
    ),
    send("/v1/payins", { ...payin, [HOSTILE]: WORSE, buyer_email: WORSE, value: HOSTILE }),
    send("/v1/payins", { ...payin, webhook_url: JAVASCRIPT, generate_qrcode: HOSTILE }),
    send("/v1/payins", payin, { "content-type": HOSTILE_BYTES }),
    send(
      "/v1/payins",
      { value: WORSE },
      { ...PROTO, "x-'`|": "1", "x-country-code": HOSTILE_BYTES },
    ),
    send("/v1/payouts", { ...payout, pix_key: WORSE, pix_key_type: HOSTILE }),
  ];
  for (const { status } of await Promise.all(refused)) expect(status).toBeGreaterThanOrEqual(400);

  const shop = sandbox.integration(HOSTILE_BYTES);
  await shop.faults.add({
    on: "payins.create",
    effect: "error=EXTERNAL_ERROR",
    match: { buyer_name: WORSE, ["__proto__"]: HOSTILE, description: JAVASCRIPT },
  });
  await sandbox.faults.add({ on: "payouts.create", effect: "hold", times: 1 });
  // Two calls that wait: one of them is released by its key.
  held = [send("/v1/payouts", payout), send("/v1/payouts", payout)];
  await shop.snapshot("before");
  await sandbox.assumptions.change({ "webhook.timeout_seconds": 3 });
}

let held: Promise<Sent>[] = [];

/** What hostile text has done to a page: elements, attributes, addresses and characters that should not be there. */
async function findDamage(page: Page): Promise<readonly string[]> {
  const { damage, texts } = (await page.evaluate(`(() => {
    const damage = [];
    const texts = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    // The data of a trace is in an element that is not shown.
    while (walker.nextNode())
      if (walker.currentNode.parentNode.localName !== "script") texts.push(walker.currentNode.data);
    for (const one of document.querySelectorAll("*")) {
      const { localName } = one;
      const isOurs = one.matches("body > :is(#trace, #worker, script[type=module])") ||
        document.head.contains(one) && /inspector|^$/.test(one.getAttribute("src") ?? "") ||
        // The script of the payer's page; the policy allows no other.
        one.matches("body > script:last-child") && one.text.startsWith('\\nconst copy = document.querySelector("[data-copied]");');
      if (["script", "iframe", "object", "embed", "base"].includes(localName) && !isOurs)
        damage.push(one.outerHTML);
      // A code that is not drawn yet has no source.
      if (localName === "img" && one.hasAttribute("src") && !one.src.startsWith("data:image/png;") && !one.src.startsWith("blob:") &&
          !one.src.startsWith(location.origin + "/_sandbox/qr.svg?text=")) damage.push(one.outerHTML);
      for (const { name, value } of one.attributes) {
        if (name.startsWith("on") || name === "style" && /url|expression/.test(value)) damage.push(one.outerHTML);
        if (["href", "src", "action", "formaction"].includes(name) &&
            !["http:", "https:", "data:", location.protocol, localName === "img" && "blob:"].includes(new URL(value, location.href).protocol)) damage.push(one.outerHTML);
        if (["title", "aria-label", "alt", "placeholder"].includes(name)) texts.push(value);
      }
    }
    for (const one of document.querySelectorAll(".sheet, .detail-side, .viewport, dialog"))
      if (one.scrollWidth > one.clientWidth + 1) damage.push(one.className + " scrolls sideways");
    if ({}.x !== undefined || {}.description !== undefined) damage.push("Object.prototype has changed");
    return { damage, texts };
  })()`)) as { damage: string[]; texts: string[] };
  const unsafe = texts.flatMap((text) => {
    const safe = toSafeText(text);
    if (safe === text) return [];
    let at = 0;
    while (safe[at] === text[at]) at++;
    return [`unsafe text: ${JSON.stringify(text.slice(Math.max(0, at - 60), at + 20))}`];
  });
  return [...damage.map((html) => html.slice(0, 200)), ...unsafe];
}

async function show(page: Page, fragment: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
  await page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
  );
}

const openDetails = (page: Page): Promise<void> =>
  page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");

describe("hostile text", PATIENCE, () => {
  it("is only text in every pane and every record", async () => {
    await using opened = await browser.open(`${sandbox.url}/_sandbox/`);
    const { page, problems } = opened;
    await page.locator(".live-mark.live").waitFor();
    const webhooks = (await sandbox.webhooks.list()).map(({ id }) => `webhooks/${id}`);
    const requests = (await sandbox.requests.list()).map(({ id }) => `requests/${id}`);
    const records = [
      ...ids.payins.map((id) => `payins/${id}`),
      ...ids.payouts.map((id) => `payouts/${id}`),
    ];
    expect(webhooks.length).toBeGreaterThan(3);
    expect(requests.length).toBeGreaterThan(12);
    const damage: string[] = [];
    for (const place of [...PANES, ...records, ...webhooks, ...requests]) {
      await show(page, `#/${place}`);
      await page
        .locator(place.includes("/") ? ".detail-side .facts" : "[data-testid=row]")
        .first()
        .waitFor();
      await openDetails(page);
      await page.evaluate(
        "for (const one of document.querySelectorAll('.body > button:not(.copy)')) one.click()",
      );
      for (const one of await findDamage(page)) damage.push(`${place}: ${one}`);
    }
    expect(damage).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("is only text in a trace", async () => {
    await using folder = await createFolder();
    const file = folder.at("trace.html");
    const html = await (await sandbox.fetch("/_sandbox/trace")).text();
    await writeFile(file, html);
    const { rows } = readTrace(html);
    await using opened = await browser.open(pathToFileURL(file).href, { offline: true });
    const { page, problems } = opened;
    const webhooks = rows["/deliveries"].map(({ id }) => `webhooks/${id}`);
    const requests = rows["/requests"].map(({ id }) => `requests/${id}`);
    const payins = rows["/payins"].map(({ id }) => `payins/${id}`);
    expect(payins.length).toBeGreaterThan(2);
    expect(webhooks.length).toBeGreaterThan(1);
    expect(requests.length).toBeGreaterThan(5);
    const damage: string[] = [];
    await page.locator('html[data-ready="true"]').waitFor();
    for (const place of [...PANES, ...payins, ...webhooks, ...requests]) {
      await show(page, `#/${place}`);
      if (place.includes("/")) await page.locator(".detail-side .facts").first().waitFor();
      await openDetails(page);
      for (const one of await findDamage(page)) damage.push(`${place}: ${one}`);
    }
    expect(damage).toEqual([]);
    expect(problems).toEqual([]);

    // The policy lets nothing reach another origin.
    await page.evaluate(`(() => {
      new Image().src = "https://evil.example/image";
      const script = document.createElement("script");
      script.src = "https://evil.example/script.js";
      document.body.append(script);
      const frame = document.createElement("iframe");
      frame.src = "https://evil.example/frame";
      document.body.append(frame);
      navigator.sendBeacon("https://evil.example/beacon", "1");
      new WebSocket("wss://evil.example/socket");
    })()`);
    const refused = (): string[] =>
      problems.filter((one) => one.startsWith("policy: ")).map((one) => one.split(" ")[1] ?? "");
    await expect
      .poll(() => refused().toSorted())
      .toEqual(["connect-src", "connect-src", "frame-src", "img-src", "script-src-elem"]);
  });

  it("is shown as it was sent, and invisible characters as escapes", async () => {
    await using opened = await browser.open(`${sandbox.url}/_sandbox/#/payins/${ids.payins[0]}`);
    const { page, problems } = opened;
    const facts = page.locator(".detail-side .detail-head");
    await facts
      .getByText("<img src=x onerror=alert(1)></script><script>alert(2)</script>")
      .first()
      .waitFor();
    await facts
      .getByText("\\u202egnp.exe\\u202c \\u2066iso\\u2069 zero\\u200bwidth\\ufeff")
      .first()
      .waitFor();
    await facts.getByText("\\u0007\\u001b[31m\\u0000\\u2028").first().waitFor();
    expect(problems).toEqual([]);
  });

  it("is only text in questions, filters and failures", async () => {
    await using opened = await browser.open(`${sandbox.url}/_sandbox/#/webhooks`);
    const { page, problems } = opened;
    await page.locator(".live-mark.live").waitFor();
    await page.getByTestId("integration").selectOption({ index: 1 });
    expect(await page.getByTestId("integration").inputValue()).toBe(HOSTILE);
    await page.locator(".live-mark.live").waitFor();
    await page.getByTestId("row").first().waitFor();
    await page.getByTestId("bulk").locator(".buttons button").first().click();
    await page.getByTestId("question").waitFor();
    expect(await findDamage(page)).toEqual([]);
    await page.keyboard.press("Escape");
    const damage: string[] = [];
    for (const pane of ["snapshots", "faults", "assumptions", "payins"]) {
      await show(page, `#/${pane}`);
      await openDetails(page);
      for (const one of await findDamage(page)) damage.push(`${pane}: ${one}`);
    }
    expect(damage).toEqual([]);
    await show(page, "#/snapshots");
    await page.locator("section.add .buttons button").first().click();
    await page.getByTestId("question").waitFor();
    expect(await findDamage(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await show(
      page,
      `#/payins/${encodeURIComponent(HOSTILE)}?q=${encodeURIComponent(HOSTILE)}&status=${encodeURIComponent(HOSTILE)}`,
    );
    await page.getByTestId("not-found").waitFor();
    expect(await findDamage(page)).toEqual([]);
    expect(problems.filter((problem) => !problem.includes("404"))).toEqual([]);
  });

  it("is only text in the payer's page", async () => {
    await using opened = await browser.open(`${sandbox.url}/_sandbox/pay/unknown`);
    const { page, problems } = opened;
    const damage: string[] = [];
    for (const id of ids.payins) {
      await page.goto(`${sandbox.url}/_sandbox/pay/${id}`);
      await page.getByTestId("pay-status").waitFor();
      damage.push(...(await findDamage(page)));
    }
    expect(damage).toEqual([]);
    expect(problems.filter((problem) => !problem.includes("404"))).toEqual([]);
  });

  it("leaves personal data out of all addresses", async () => {
    await using opened = await browser.open(`${sandbox.url}/_sandbox/`);
    const { page } = opened;
    const sent: string[] = [];
    page.on("request", (request) => {
      sent.push(request.url(), request.headers()["referer"] ?? "");
    });
    await page.getByRole("link", { name: "Payins", exact: true }).click();
    await page.getByTestId("search").fill(CPF);
    await page
      .getByTestId("row")
      .first()
      .click({ position: { x: 5, y: 5 } });
    await page.getByTestId("detail-id").waitFor();
    await page.reload();
    await page.getByTestId("detail-id").waitFor();
    await page.getByTestId("search").fill("Maria da Silva");
    await page.getByTestId("integration").selectOption({ index: 1 });
    await page.locator(".live-mark.live").waitFor();
    expect(page.url()).toContain("Maria");
    expect(sent.length).toBeGreaterThan(15);
    // A QR code's text names the merchant, and nobody else.
    const isDrawing = (url: string): boolean => url.includes("/_sandbox/qr.svg?text=");
    const all = decodeURIComponent(sent.join("\n").replaceAll("%", "%25"));
    expect(all).not.toContain(CPF);
    expect(all).not.toMatch(/maria/i);
    expect(sent.filter((url) => !isDrawing(url)).join("\n")).not.toMatch(/onerror/i);
  });

  it("ends the calls that were held", async () => {
    await sandbox.faults.clear();
    for (const { status } of await Promise.all(held)) expect(status).toBe(200);
  });
});
