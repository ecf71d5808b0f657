import { once } from "node:events";
import http from "node:http";
import type { Served } from "./serving.ts";
import { BUYER, RECEIVER } from "./calls.ts";
import type { Merchant } from "./merchant.ts";

/** One request, as a merchant's program or a test suite sends it. */
export interface Step {
  /** Method and path, or what makes them of the text of the answer before it to the same integration. */
  readonly route: string | ((before: string) => string);
  /** The integration; all of them where it is absent, which only control routes take. */
  readonly token?: string;
  /** What is sent, or what is made of the text of the answer before it to the same integration. */
  readonly body?: object | ((before: string) => object);
  readonly key?: string;
  readonly fault?: string;
}

/** Everything that an answer was, but for its date; null where the connection died. */
export type Answer = { readonly head: readonly string[]; readonly text: string } | null;
/** What there is to read in the end. */
export const KINDS: readonly Step[] = ["payins", "payouts", "deliveries", "faults"].map((noun) => ({
  route: `GET /_sandbox/${noun}?limit=1000`,
}));

export const SETTLE: Step = { route: "POST /_sandbox/settle" };
export const EXPIRE: Step = { route: "POST /_sandbox/clock/advance", body: { seconds: 120 } };

/** What one integration does, each step settled before the next: what fails by chance, rivals, webhooks that swap. */
export function ownStory(merchant: Merchant, token: string, name = "order"): readonly Step[] {
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
export function wholeStory(merchant: Merchant): readonly Step[] {
  const webhook_url = merchant.at("/fails");
  return [
    { route: "GET /_sandbox/secret" },
    { route: "GET /_sandbox/clock" },
    { route: "POST /_sandbox/faults", body: { on: "webhook", effect: "duplicate", times: 3 } },
    ...ownStory(merchant, "shop"),
    ...ownStory(merchant, "kiosk"),
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

export interface Run {
  readonly answers: readonly Answer[];
  /** By address: what two of them are sent at the same time, the network may let arrive in any order. */
  readonly webhooks: ReadonlyMap<string, readonly object[]>;
  readonly ready: object;
}

export async function play(
  serving: Served,
  merchant: Merchant,
  story: readonly Step[],
): Promise<Run> {
  const earlier = merchant.received.length;
  const answers: Answer[] = [];
  const lasts = new Map<string | undefined, string>();
  for (const step of story) {
    const { token, body, route } = step;
    const before = lasts.get(token) ?? "";
    const sent = typeof body === "function" ? body(before) : body;
    const named = typeof route === "function" ? route(before) : route;
    const answer = await send(serving, step, named, sent);
    answers.push(answer);
    lasts.set(token, answer?.text ?? "");
  }
  const webhooks = new Map<string, object[]>();
  for (const { method, path, headers, body } of merchant.received.slice(earlier)) {
    const one = { method, id: headers["webhook-id"], body };
    webhooks.set(path, [...(webhooks.get(path) ?? []), one]);
  }
  const { seed: said, secret, version } = serving.ready;
  return { answers, webhooks, ready: { said, secret, version } };
}

async function send(
  { url }: Served,
  { token, key, fault }: Step,
  route: string,
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
      .map((one) => withoutRealTimes(JSON.stringify(one)));
    const others = happened.filter(({ kind }) => kind !== "attempt");
    return JSON.stringify({ ...clock, others, attempts: attempts.toSorted() });
  }
  return withoutRealTimes(text);
}

function withoutRealTimes(text: string): string {
  return text
    .replaceAll(
      /"at":"[^"]+",("sandbox_at":"[^"]+",(?:"status":\d+|"error":"[^"]*")),"duration_ms":\d+/g,
      "$1",
    )
    .replaceAll(/,"webhook-timestamp":"\d+","webhook-signature":"v1,[^"]+"/g, "");
}

type Json = Readonly<Record<string, unknown>>;

function idIn(text: string): string {
  return (JSON.parse(text) as { id: string }).id;
}
