import { once } from "node:events";
import http from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Gateway } from "../../src/core/gateway.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox.ts";
import { createFolder, runCli, type Serving, startCli, startServe } from "../support/cli.ts";
import { BUYER, type Merchant, RECEIVER, startMerchant } from "../support/merchant.ts";

const SEED = "a seed with spaces";
const START = "2026-11-21T12:00:00Z";
const FROZEN = ["--memory", "--seed", SEED, "--clock", "frozen", "--now", START];

/** One request, as a merchant's program or a test suite sends it. */
interface Step {
  readonly route: string;
  /** The integration; all of them where it is absent, which only control routes take. */
  readonly token?: string;
  /** What is sent, or what is made of the text of the answer before it to the same integration. */
  readonly body?: object | ((before: string) => object);
  readonly key?: string;
  readonly fault?: string;
}

/** Everything that an answer was, but for its date; null where the connection died. */
type Answer = { readonly head: readonly string[]; readonly text: string } | null;

let merchant: Merchant;
beforeEach(async () => {
  merchant = await startMerchant({ answer: ({ path }) => (path === "/fails" ? 500 : 200) });
});
afterEach(() => merchant.close());

describe("two sandboxes with one seed and a frozen clock", { timeout: 60_000 }, () => {
  it("give the same requests the same answers, webhooks and records, to the byte", async () => {
    const [one, other] = [await run(wholeStory()), await run(wholeStory())];

    expect(other.answers).toEqual(one.answers);
    expect(other.webhooks).toEqual(one.webhooks);
    expect(other.ready).toEqual(one.ready);
    // Something was compared: every kind of record, and what chance decided either way.
    const lasts = one.answers.slice(-KINDS.length).map((answer) => pageOf(answer).length);
    expect(lasts.map((length) => length > 0)).toEqual(KINDS.map(() => true));
    const byChance = one.answers.filter((_, index) => wholeStory()[index]?.key?.startsWith("luck"));
    expect(new Set(byChance.map((answer) => answer?.head[0]))).toEqual(new Set(["200", "422"]));
    expect(one.webhooks.size).toBe(3);
  });

  it("give another seed's sandbox nothing in common but what was sent", async () => {
    const story = wholeStory();
    const [one, other] = [await run(story), await run(story, "another seed")];

    // The document shows everybody the same examples.
    const idsOf = ({ answers }: Run): Set<string> =>
      new Set(
        answers
          .filter((answer) => !answer?.text.startsWith('{"openapi":'))
          .flatMap((answer) => answer?.text.match(/(?<="id":")[^"]+|whsec_[\w+/]+/g) ?? []),
      );
    expect(idsOf(one).size).toBeGreaterThan(20);
    expect([...idsOf(one)].filter((id) => idsOf(other).has(id))).toEqual([]);
  });

  it("give each of two integrations the same, however their requests mingle", async () => {
    const shop = ownStory("shop");
    const kiosk = ownStory("kiosk");
    const mingled = kiosk.flatMap((step, index) => [step, shop[index] as Step]);
    const views = ["shop", "kiosk"].flatMap((token) =>
      KINDS.map(({ route }) => ({ route, token })),
    );
    const apart = await run([...shop, ...kiosk, EXPIRE, ...views]);
    const together = await run([...mingled, EXPIRE, ...views]);

    expect(together.answers.slice(-views.length)).toEqual(apart.answers.slice(-views.length));
    expect(together.webhooks).toEqual(apart.webhooks);
    for (const token of ["shop", "kiosk"])
      expect(apart.webhooks.get(`/${token}`)?.length).toBeGreaterThan(5);
  });
});

describe("a state that is kept", { timeout: 60_000 }, () => {
  it("gives the same, however often its sandbox is stopped and started again", async () => {
    const ends = [EXPIRE, ...KINDS];
    // What is gone counts on: no fault has the id of one before it.
    const removed: Step = { route: "DELETE /_sandbox/faults", token: "shop" };
    const first = [...ownStory("shop"), removed];
    const parts = [first, ownStory("kiosk"), ownStory("shop", "later"), ends];
    const story = parts.flat();
    const { answers, webhooks } = await run(story);

    await using folder = await createFolder();
    const kept = ["--state", folder.at("state.json"), "--clock", "frozen"];
    const interrupted: Run[] = [];
    for (const [index, part] of parts.entries()) {
      const args = index === 0 ? [...kept, "--seed", SEED, "--now", START] : kept;
      await using serving = await startServe(args);
      interrupted.push(await play(serving, part));
      await serving.stop();
    }
    expect(interrupted.flatMap((one) => one.answers)).toEqual(answers);
    const told = interrupted.flatMap((one) => one.webhooks.get("/shop") ?? []);
    expect(told).toEqual(webhooks.get("/shop"));
  });
});

