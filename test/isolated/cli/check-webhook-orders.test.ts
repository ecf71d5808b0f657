import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/client/start.ts";
import { checkWebhook } from "../../../src/play/check-webhook/check-webhook.ts";
import { commandClient } from "../../../src/cli/client/command-client.ts";
import { createSender } from "../../../src/server/tools/tools.ts";
import { EffectProbe } from "../../../src/cli/review/effect.ts";
import type { WireReview } from "../../../src/review/report.ts";
import { RULE_IDS, type RuleId } from "../../../src/review/rules.ts";
import { createFolder } from "../../support/folder.ts";
import { callsTo } from "../../support/calls.ts";
import { runMain } from "../../support/main.ts";
import { type Received, verified, type WebhookBody } from "../../support/merchant.ts";
import { english } from "../../../src/text/languages.ts";

/** The time that the checks have let pass: in no real time, since these shops act before they respond. */
const passed = vi.hoisted(() => ({ ms: 0 }));
vi.mock(import("../../../src/platform/pause.ts"), async (original) => ({
  ...(await original()),
  pause: async (ms: number) => {
    passed.ms += ms;
    await new Promise((resolve) => setImmediate(resolve));
  },
}));

const QUIET_IO = { cwd: ".", env: {}, onSignal: () => () => undefined };

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

interface Order {
  readonly name: string;
  readonly value: number;
  transaction?: string;
  status: "waiting" | "paid" | "expired";
  credits: number;
}

/** How the shop acts on a webhook that it has verified: the status of its response. */
type Acting = (event: WebhookBody, shop: Shop) => number | Promise<number>;

/** A shop that creates charges, repeats a lost call with its key, and keeps books. */
class Shop implements AsyncDisposable {
  readonly orders: Order[] = [];
  readonly handled = new Set<string>();
  /** Of each order. */
  value = 10.5;
  readonly #server: http.Server;
  readonly #acting: Acting;

