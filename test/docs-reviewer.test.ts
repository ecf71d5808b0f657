import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { WireReview } from "../src/review/report.ts";
import { RULE_IDS, type RuleId } from "../src/review/rules.ts";
import { type Payout, type Sandbox, startSandbox } from "../src/index.ts";
import { headersOf, OLD_S, signBody } from "../src/play/hand-made-webhook.ts";
import { writeUnusually } from "../src/play/unusual-json.ts";
import { callsTo, RECEIVER } from "./support/calls.ts";
import { Page } from "./support/documents.ts";
import { createFolder } from "./support/folder.ts";
import { type Merchant, startMerchant, type WebhookBody } from "./support/merchant.ts";

type Answer = { readonly status: number; readonly body: { readonly id: string } };
type Gateway = (path: string, key: string, body: object) => Promise<Answer>;
type Headers = Readonly<Record<string, string>>;
interface Order {
  readonly status: string;
  readonly transactionId: string;
}

/** The functions of the page, as far as the tests call them. */
interface Shown {
  /** The names of those that have run. */
  readonly ran: ReadonlySet<string>;
  chargeFor(order: object): { readonly key: string; readonly body: object };
  receiveWebhook(db: object, queue: object, webhook: object): Promise<number>;
  respond(response: http.ServerResponse): void;
  checkAddress(url: string): Promise<void>;
  webhookUrlOf(order: object): string;
  receive(db: object, webhook: object): Promise<number>;
  receiveEarly(db: object, webhook: object): number;
  isTrusted(headers: Headers): boolean;
  isVerified(rawBody: Buffer, headers: Headers, secret: string): boolean;
  readRaw(request: http.IncomingMessage): Promise<Buffer>;
  orderOf(db: object, webhook: object): object | undefined;
  sendRefund(db: object, gateway: Gateway, refund: object): Promise<{ id: string }>;
  refundOnce(db: object, gateway: Gateway, order: object): Promise<number>;
  withPauses(call: () => Promise<Response>, pauseMs?: number): Promise<Response>;
  requestAgain(db: object, gateway: Gateway, canceled: { id: string }): Promise<void>;
  retryUnknown(db: object, gateway: Gateway): Promise<void>;
  checkout(gateway: Gateway, order: object): Promise<string>;
  currentCharge(db: object, gateway: Gateway, order: object): Promise<string>;
  resendFailed(url: string, token: string): Promise<void>;
  onPayoutEnd(db: object, gateway: Gateway, webhook: object): Promise<number>;
  isGenuine(rawBody: Buffer, headers: Headers, secret: string): boolean;
  verified(rawBody: Buffer, headers: Headers, secret: string): { status: number };
  isRecent(headers: Headers): boolean;
  creditOnce(db: object, webhook: object): Promise<void>;
  nextState(current: object, event: object): { status: string };
  isPaidInFull(order: object, webhook: object): boolean;
  onPaid(order: Order, webhook: object): Order;
  storePayment(db: object, webhook: object): Promise<number>;
  dispatch(webhook: object): Promise<number>;
}