describe("one sandbox with a frozen clock", { timeout: 60_000 }, () => {
  it.each([
    ["all", undefined],
    ["one integration", "shop"],
  ])("gives the same again after a reset of %s", async (_whose, token) => {
    const story = [
      ...ownStory("shop"),
      SETTLE,
      ...KINDS.map(({ route }) => ({ route, token: "shop" })),
    ];
    const reset: Step = { route: "POST /_sandbox/reset", ...(token && { token }) };
    const { answers, webhooks } = await run([...story, reset, ...story]);

    expect(answers.slice(story.length + 1)).toEqual(answers.slice(0, story.length));
    const told = webhooks.get("/shop") ?? [];
    expect(told.length).toBeGreaterThan(1);
    expect(told.slice(told.length / 2)).toEqual(told.slice(0, told.length / 2));
  });

  it("gives the same again after a snapshot is restored, as often as it is", async () => {
    const before = ownStory("shop");
    const after = [...ownStory("shop", "later"), ...KINDS];
    const save: Step = { route: "PUT /_sandbox/snapshots/before" };
    const restore: Step = { route: "POST /_sandbox/snapshots/before/restore" };
    const { answers } = await run([
      ...before,
      save,
      ...after,
      restore,
      ...after,
      restore,
      ...after,
    ]);

    const first = answers.slice(before.length + 1, before.length + 1 + after.length);
    expect(answers.slice(-after.length)).toEqual(first);
    expect(answers.slice(-2 * after.length - 1, -after.length - 1)).toEqual(first);
  });
});

describe("the keys that a sandbox hands out", { timeout: 60_000 }, () => {
  const keysOf = ({ headers }: Sandbox, tokens: readonly string[]) =>
    tokens.map((token) => headers(token)["x-idempotency-key"]);

  it("are the same from one seed for each integration, and each another", async () => {
    await using one = await startSandbox({ seed: SEED });
    await using other = await startSandbox({ seed: SEED });
    const [first, second] = keysOf(one, ["shop", "shop"]);
    expect(keysOf(other, ["shop", "kiosk", "shop"])).toEqual([first, expect.anything(), second]);
    expect(new Set([first, second, ...keysOf(one, ["kiosk"])]).size).toBe(3);
  });

  it("are new ones for each run of a state that is kept, which remembers those of the last", async () => {
    await using folder = await createFolder();
    const start = () => startSandbox({ seed: SEED, stateFile: folder.at("state.json") });
    const runs: unknown[] = [];
    for (let count = 0; count < 2; count++) {
      await using sandbox = await start();
      runs.push(...keysOf(sandbox, ["shop"]));
    }
    expect(new Set(runs).size).toBe(2);
  });
});

describe("the seed of a run", { timeout: 60_000 }, () => {
  it("is said where the sandbox starts, and where something was waited for in vain", async () => {
    await using banner = startCli(["serve", "--port", "0", ...FROZEN]);
    const lines = await banner.lines("stderr", 1, (line) => line.includes("Seed"));
    expect(lines[0]).toContain(SEED);
    const [address = ""] = await banner.lines("stderr", 1, (line) => line.includes("API"));
    const url = address.trim().split(/ +/)[1] ?? "";

    const wait = ["wait", "payin.paid", "--timeout", "0", "--url", url];
    expect(await runCli(wait)).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(SEED) as string,
    });
    const { hint } = errorOf((await runCli([...wait, "--json"])).stderr);
    expect(hint).toContain(SEED);
    const late = await fetch(`${url.replace(/v1$/, "_sandbox")}/wait?timeout_ms=0`);
    expect(await late.json()).toMatchObject({ seed: SEED });
  });

  it("is a new one for each run that names none, and the ready line says it", async () => {
    await using one = await startServe();
    await using other = await startServe();
    expect(one.ready.seed).not.toBe(other.ready.seed);
    expect(one.secret).not.toBe(other.secret);
  });

  it("is said with an error that nobody foresaw, beside an answer of the documented form", async () => {
    const said: string[] = [];
    await using sandbox = await startSandbox({
      seed: SEED,
      report: (line) => void said.push(line),
    });
    const failing = vi.spyOn(Gateway.prototype, "createPayin").mockImplementation(() => {
      throw new Error("a mistake of ours");
    });
    const answer = await fetch(`${sandbox.baseUrl}/payins`, {
      method: "POST",
      headers: sandbox.headers(),
      body: JSON.stringify({ ...BUYER, webhook_url: merchant.url }),
    }).finally(() => failing.mockRestore());

    expect(answer.status).toBe(500);
    expect(Object.keys((await answer.json()) as object)).toEqual(["message", "code", "errors"]);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(`unexpected error, seed ${SEED}: Error: a mistake of ours`);
  });
});