  constructor(acting: Acting) {
    this.#acting = acting;
    this.#server = http.createServer((request, response) => {
      void this.#answer(request).then(([status, body]) => response.writeHead(status).end(body));
    });
  }

  async open(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  charge(value: number): number {
    return value;
  }

  orderOf({ data }: WebhookBody): Order | undefined {
    return this.orders.find(({ transaction }) => transaction === data["id"]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: http.IncomingMessage): Promise<[number, string]> {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk as string;
    const path = request.url ?? "";
    if (path === "/orders") return [201, await this.#create()];
    if (path.startsWith("/orders/")) {
      const order = this.orders.find(({ name }) => name === path.slice("/orders/".length));
      return [200, JSON.stringify({ ...order, name: undefined, transaction: undefined })];
    }
    const received: Received = {
      method: "POST",
      path,
      headers: request.headers as Record<string, string>,
      body,
    };
    let event: WebhookBody;
    try {
      event = verified(received, sandbox.secret);
    } catch {
      return [401, ""];
    }
    return [await this.#acting(event, this), ""];
  }

  async #create(): Promise<string> {
    const order: Order = {
      name: `order-${this.orders.length + 1}`,
      value: this.value,
      status: "waiting",
      credits: 0,
    };
    this.orders.push(order);
    const key = crypto.randomUUID();
    const create = () =>
      callsTo(sandbox.url, "shop").createPayin(
        {
          webhook_url: `${this.url}/hook`,
          description: order.name,
          value: this.charge(order.value),
        },
        key,
      );
    const { body } = await create().catch(create);
    order.transaction = body.id;
    return body.id;
  }
}

function settle(order: Order): void {
  order.status = "paid";
  order.credits += 1;
}

const correct: Acting = (event, shop) => {
  if (event.type !== "payin.paid") return 200;
  const order = shop.orderOf(event);
  // The gateway sends it again.
  if (!order) return 404;
  if (order.status !== "paid" && event.data["value"] === order.value) settle(order);
  return 200;
};

const E_RULES = [
  "duplicate_acts_twice",
  "concurrent_duplicates_act_twice",
  "early_webhook_lost",
  "older_event_overwrites",
  "value_not_compared",
  "foreign_transaction_settles",
  "last_second_dropped",
] as const;

/** Each shop makes one mistake; test/merchants has one for every rule. */
const MISTAKEN = {
  value_not_compared: (event, shop) => {
    const order = shop.orderOf(event);
    if (order?.status === "waiting" && event.type === "payin.paid") settle(order);
    return order ? 200 : 404;
  },
  foreign_transaction_settles: (event, shop) => {
    const { description, value } = event.data;
    const order = shop.orders.find(({ name }) => name === description);
    if (!order?.transaction) return 404;
    if (order.status === "waiting" && event.type === "payin.paid" && value === order.value)
      settle(order);
    return 200;
  },
} satisfies Readonly<Record<string, Acting>>;

/** Checks a shop by some open orders of its own, and by the address of an order. */
async function checkOpen(shop: Shop, count: number) {
  for (let made = 0; made < count; made++) await fetch(`${shop.url}/orders`, { method: "POST" });
  const effect = ["--effect", `${shop.url}/orders/{description}`];
  return runMain(["check-webhook", `${shop.url}/hook`, "--url", sandbox.url, "--json", ...effect]);
}

async function check(shop: Shop, only?: readonly RuleId[]) {
  const client = commandClient({ url: sandbox.url });
  const read = async (path: string, method = "GET") =>
    (await fetch(`${shop.url}${path}`, { method })).text();
  const { review, sent, notes } = await checkWebhook({
    client,
    createSender,
    url: `${shop.url}/hook`,
    order: () => read("/orders", "POST"),
    effect: ({ description }) => read(`/orders/${String(description)}`),
    only,
  });
  const of = (verdict: string) =>
    review.rules.filter((rule) => rule.verdict === verdict).map(({ id }) => id);
  return {
    review,
    sent,
    notes,
    pass: of("pass"),
    fail: [...of("fail"), ...of("warning")],
    unseen: of("not_seen"),
  };
}

describe("check-webhook with orders", { timeout: 120_000 }, () => {
  it("passes a correct shop, which refuses unknown transactions, on every rule", async () => {
    await using shop = await new Shop(correct).open();
    const { review, pass, fail, notes } = await check(shop);

    expect(fail).toEqual([]);
    expect(pass).toHaveLength(11 + E_RULES.length + 1);
    expect(pass).toEqual(expect.arrayContaining([...E_RULES]));
    expect(notes).toEqual([]);
    expect(review.rules).toHaveLength(RULE_IDS.length);
    const { data } = await callsTo(sandbox.url).control<{ data: unknown[] }>("GET", "/faults");
    expect(data).toEqual([]);
    const { data: integrations } = await callsTo(sandbox.url).control<{ data: unknown[] }>(
      "GET",
      "/integrations",
    );
    expect(integrations).toEqual([{ integration: "shop" }]);
  });

  it("finds one mistake and no other", async () => {
    await using shop = await new Shop(MISTAKEN.foreign_transaction_settles).open();
    const { fail, review } = await check(shop, E_RULES);
    expect(fail).toEqual(["foreign_transaction_settles"]);
    const [evidence] = review.rules.flatMap((one) => one.evidence);
    expect(evidence?.says).toMatch(/^The payment /);
    expect(evidence?.command).toMatch(/^curl -i /);
  });

  it.each([
    ["accepts", 200],
    ["refuses", 404],
  ])(
    "judges by 40 open orders without a command for new ones: a shop that %s unknown ones",
    async (_does, unknown) => {
      await using shop = await new Shop((event, merchant) =>
        merchant.orderOf(event) ? correct(event, merchant) : unknown,
      ).open();
      // The second run takes none that the first one has used.
      for (const run of [1, 2]) {
        const { stdout } = await checkOpen(shop, 40);
        const of = (wanted: string) =>
          (JSON.parse(stdout) as WireReview).rules
            .filter(({ verdict }) => verdict === wanted)
            .map(({ id }) => id);
        expect([run, ...of("fail"), ...of("warning"), ...of("pending")]).toEqual([run]);
        expect(of("pass")).toEqual(
          expect.arrayContaining(E_RULES.filter((rule) => rule !== "early_webhook_lost")),
        );
        expect(of("not_seen")).toContain("early_webhook_lost");
      }
    },
  );

  it("takes only open orders of one value, whose charges do not end soon", async () => {
    await using shop = await new Shop(correct).open();
    const { createPayin, control } = callsTo(sandbox.url, "shop");
    const webhook_url = `${shop.url}/hook`;
    const others: string[] = [];
    for (const members of [{ value: 99 }, { value: 10.5, expiration: 30 }]) {
      const { body } = await createPayin({ webhook_url, ...members }, crypto.randomUUID());
      others.push(body.id);
    }
    await checkOpen(shop, 4);
    for (const id of others)
      expect(await control<{ status: string }>("GET", `/payins/${id}`)).toMatchObject({
        status: "waiting",
      });
  });

  it("takes no open order that the shop has canceled", async () => {
    await using shop = await new Shop((event, merchant) => {
      const order = merchant.orderOf(event);
      // Sends the money back.
      if (order?.status === "expired") return 200;
      return correct(event, merchant);
    }).open();
    for (let made = 0; made < 45; made++) await fetch(`${shop.url}/orders`, { method: "POST" });
    for (const [place, order] of shop.orders.entries())
      if (place > 2 && place % 9 === 0) order.status = "expired";
    const { stdout } = await checkOpen(shop, 0);
    const { rules } = JSON.parse(stdout) as WireReview;
    expect(rules.filter(({ verdict }) => verdict === "fail" || verdict === "warning")).toEqual([]);
    expect(rules.filter(({ verdict }) => verdict === "pass").length).toBeGreaterThan(14);
  });

  it("judges nothing by an effect's address that does not have the order", async () => {
    await using shop = await new Shop(correct).open();
    const { review } = await checkWebhook({
      client: commandClient({ url: sandbox.url }),
      createSender,
      url: `${shop.url}/hook`,
      order: async () => (await fetch(`${shop.url}/orders`, { method: "POST" })).text(),
      effect: async () => "404 not found",
      only: E_RULES,
    });
    for (const { verdict, says } of review.rules)
      expect([verdict, says]).toEqual([
        "not_seen",
        expect.stringMatching(/^The effect's address responded with 404/),
      ]);
  });

  it("has no verdict by two open orders of a shop that refuses unknown ones", async () => {
    await using shop = await new Shop(correct).open();
    const { code, stdout } = await checkOpen(shop, 2);
    expect(code).toBe(8);
    expect(stdout).toContain("The shop has no open order left");
  });

  it("says what it needs without open orders, and finds by four what they show", async () => {
    await using shop = await new Shop((event, merchant) =>
      merchant.orderOf(event) ? correct(event, merchant) : 200,
    ).open();
    const none = await checkOpen(shop, 0);
    expect(none.code).toBe(8);
    expect(none.stderr).toContain("No effect was judged: The shop has no open order left");
    await using other = await new Shop(MISTAKEN.foreign_transaction_settles).open();
    const four = await checkOpen(other, 4);
    expect(JSON.parse(four.stdout)).toMatchObject({
      rules: expect.arrayContaining([
        expect.objectContaining({ id: "foreign_transaction_settles", verdict: "fail" }),
      ]),
    });
  });

  it("finds a charge that is a centavo below its order", async () => {
    const cut = (value: number) => Math.floor(value * 100) / 100;
    class Cutting extends Shop {
      override value = 1.15;
      override charge = cut;
    }
    await using shop = await new Cutting((event, merchant) => {
      const order = merchant.orderOf(event);
      const isWhole = event.data["value"] === cut(order?.value ?? 0);
      if (order?.status === "waiting" && event.type === "payin.paid" && isWhole) settle(order);
      return order ? 200 : 404;
    }).open();
    const { fail, review } = await check(shop, ["value_not_compared"]);
    expect(fail).toEqual(["value_not_compared"]);
    expect(review.rules[0]?.evidence[0]?.says).toMatch(
      /^The value of the charge \S+ is 1\.14, and its order shows a centavo more or less\.$/,
    );
    await using right = await new (class extends Shop {
      override value = 1.15;
    })(correct).open();
    expect(await check(right, ["value_not_compared"])).toMatchObject({ fail: [] });
  });

  it("can be interrupted while the handler has an early webhook", async () => {
    const interrupted = new AbortController();
    await using shop = await new Shop((event, merchant) => {
      if (merchant.orders.some(({ transaction }) => transaction === undefined)) {
        interrupted.abort(new Error("Ctrl-C"));
        return new Promise(() => undefined);
      }
      return correct(event, merchant);
    }).open();
    const read = async (path: string, method = "GET") =>
      (await fetch(`${shop.url}${path}`, { method })).text();
    const checked = checkWebhook({
      client: commandClient({ url: sandbox.url }),
      createSender,
      url: `${shop.url}/hook`,
      order: () => read("/orders", "POST"),
      effect: ({ description }) => read(`/orders/${String(description)}`),
      only: ["early_webhook_lost"],
      signal: interrupted.signal,
    });
    await expect(checked).rejects.toThrow("Ctrl-C");
  });

  it("waits for an effect that comes after the response", async () => {
    await using shop = await new Shop(correct).open();
    const reads: string[] = [];
    const paidAtMs = new Map<Order, number>();
    const { review } = await checkWebhook({
      client: commandClient({ url: sandbox.url }),
      createSender,
      url: `${shop.url}/hook`,
      order: async () => (await fetch(`${shop.url}/orders`, { method: "POST" })).text(),
      effect: async ({ description }) => {
        const order = shop.orders.find(({ name }) => name === description);
        if (order?.status === "paid" && !paidAtMs.has(order)) paidAtMs.set(order, passed.ms);
        const atMs = order && paidAtMs.get(order);
        const isVisible = atMs !== undefined && passed.ms - atMs >= 2000;
        return reads[reads.push(isVisible ? "paid" : "waiting") - 1] ?? "";
      },
      only: ["duplicate_acts_twice"],
    });
    expect(review.rules).toMatchObject([{ verdict: "pass" }]);
    expect(new Set(reads)).toEqual(new Set(["waiting", "paid"]));
  });

  it("judges nothing by an effect that does not move", async () => {
    await using shop = await new Shop(() => 200).open();
    const { review, unseen } = await check(shop, E_RULES);

    expect(unseen).toEqual(E_RULES);
    for (const { says } of review.rules)
      expect(says).toMatch(
        /^The handler accepted the payment of \S+, and the effect did not change/,
      );
  });

  it("judges nothing by an effect that moves by itself, or cannot be read", async () => {
    await using shop = await new Shop(correct).open();
    const options = {
      client: commandClient({ url: sandbox.url }),
      createSender,
      url: `${shop.url}/hook`,
      order: async () => (await fetch(`${shop.url}/orders`, { method: "POST" })).text(),
      only: ["older_event_overwrites"] as const,
    };
    let reads = 0;
    const counting = await checkWebhook({ ...options, effect: async () => `read ${++reads}` });
    const broken = await checkWebhook({
      ...options,
      effect: (record) => new EffectProbe("exit 3", QUIET_IO).read(record),
    });

    expect(counting.review.rules).toMatchObject([
      { verdict: "not_seen", says: expect.stringMatching(/^The effect changes by itself/) },
    ]);
    expect(broken.review.rules).toMatchObject([
      { verdict: "not_seen", says: expect.stringMatching(/^The effect's command ended with 3/) },
    ]);
  });

  it("does not read an effect again that could not be read at the first payment", async () => {
    await using shop = await new Shop(correct).open();
    let reads = 0;
    const { review } = await checkWebhook({
      client: commandClient({ url: sandbox.url }),
      createSender,
      url: `${shop.url}/hook`,
      order: async () => (await fetch(`${shop.url}/orders`, { method: "POST" })).text(),
      effect: (record) => {
        reads += 1;
        return new EffectProbe("exit 3", QUIET_IO).read(record);
      },
      only: E_RULES,
    });
    expect(reads).toBe(1);
    for (const { says } of review.rules) expect(says).toMatch(/^The effect's command ended with 3/);
  });

  it.each([
    ["an address", (url: string) => `${url}/orders/{description}`],
    ["a command", (url: string) => `curl -s "${url}/orders/$PIX_DESCRIPTION"`],
  ])("runs a command for the order, and reads the effect from %s", async (_name, effectOf) => {
    await using shop = await new Shop(correct).open();
    const address = `${shop.url}/hook`;
    const order = `echo created; curl -sX POST ${shop.url}/orders`;
    const effect = effectOf(shop.url);
    const only = ["--only", "13", "--only", "value_not_compared"];
    const command = ["check-webhook", address, "--url", sandbox.url, "--json", ...only];
    const { code, stdout, stderr } = await runMain([
      ...command,
      "--order",
      order,
      "--effect",
      effect,
    ]);
    const { rules } = JSON.parse(stdout) as WireReview;

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(rules.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["duplicate_acts_twice", "pass"],
      ["value_not_compared", "pass"],
    ]);
  });

  it.each([
    ["echo no-such-id", 5, 'printed "no-such-id", which is not the id of a payin in the sandbox'],
    ["printf %0999d 1", 5, `printed "${"0".repeat(120)}…", which is not`],
    ["echo broken >&2; exit 3", 1, "The order's command ended with 3 (broken)."],
  ])("refuses the order of %j", async (order, exitCode, message) => {
    await using shop = await new Shop(correct).open();
    const command = ["check-webhook", `${shop.url}/hook`, "--url", sandbox.url, "--order", order];
    const { code, stdout, stderr } = await runMain(command);

    expect({ code, stdout }).toEqual({ code: exitCode, stdout: "" });
    expect(stderr).toContain(message);
  });

  it("prints what it has judged if the shop stops, and says so", async () => {
    await using shop = await new Shop(correct).open();
    await using folder = await createFolder();
    const flag = folder.at("orders");
    // It works five times.
    const order = `echo >>${flag}; [ $(wc -l <${flag}) -le 5 ] && curl -sX POST ${shop.url}/orders`;
    const effect = `${shop.url}/orders/{description}`;
    const command = ["check-webhook", `${shop.url}/hook`, "--url", sandbox.url, "--json"];
    const { code, stdout, stderr } = await runMain([
      ...command,
      "--order",
      order,
      "--effect",
      effect,
    ]);
    const { rules } = JSON.parse(stdout) as WireReview;

    expect(code).toBe(1);
    expect(stderr).toContain("It worked before: does the merchant still run?");
    expect(rules.filter(({ verdict }) => verdict === "pass").map(({ id }) => id)).toEqual(
      expect.arrayContaining(["valid_signature_refused", "foreign_transaction_settles"]),
    );
  });

  it.each([
    ["value_not_compared", /value was \d+(\.\d+)?, the order's is \d+/, true],
    ["foreign_transaction_settles", /The payment of .+ changed the order of /, false],
  ] as const)("shows what it saw in 80 columns: %s, %s", async (rule, says, hasCommand) => {
    await using shop = await new Shop(MISTAKEN[rule]).open();
    const { stdout, stderr } = await runMain([
      "check-webhook",
      `${shop.url}/hook`,
      "--url",
      sandbox.url,
      "--only",
      "early_webhook_lost",
      "--only",
      rule,
      "--order",
      `curl -sX POST ${shop.url}/orders`,
      "--effect",
      `${shop.url}/orders/{description}`,
    ]);
    const table = stdout.split("\n\n", 1)[0] ?? "";

    expect(table).toMatch(/^RULE +SENT +EXPECTED +SEEN\n/);
    expect(table.split("\n").filter(({ length }) => length > 80)).toEqual([]);
    expect(stdout).toMatch(says);
    expect(stderr).toContain("Rules broken: ");
    expect(stderr.includes("Each curl command above")).toBe(hasCommand);
  });

  it("says that the order's command shows nothing without an effect", async () => {
    await using shop = await new Shop(() => 200).open();
    const command = ["check-webhook", `${shop.url}/hook`, "--url", sandbox.url, "--order", "false"];
    expect((await runMain(command)).stderr).toContain("Pass --effect too");
  });

  it("says so if the order's webhooks go elsewhere", async () => {
    await using shop = await new Shop(correct).open();
    await using other = await new Shop(correct).open();
    const { notes } = await checkWebhook({
      client: commandClient({ url: sandbox.url }),
      createSender,
      url: `${shop.url}/hook`,
      order: async () => (await fetch(`${other.url}/orders`, { method: "POST" })).text(),
      only: ["duplicate_refused"],
    });
    expect(notes.map((text) => english(text))).toEqual([
      `The webhook_url of the order is ${other.url}/hook, but the check sends to ${shop.url}/hook.`,
    ]);
  });
});