describe("docs/reviewer.md", async () => {
  const page = await Page.read("docs/reviewer.md");
  const blocks = RULE_IDS.map(() => page.take("js"));
  const functions = [...blocks.join("\n").matchAll(FUNCTION)].map(([, name = ""]) => name);
  let shown: Shown;
  let sandbox: Sandbox;
  let merchant: Merchant;
  let folder: Awaited<ReturnType<typeof createFolder>>;

  beforeAll(async () => {
    folder = await createFolder();
    sandbox = await startSandbox();
    merchant = await startMerchant();
    // Each function notes that it runs.
    const text = blocks
      .join("\n")
      .replaceAll(/^export /gm, "")
      .replaceAll(FUNCTION, (line, name: string) => `${line}\n  ran.add("${name}");`);
    await writeFile(
      folder.at("page.mjs"),
      `${text}\nconst ran = new Set();\nexport { ran, isTrusted, isVerified, ${functions.join(", ")} };\n`,
    );
    shown = (await import(/* @vite-ignore */ folder.at("page.mjs"))) as Shown;
  });
  afterEach(() => {
    merchant.answerWith(200);
  });
  afterAll(async () => {
    await sandbox.close();
    await merchant.close();
    await folder[Symbol.asyncDispose]();
  });

  const gatewayOf =
    (token: string): Gateway =>
    async (path, key, body) => {
      const response = await fetch(sandbox.baseUrl + path, {
        method: "POST",
        headers: {
          ...sandbox.headers(token),
          "content-type": "application/json",
          "x-idempotency-key": key,
        },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as Answer["body"] };
    };
  const verdictOf = async (
    token: string,
    id: RuleId,
    isFinal = false,
  ): Promise<string | undefined> => {
    const headers = { "x-api-token": token };
    const response = await sandbox.fetch(`/_sandbox/report?final=${isFinal}`, { headers });
    const { rules } = (await response.json()) as WireReview;
    return rules.find((rule) => rule.id === id)?.verdict;
  };
  const payout = { ...RECEIVER, webhook_url: "" };
  const charge = {
    value: 10.5,
    buyer_cpf: "12345678909",
    buyer_name: "Maria",
    buyer_email: "maria@example.com",
  };
  /** Creates and pays a charge, and waits for its webhooks. */
  const pay = async (token: string, url: string): Promise<void> => {
    const { body } = await callsTo(sandbox.url, token).createPayin({ webhook_url: url });
    await sandbox.integration(token).payins.pay(body.id);
    await sandbox.settled();
  };

  it("has one block for each rule, of at most ten lines of code", () => {
    expect(page.untaken).toEqual([]);
    for (const block of blocks) {
      const lines = block
        .split("\n")
        .filter((line) => /\w/.test(line) && !line.startsWith("import "));
      expect(lines.length).toBeLessThanOrEqual(10);
    }
  });

  it("repeats a payout with its key until it knows the outcome", async () => {
    const keys = new Map<string, string>();
    const db = {
      keyFor: (name: string, create: () => string) =>
        keys.set(name, keys.get(name) ?? create()).get(name),
    };
    const { faults, payouts } = sandbox.integration("refunds");
    await faults.add({ on: "payouts.create", effect: "lost_answer", times: 2 });
    const refund = { id: 1, payout: { ...payout, webhook_url: merchant.url } };
    const { id } = await shown.sendRefund(db, gatewayOf("refunds"), refund);
    expect(await payouts.get(id)).toMatchObject({ status: "waiting" });
    expect(await verdictOf("refunds", "payout_new_key_after_failure")).toBe("pass");
    expect(await verdictOf("refunds", "unknown_outcome_not_retried")).toBe("pass");
  });

  it("learns unknown outcomes in a job", async () => {
    const gateway = gatewayOf("job");
    const call = { path: "/payouts", key: "k", body: { ...payout, webhook_url: merchant.url } };
    const { faults } = sandbox.integration("job");
    await faults.add({ on: "payouts.create", effect: "lost_answer", times: 1 });
    await expect(gateway(call.path, call.key, call.body)).rejects.toThrow("fetch failed");
    expect(await verdictOf("job", "unknown_outcome_not_retried")).toBe("pending");
    const saved: unknown[] = [];
    const db = { callsWithoutOutcome: () => [call], saveOutcome: (key: string) => saved.push(key) };
    await shown.retryUnknown(db, gateway);
    expect(saved).toEqual(["k"]);
    expect(await verdictOf("job", "unknown_outcome_not_retried")).toBe("pass");
  });

  it("refunds an order once, however often it is asked to", async () => {
    const gateway = gatewayOf("once");
    const refund = { ...payout, description: "refund 17", webhook_url: merchant.url };
    const saved: string[] = [];
    const db = { saveRefund: async (_number: number, id: string) => saved.push(id) };
    for (let clicks = 0; clicks < 2; clicks++) {
      expect(await shown.refundOnce(db, gateway, { number: 17, refund })).toBe(200);
      const { payouts } = sandbox.integration("once");
      const [one] = await payouts.list();
      if (one?.status === "waiting") await payouts.complete(one.id);
    }
    expect(new Set(saved).size).toBe(1);
    expect(await verdictOf("once", "payout_created_twice")).not.toBe("warning");
    await gateway("/payouts", "another key", refund);
    expect(await verdictOf("once", "payout_created_twice")).toBe("warning");
  });

  it("pauses before it repeats a call", async () => {
    const repeat = (token: string, pauseMs: number) => {
      const call = (): Promise<Response> =>
        fetch(`${sandbox.baseUrl}/payouts`, {
          method: "POST",
          headers: {
            ...sandbox.headers(token),
            "content-type": "application/json",
            "x-idempotency-key": "k",
          },
          body: JSON.stringify({ ...payout, webhook_url: merchant.url }),
        });
      return shown.withPauses(call, pauseMs);
    };
    const effect = "error=EXTERNAL_ERROR";
    await sandbox.integration("calm").faults.add({ on: "payouts.create", effect, times: 2 });
    expect((await repeat("calm", 50)).status).toBe(200);
    expect(await verdictOf("calm", "retry_storm")).toBe("pass");
  });

  it("does not request a canceled payout for ever", async () => {
    const gateway = gatewayOf("again");
    const { payouts } = sandbox.integration("again");
    const request = { ...payout, description: "invoice 9", webhook_url: merchant.url };
    const made: string[] = [];
    const asked: string[] = [];
    const db = {
      invoiceOf: async () => ({ attempts: made.length, request }),
      askPerson: async (id: string) => void asked.push(id),
      hasWaitingPayout: async () => (await payouts.list({ status: "waiting" })).length > 0,
      insertPayoutOnce: async (id: string) => void made.push(id),
    };
    const { body } = await gateway("/payouts", "first", request);
    made.push(body.id);
    for (let rounds = 0; rounds < 8; rounds++) {
      const id = made.at(-1) ?? "";
      if ((await payouts.get(id)).status === "waiting") await payouts.cancel(id);
      await Promise.all([
        shown.requestAgain(db, gateway, { id }),
        shown.requestAgain(db, gateway, { id }),
      ]);
    }
    expect(new Set(made).size).toBeLessThanOrEqual(5);
    expect(asked.length).toBeGreaterThan(0);
    expect(await verdictOf("again", "cancel_loop")).toBe("pass");
  });

  it("creates one charge for a double click", async () => {
    const order = { number: 1, charge: { ...charge, webhook_url: merchant.url } };
    const codes = await Promise.all([1, 2].map(() => shown.checkout(gatewayOf("clicks"), order)));
    expect(codes[0]).toMatch(/^000201/);
    expect(codes[1]).toBe(codes[0]);
    expect(await verdictOf("clicks", "charge_created_twice")).not.toBe("warning");
  });

  it("charges an order again under a new key after its charge has expired", async () => {
    const gateway = gatewayOf("expired");
    const request = { ...charge, webhook_url: merchant.url, expiration: 60 };
    const order = { number: 1, attempt: 1, charge: request };
    const db = { nextAttempt: async () => 2 };
    const first = await shown.currentCharge(db, gateway, order);
    await sandbox.clock.advance({ minutes: 2 });
    await gateway("/payins", "order-1-1", request);
    expect(await verdictOf("expired", "key_reused_for_new_payin")).toBe("pending");
    const second = await shown.currentCharge(db, gateway, { ...order, expiresAt: 0 });
    expect(second).not.toBe(first);
    expect(await verdictOf("expired", "key_reused_for_new_payin")).toBe("pass");
  });

  it("resends failed webhooks", async () => {
    merchant.answerWith(410);
    const shop = sandbox.integration("down");
    const calls = callsTo(sandbox.url, "down");
    const { body } = await calls.createPayin({ webhook_url: merchant.url });
    await shop.payins.pay(body.id);
    await sandbox.settled();
    expect(await verdictOf("down", "webhook_never_received")).toBe("fail");
    merchant.answerWith(200);
    await shown.resendFailed(sandbox.url, "down");
    expect(await verdictOf("down", "webhook_never_received")).toBe("pass");
  });

  /** A merchant that owes invoices to one receiver, whose webhooks the page's function handles. */
  const owe = async (token: string, numbers: readonly number[]) => {
    const payouts: { readonly id: string; readonly invoice: number; status: string }[] = [];
    const gateway = gatewayOf(token);
    const requestOf = (number: number) => ({
      ...payout,
      description: `invoice ${number}`,
      webhook_url: merchant.url,
    });
    const unpaidInvoice = (number: number) => {
      const own = payouts.filter(({ invoice }) => invoice === number);
      const newest = own.at(-1);
      if (!newest || newest.status === "completed") return [];
      return { number, newest: { ...newest }, attempts: own.length, request: requestOf(number) };
    };
    const db = {
      saveStatus: async (id: string, status: string) => {
        const one = payouts.find((each) => each.id === id);
        return one && Object.assign(one, { status, receiver: payout.receiver_cpf });
      },
      unpaidInvoices: async () => numbers.flatMap(unpaidInvoice),
      insertPayoutOnce: async (id: string, invoice: number) => {
        if (!payouts.some((one) => one.id === id)) payouts.push({ id, invoice, status: "waiting" });
      },
    };
    merchant.answerWith(({ body }) =>
      shown.onPayoutEnd(db, gateway, JSON.parse(body) as WebhookBody),
    );
    for (const number of numbers) {
      const { body } = await gateway("/payouts", `invoice-${number}`, requestOf(number));
      await db.insertPayoutOnce(body.id, number);
    }
  };
  /** Ends each payout as often as another one follows, and lets each webhook be delivered. */
  const endAll = async (token: string, end: "complete" | "cancel"): Promise<readonly Payout[]> => {
    const { payouts } = sandbox.integration(token);
    for (let rounds = 0; rounds < 20; rounds++) {
      await sandbox.clock.advance({ minutes: 1 });
      const all = await payouts.list();
      const waiting = all.filter(({ status }) => status === "waiting");
      if (waiting.length === 0) return all;
      for (const { id } of waiting) await payouts[end](id);
    }
    throw new Error("The payouts have no end.");
  };

  it.each(["duplicate", "duplicate_at_once"] as const)(
    "pays two invoices to one receiver once each, although each webhook comes twice: %s",
    async (effect) => {
      await sandbox.integration(effect).faults.add({ on: "webhook", effect });
      await owe(effect, [1, 2]);
      const payouts = await endAll(effect, "complete");
      const results = payouts.map(({ description, status }) => [description, status]);
      expect(results).toEqual([
        ["invoice 1", "completed"],
        ["invoice 2", "canceled"],
        ["invoice 2", "completed"],
      ]);
      expect(await verdictOf(effect, "canceled_payout_ignored")).toBe("pass");
    },
  );

  it("pays no more if each payout is canceled, after five attempts", async () => {
    await owe("canceled", [1]);
    expect(await endAll("canceled", "cancel")).toHaveLength(5);
    // The person's decision is one that the reviewer cannot see.
    expect(await verdictOf("canceled", "canceled_payout_ignored", true)).not.toBe("warning");
  });

  it("verifies the raw bytes, and refuses what it must", async () => {
    const { secret } = sandbox;
    const before = merchant.received.length;
    const { id } = await sandbox.payins.create({ webhookUrl: merchant.url });
    await sandbox.payins.pay(id);
    const { headers, body } = (await merchant.waitFor(before + 1)).at(-1) ?? never();
    expect(shown.isGenuine(Buffer.from(body), headers, secret)).toBe(true);
    expect(shown.isGenuine(Buffer.from(`${body} `), headers, secret)).toBe(false);
    expect(shown.isGenuine(Buffer.from(body), {}, secret)).toBe(false);
    const webhook = { id: "evt_1", type: "payin.paid", created_at: "", data: { value: 10.5 } };
    for (const text of [JSON.stringify(webhook), writeUnusually(webhook)]) {
      const valid = signBody(webhook.id, text, secret);
      const signed = {
        valid,
        other_bytes: signBody(webhook.id, `${text} `, secret),
        garbage: { ...valid, signature: "v1,any" },
        old: signBody(webhook.id, text, secret, OLD_S),
      };
      for (const [signature, one] of Object.entries(signed)) {
        const given = headersOf(one);
        const { status } = shown.verified(Buffer.from(text), given, secret);
        expect(status).toBe(signature === "valid" ? 200 : 401);
        expect(shown.isRecent(given)).toBe(signature !== "old");
        expect(shown.isTrusted(given)).toBe(true);
        expect(shown.isVerified(Buffer.from(text), given, secret)).toBe(signature === "valid");
      }
    }
  });

  it("charges a changed order under another key", async () => {
    const order = { number: 7, version: 1, value: 10.5 };
    const gateway = gatewayOf("versions");
    const request = (one: object, key = shown.chargeFor(one).key) =>
      gateway("/payins", key, {
        ...charge,
        webhook_url: merchant.url,
        ...shown.chargeFor(one).body,
      });
    const changed = { ...order, version: 2, value: 12 };
    for (const one of [order, order, changed]) expect((await request(one)).status).toBe(200);
    expect(await verdictOf("versions", "key_reused_with_other_body")).toBe("pass");
    await request(changed, shown.chargeFor(order).key);
    expect(await verdictOf("versions", "key_reused_with_other_body")).toBe("fail");
  });

  it("responds before the work is done, also to a duplicate", async () => {
    const ids = new Set<string>();
    const queue: string[] = [];
    const insertOnce = async (_table: string, id: string) => ids.size < ids.add(id).size;
    merchant.answerWith(({ body }) =>
      shown.receiveWebhook({ insertOnce }, queue, JSON.parse(body) as WebhookBody),
    );
    await sandbox.integration("queue").faults.once("webhook", "duplicate");
    await pay("queue", merchant.url);
    expect(queue).toEqual([...ids]);
    expect(await verdictOf("queue", "webhook_answer_slow")).toBe("pass");
    expect(await verdictOf("queue", "duplicate_refused")).toBe("pass");
  });

  it("responds to a duplicate as to a new webhook", async () => {
    const ids = new Set<string>();
    merchant.answerWith(({ body }) => {
      const { id } = JSON.parse(body) as WebhookBody;
      return ids.size < ids.add(id).size ? 200 : 409;
    });
    await sandbox.integration("refusing").faults.once("webhook", "duplicate");
    await pay("refusing", merchant.url);
    expect(await verdictOf("refusing", "duplicate_refused")).toBe("fail");
    const db = { insertOnce: async (_table: string, id: string) => void ids.add(id) };
    merchant.answerWith(({ body }) => shown.receive(db, JSON.parse(body) as WebhookBody));
    await sandbox.integration("accepting").faults.once("webhook", "duplicate");
    await pay("accepting", merchant.url);
    expect(await verdictOf("accepting", "duplicate_refused")).toBe("pass");
  });

  it("responds with 200, and verifies the bytes as they arrive", async () => {
    const { secret } = sandbox;
    await sandbox.assumptions.change({ "webhook.success": "only_200" });
    merchant.answerWith(204);
    await pay("no content", merchant.url);
    expect(await verdictOf("no content", "webhook_answer_not_200")).toBe("warning");
    const raw: Buffer[] = [];
    const server = http.createServer(async (request, response) => {
      raw.push(await shown.readRaw(request));
      shown.respond(response);
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    await pay("ok", url);
    expect(await verdictOf("ok", "webhook_answer_not_200")).toBe("pass");
    await sandbox.assumptions.change({ "webhook.success": "2xx" });

    const unusual = writeUnusually({ id: "evt_2", type: "payin.paid", data: { value: 10.5 } });
    const sent = headersOf(signBody("evt_2", unusual, secret));
    await fetch(url, { method: "POST", body: unusual });
    const bytes = raw.at(-1) ?? never();
    const written = Buffer.from(JSON.stringify(JSON.parse(bytes.toString())));
    expect(shown.isVerified(bytes, sent, secret)).toBe(true);
    expect(shown.isVerified(written, sent, secret)).toBe(false);
    server.close();
  });

  it("finds an address that redirects", async () => {
    merchant.answerWith({ status: 301, headers: { location: merchant.at("/other") } });
    await pay("moved", merchant.url);
    expect(await verdictOf("moved", "webhook_answer_redirects")).toBe("fail");
    await expect(shown.checkAddress(merchant.url)).rejects.toThrow("redirects: use its target.");
    merchant.answerWith(401);
    await expect(shown.checkAddress(merchant.url)).resolves.toBeUndefined();
  });

  it("has only the order's number in an address", async () => {
    const create = (token: string, webhookUrl: string) =>
      gatewayOf(token)("/payins", "k", { ...charge, webhook_url: webhookUrl });
    const url = shown.webhookUrlOf({ number: "A 17", buyer: charge });
    expect((await create("number", url)).status).toBe(200);
    expect(await verdictOf("number", "personal_data_in_address")).toBe("pass");
    await create("person", url.replace("A%2017", charge.buyer_cpf));
    expect(await verdictOf("person", "personal_data_in_address")).toBe("warning");
  });

  it("does not lose a webhook that is faster than the response", async () => {
    const { faults, payins } = sandbox.integration("early");
    const applied: string[] = [];
    const known = new Set<string>();
    const db = {
      paymentById: (id: string) => (known.has(id) ? { id } : undefined),
      apply: ({ id }: { id: string }) => applied.push(id),
    };
    merchant.answerWith(({ body }) => shown.receiveEarly(db, JSON.parse(body) as WebhookBody));
    await faults.once("payins.create", "lost_answer");
    const request = { ...charge, webhook_url: merchant.url };
    await expect(gatewayOf("early")("/payins", "k", request)).rejects.toThrow("fetch failed");
    const [{ id } = never()] = await payins.list();
    await payins.pay(id);
    await sandbox.settled();
    expect(applied).toEqual([]);
    known.add((await gatewayOf("early")("/payins", "k", request)).body.id);
    await sandbox.clock.advance({ minutes: 1 });
    expect(applied).toEqual([id]);
  });

  it("finds an order by its transaction alone", () => {
    const order = { description: "order 17", value: 10.5 };
    const db = { orderByTransactionId: (id: string) => (id === "t-1" ? order : undefined) };
    expect(shown.orderOf(db, { data: { ...order, id: "t-1" } })).toBe(order);
    expect(shown.orderOf(db, { data: { ...order, id: "t-2" } })).toBeUndefined();
  });

  it("credits once what arrives twice at once", async () => {
    const ids = new Set<string>();
    let credit = 0;
    const tx = {
      query: async (statement: string, [id = ""]: readonly string[]) => {
        expect(statement).toContain("ON CONFLICT DO NOTHING");
        await Promise.resolve();
        const rowCount = ids.has(id) ? 0 : 1;
        ids.add(id);
        return { rowCount };
      },
      credit: (_id: string, value: number) => (credit += value),
    };
    const db = { transaction: (work: (tx: object) => Promise<void>) => work(tx) };
    merchant.answerWith(async ({ body }) => {
      await shown.creditOnce(db, JSON.parse(body) as WebhookBody);
      return 200;
    });
    await sandbox.faults.add({ on: "webhook", effect: "duplicate_at_once", times: 1 });
    const before = merchant.received.length;
    const { id } = await sandbox.payins.create({ value: 10.5, webhookUrl: merchant.url });
    await sandbox.payins.pay(id);
    await sandbox.settled();
    expect(merchant.received.length - before).toBe(2);
    expect(credit).toBe(10.5);
  });

  it("compares values, times and ids", async () => {
    const before = merchant.received.length;
    const { id } = await sandbox.payins.create({ value: 10.5, webhookUrl: merchant.url });
    await sandbox.payins.pay(id);
    const { body } = (await merchant.waitFor(before + 1)).at(-1) ?? never();
    const event = JSON.parse(body) as WebhookBody;
    expect(shown.isPaidInFull({ value: 10.5 }, event)).toBe(true);
    expect(shown.isPaidInFull({ value: 10.51 }, event)).toBe(false);

    const created = { status: "waiting", changedAt: "2000-01-01T00:00:00.000Z" };
    const paid = shown.nextState(created, event);
    expect(paid).toMatchObject({ status: "paid" });
    const older = { ...event, created_at: "1999-01-01T00:00:00.000Z", data: { status: "waiting" } };
    expect(shown.nextState(paid, older)).toBe(paid);
    expect(shown.nextState(created, older)).toBe(created);

    const expired = { status: "expired", transactionId: id };
    expect(shown.onPaid(expired, event).status).toBe("paid");
    expect(shown.onPaid({ ...expired, transactionId: "other" }, event).status).toBe("expired");
    const stored: unknown[] = [];
    const db = { insertOnce: async (...row: unknown[]) => void stored.push(row) };
    expect(await shown.storePayment(db, event)).toBe(200);
    expect(stored).toEqual([["payments", id, 10.5]]);
    for (const type of ["payin.disputed", "payin.paid", "payout.canceled"])
      expect(await shown.dispatch({ type, data: event.data })).toBe(200);
    expect(await callsTo(sandbox.url).deliveries("&status=pending")).toEqual([]);
  });

  it("has no function that none of these tests has run", () => {
    expect(functions.filter((name) => !shown.ran.has(name))).toEqual([]);
  });
});

/** The beginning of a function's declaration, and its name. */
const FUNCTION = /^(?:export )?(?:async )?function (\w+)\(.*\) \{/gm;

function never(): never {
  throw new Error("No webhook arrived.");
}