/** What there is to read in the end. */
const KINDS: readonly Step[] = ["payins", "payouts", "deliveries", "faults"].map((noun) => ({
  route: `GET /_sandbox/${noun}?limit=1000`,
}));

const SETTLE: Step = { route: "POST /_sandbox/settle" };
const EXPIRE: Step = { route: "POST /_sandbox/clock/advance", body: { seconds: 120 } };

/** What one integration does, each step settled before the next: what fails by chance, rivals, webhooks that swap. */
function ownStory(token: string, name = "order"): readonly Step[] {
  const webhook_url = merchant.at(`/${token}`);
  const payin = { ...BUYER, webhook_url, expiration: 20 };
  const payout = { ...RECEIVER, webhook_url };
  const fault = (body: object): Step => ({ route: "POST /_sandbox/faults", token, body });
  const create = (noun: "payin" | "payout", key: string, body: object, asked?: string): Step => ({
    route: `POST /v1/${noun}s`,
    token,
    body,
    key: `${name}-${key}`,
    ...(asked && { fault: asked }),
  });
  const luck = ["1", "2", "3", "4", "5", "6", "7", "8"];
  return [
    fault({ on: "payins.create", effect: "error=NOT_PROCESSABLE", probability: 0.5 }),
    ...luck.map((place) => ({ ...create("payin", place, payin), key: `luck-${name}-${place}` })),
    create("payout", "first", payout),
    create("payout", "rival", payout),
    SETTLE,
    create("payout", "lost", { ...payout, receiver_cpf: "11144477735" }, "lost_answer"),
    create("payout", "lost", { ...payout, receiver_cpf: "11144477735" }),
    create("payout", "lost", { ...payout, receiver_cpf: "12345678909" }),
    { route: "DELETE /_sandbox/faults", token },
    create("payin", "qr", { ...payin, generate_qrcode: true }),
    {
      route: "POST /v1/payins/simulations",
      token,
      body: (before) => ({ transaction_id: idIn(before), status: "completed" }),
    },
    SETTLE,
    fault({ on: "webhook", effect: "drop_attempts=1", times: 1 }),
    { ...create("payin", "v2", payin), route: "POST /v2/payins" },
    { ...create("payin", "wrong", { ...payin, value: -1 }), route: "POST /v2/payins" },
    { route: "PUT /v1/webhooks", token, body: { webhook_url, events: ["payment.failed"] } },
  ];
}

/** All that there is to do, time and settings of the whole sandbox included. */
function wholeStory(): readonly Step[] {
  const webhook_url = merchant.at("/fails");
  return [
    { route: "GET /_sandbox/secret" },
    { route: "GET /_sandbox/clock" },
    { route: "POST /_sandbox/faults", body: { on: "webhook", effect: "duplicate", times: 3 } },
    ...ownStory("shop"),
    ...ownStory("kiosk"),
    { route: "PATCH /_sandbox/assumptions", body: { "payout.auto": "complete_after:7" } },
    {
      route: "POST /v1/payouts",
      token: "shop",
      key: "auto",
      body: { ...RECEIVER, receiver_cpf: "98765432100", webhook_url },
    },
    EXPIRE,
    { route: "PUT /_sandbox/snapshots/now" },
    { route: "GET /_sandbox/snapshots" },
    { route: "GET /_sandbox/wait?type=payin.expired&timeout_ms=0" },
    { route: "GET /_sandbox/payins/nobody" },
    { route: "GET /v1/nowhere" },
    { route: "GET /_sandbox/openapi.json" },
    { route: "GET /_sandbox/assumptions" },
    { route: "GET /_sandbox/integrations" },
    ...KINDS,
  ];
}

interface Run {
  readonly answers: readonly Answer[];
  /** By address: what two of them are sent at the same time, the network may let arrive in any order. */
  readonly webhooks: ReadonlyMap<string, readonly object[]>;
  readonly ready: object;
}

/** Plays a story to a sandbox of its own, a process that begins and ends with it. */
async function run(story: readonly Step[], seed = SEED): Promise<Run> {
  await using serving = await startServe([...FROZEN, "--seed", seed]);
  return await play(serving, story);
}

async function play(serving: Serving, story: readonly Step[]): Promise<Run> {
  const before = merchant.received.length;
  const answers: Answer[] = [];
  const lasts = new Map<string | undefined, string>();
  for (const step of story) {
    const { token, body } = step;
    const sent = typeof body === "function" ? body(lasts.get(token) ?? "") : body;
    const answer = await send(serving, step, sent);
    answers.push(answer);
    lasts.set(token, answer?.text ?? "");
  }
  const webhooks = new Map<string, object[]>();
  for (const { method, path, headers, body } of merchant.received.slice(before)) {
    const one = { method, id: headers["webhook-id"], body };
    webhooks.set(path, [...(webhooks.get(path) ?? []), one]);
  }
  const { seed: said, secret, version } = serving.ready;
  return { answers, webhooks, ready: { said, secret, version } };
}

async function send(
  { url }: Serving,
  { route, token, key, fault }: Step,
  body: object | undefined,
): Promise<Answer> {
  const [method = "", path = ""] = route.split(" ");
  const text = body === undefined ? undefined : JSON.stringify(body);
  const request = http.request(`${url}${path}`, {
    method,
    agent: false,
    headers: {
      "x-provider-id": "42",
      "x-provider": "Loja da Maria",
      "x-country-code": "BR",
      ...(token !== undefined && { "x-api-token": token }),
      ...(key !== undefined && { "x-idempotency-key": key }),
      ...(fault !== undefined && { "x-sandbox-fault": fault }),
      ...(text !== undefined && { "content-type": "application/json" }),
    },
  });
  request.end(text);
  try {
    const [incoming] = (await once(request, "response")) as [http.IncomingMessage];
    let answered = "";
    for await (const chunk of incoming.setEncoding("utf8")) answered += chunk as string;
    const said = withoutWhatIsReal(answered);
    const real = new Set(["date", ...(said === answered ? [] : ["content-length"])]);
    const head = incoming.rawHeaders.filter(
      (_, index, all) => !real.has((all[index - (index % 2)] ?? "").toLowerCase()),
    );
    return { head: [String(incoming.statusCode), ...head], text: said };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ECONNRESET") throw error;
    return null;
  }
}

/**
 * When an attempt was made, how long it took, and what is signed with that time, is real; so is which of
 * those ended first that were under way at the same time.
 */
function withoutWhatIsReal(text: string): string {
  const { happened, ...clock } = JSON.parse(text) as { happened?: { kind: string; data: Json }[] };
  if (happened && happened.length > 0) {
    const attempts = happened
      .filter(({ kind }) => kind === "attempt")
      .map(({ data: { event_number: _real, ...data }, ...rest }) => ({ ...rest, data }))
      .map((one) => withoutRealTimes(JSON.stringify(one)));
    const others = happened.filter(({ kind }) => kind !== "attempt");
    return JSON.stringify({ ...clock, others, attempts: attempts.toSorted() });
  }
  return withoutRealTimes(text);
}

function withoutRealTimes(text: string): string {
  return text
    .replaceAll(/"at":"[^"]+",("status":\d+|"error":"[^"]*"),"duration_ms":\d+/g, "$1")
    .replaceAll(/,"webhook-timestamp":"\d+","webhook-signature":"v1,[^"]+"/g, "");
}

type Json = Readonly<Record<string, unknown>>;

function idIn(text: string): string {
  return (JSON.parse(text) as { id: string }).id;
}

function pageOf(answer: Answer | undefined): readonly unknown[] {
  return (JSON.parse(answer?.text ?? "") as { data: readonly unknown[] }).data;
}

function errorOf(stderr: string): { readonly hint: string } {
  return (JSON.parse(stderr) as { error: { hint: string } }).error;
}
