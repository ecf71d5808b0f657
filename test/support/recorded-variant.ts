import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startRecorder } from "../../src/cli/fidelity/recorder.ts";
import { withModel } from "../../src/cli/fidelity/model-sandbox.ts";
import { type Drift, findDrift } from "../../src/fidelity/drift.ts";
import type { RecordedEvent } from "../../src/fidelity/recording.ts";
import { readRecording, type Recording } from "../../src/fidelity/recording.ts";
import type { DeviationId } from "../variants/deviations.ts";
import { startVariant, type Variant } from "../variants/start-variant.ts";

/** One call of a shop. `of`: the call whose transaction it names. */
interface ShopCall {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly of?: number;
}

const CPFS = ["52998224725", "11144477735", "12345678909", "98765432100"] as const;
const payin = (body: object = {}, headers: ShopCall["headers"] = {}): ShopCall => ({
  path: "/payins",
  headers,
  body: {
    value: 10,
    buyer_cpf: CPFS[0],
    buyer_name: "Joana Prado",
    buyer_email: "joana.prado@mail.example",
    description: "Pedido de Joana",
    ...body,
  },
});
const payout = (body: object = {}): ShopCall => ({
  path: "/payouts",
  body: {
    value: 10,
    receiver_cpf: CPFS[1],
    receiver_name: "Davi Luz",
    receiver_email: "davi@mail.example",
    pix_key: "davi@mail.example",
    pix_key_type: "email",
    ...body,
  },
});
const simulate = (kind: "payins" | "payouts", of: number | undefined, status = "completed") => ({
  path: `/${kind}/simulations`,
  body: { transaction_id: "00000000-0000-4000-8000-00000000000f", status },
  ...(of !== undefined && { of }),
});
const ONE_KEY = { "x-idempotency-key": "5f0c3a8e-7d8b-4a55-9c39-0a4ab2b9d5a1" };

/** What a shop does in a day, with the mistakes of its first version. The last two calls end the recording. */
const DAY: readonly ShopCall[] = [
  payin(),
  simulate("payins", 0),
  simulate("payins", 0),
  simulate("payins", undefined),
  payin({ generate_qrcode: true }),
  simulate("payins", 4, "canceled"),
  payin({ value: 10.5 }),
  payin({ buyer_cpf: "12345678900" }),
  payin({ buyer_email: `${"a".repeat(60)}@mail-of-a-long-name.example.com` }),
  payin({ buyer_name: undefined, buyer_email: "", description: "x".repeat(141) }),
  payin({ description: "y".repeat(120), expiration: 30 }),
  payin({ coupon: "x" }),
  payin({}, { "x-provider": undefined, "x-country-code": "" }),
  payin({}, { "x-country-code": "AR" }),
  payin({}, { "x-api-token": "another-token" }),
  payin({}, ONE_KEY),
  payin({}, ONE_KEY),
  payin({ value: 11 }, ONE_KEY),
  payin({ value: -1 }, ONE_KEY),
  payout(),
  payout(),
  simulate("payouts", 20),
  simulate("payouts", 19, "canceled"),
  payout({ receiver_cpf: CPFS[2], pix_key_type: "phone", pix_key: "+5511987654321" }),
  payout({ receiver_cpf: CPFS[3], pix_key_type: "phone", pix_key: "+111987654321" }),
  payout({
    receiver_cpf: CPFS[0],
    pix_key_type: "evp",
    pix_key: "5F0C3A8E-7D8B-4A55-9C39-0A4AB2B9D5A2",
  }),
  // Its webhook can come before its response.
  payout({ receiver_cpf: CPFS[0], receiver_name: "Rosa Maia", pix_key: "other@mail.example" }),
  simulate("payouts", 25),
  payin({ buyer_cpf: CPFS[2] }),
  simulate("payins", 28),
];

/** What a shop must not find in a recording. */
export const PRIVATE = [
  "Joana",
  "joana.prado",
  "Davi Luz",
  "Rosa Maia",
  "davi@mail.example",
  "987654321",
  "another-token",
  ...CPFS,
];

export interface Recorded {
  readonly recording: Recording;
  /** The file. */
  readonly text: string;
  readonly variant: Variant;
}

/** Records a shop's day at a hidden gateway. */
export async function recordDay(
  seed: Parameters<typeof startVariant>[0],
  deviations: readonly DeviationId[] = [],
): Promise<Recorded> {
  await using variant = await startVariant(seed, { deviations });
  await using shop = await startShop();
  const lines: string[] = [];
  const start = { type: "pix-sandbox-recording", version: 1, atMs: Date.now(), hasWebhooks: true };
  const onEvent = (event: RecordedEvent): void => void lines.push(JSON.stringify(event));
  await using recorder = await startRecorder({
    port: 0,
    target: variant.url,
    // The recorder's own port: nothing is between it and the gateway.
    get publicUrl() {
      return `http://127.0.0.1:${recorder.port}`;
    },
    nowMs: Date.now,
    onEvent,
    onFailure(error) {
      throw error;
    },
  });
  const url = `http://127.0.0.1:${recorder.port}/v1`;
  await live(url, variant, DAY, shop);
  onEvent({ type: "end", atMs: Date.now() + LATER_MS });
  const text = [JSON.stringify(start), ...lines, ""].join("\n");
  const recording = readRecording(text);
  if ("refusal" in recording) throw new Error("not a recording");
  return { recording, text, variant };
}

/** The recording ends later than its last webhook. */
const LATER_MS = 1001;

/** What the gateway with these choices does on the recorded day: a second reading of the specification. */
async function liveAgain(
  { calls }: Recording,
  choices: Parameters<typeof startVariant>[0],
): Promise<Day> {
  await using variant = await startVariant(choices);
  await using shop = await startShop();
  const again = calls.map(({ path, headers, body }, index): ShopCall => {
    const { of } = DAY[index] ?? {};
    const absent = Object.fromEntries(HEADERS.map((name) => [name, undefined]));
    const sent = JSON.parse(body) as Record<string, unknown>;
    if ("webhook_url" in sent) sent["webhook_url"] = `${shop.url}/hook`;
    return {
      path: path.replace("/v1", ""),
      headers: { ...absent, ...headers },
      body: sent,
      // What was refused has no id: its later call names an unknown one.
      ...(of !== undefined && "id" in parsed(calls[of]?.response.body ?? "{}") && { of }),
    };
  });
  return await live(variant.url, variant, again, shop);
}

interface Day {
  readonly responses: readonly { readonly status: number; readonly body: string }[];
  readonly headers: readonly Headers[];
  readonly webhooks: readonly Received[];
}

interface Received {
  readonly method: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

interface Shop extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** Resolves when a webhook that contains a text has come. */
  until(text: string): Promise<void>;
}

async function live(
  url: string,
  { credential: { api_key: token, merchant_id: id }, choices }: Variant,
  calls: readonly ShopCall[],
  shop: Shop,
): Promise<Day> {
  const responses: { status: number; body: string }[] = [];
  const headers: Headers[] = [];
  const ids: (string | undefined)[] = [];
  for (const [index, { path, body, headers: own, of }] of calls.entries()) {
    const named = of === undefined ? undefined : ids[of];
    const sent = { webhook_url: `${shop.url}/hook`, ...body };
    const isCreation = !path.endsWith("simulations");
    const standard = {
      "content-type": "application/json",
      "x-api-token": token,
      "x-provider-id": id,
      "x-provider": "Loja",
      "x-country-code": "BR",
      ...(isCreation && { "x-idempotency-key": `${KEY_START}${String(index).padStart(12, "0")}` }),
    };
    const all = Object.entries({ ...standard, ...own }).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    );
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: all,
      body: JSON.stringify({
        ...(isCreation ? sent : body),
        ...(named !== undefined && { transaction_id: named }),
      }),
    });
    const text = await response.text();
    responses.push({ status: response.status, body: text });
    headers.push(response.headers);
    ids.push((JSON.parse(text) as { id?: string }).id);
  }
  const last = ids.at(-2);
  if (choices.environment === "staging" && last !== undefined) await shop.until(last);
  return { responses, headers, webhooks: shop.received };
}

const HEADERS = "x-api-token x-provider-id x-provider x-country-code x-idempotency-key".split(" ");
const KEY_START = "5f0c3a8e-7d8b-4a55-9c39-";

async function startShop(): Promise<Shop> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => {
      const { method = "", headers } = request;
      received.push({ method, headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(200).end();
      for (const look of waiting) look();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    until: (text) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (received.some(({ body }) => body.includes(text))) resolve();
        };
        waiting.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

const NONE: Readonly<Record<string, string>> = {};

/** The drift of a recording against the sandbox's choices. */
export function driftOf(
  { recording }: Pick<Recorded, "recording">,
  choices: Readonly<Record<string, string>>,
): Promise<Drift> {
  const { headers } = recording.calls[0] ?? { headers: NONE };
  const callers = [
    { apiKey: headers["x-api-token"] ?? "", merchantId: headers["x-provider-id"] ?? "" },
  ];
  return withModel({ callers }, (model) => findDrift(recording, model, choices));
}

/**
 * What drift says too much or too little of a recorded hidden gateway: against the default choices, and against its own
 * choices, where only what no choice describes differs.
 */
export async function driftMistakes(seed: number): Promise<string[]> {
  const recorded = await recordDay(seed);
  const { recording, variant } = recorded;
  // The recorded token is masked.
  const own = { ...variant.choices, credentials: "any" };
  const found: string[] = [];
  for (const choices of [{}, own]) {
    const { differences } = await driftOf(recorded, choices);
    const said = differences.map(({ call, webhook, path }) => `${call} ${webhook} ${path}`);
    const shown = differencesBetween(recording, await liveAgain(recording, choices));
    found.push(
      ...said.filter((one) => !shown.includes(one)).map((one) => `${seed}: not so: ${one}`),
      ...shown.filter((one) => !said.includes(one)).map((one) => `${seed}: not said: ${one}`),
    );
  }
  return found;
}

/** The members that differ between two days, by a comparison of its own: `call webhook member`. */
function differencesBetween(recorded: Pick<Recording, "calls" | "webhooks">, day: Day): string[] {
  const one = {
    responses: recorded.calls.map(({ response }) => response),
    replayed: recorded.calls.map(({ response }) => response.headers["idempotent-replayed"] ?? null),
    webhooks: recorded.webhooks,
  };
  const other = {
    responses: day.responses,
    replayed: day.headers.map((headers) => headers.get("idempotent-replayed")),
    webhooks: day.webhooks,
  };
  const found: string[] = [];
  for (const index of one.responses.keys()) {
    const [first, second] = [one, other].map(({ responses, replayed, webhooks }) => {
      const bodies = responses.map(({ body }) => parsed(body));
      const { id } = bodies[index] ?? {};
      const origin = bodies.findIndex((body) => body["id"] === id);
      const isOwn = id !== undefined && origin === index;
      return {
        response: {
          ...flat(bodies[index] ?? {}),
          "http status": responses[index]?.status,
          ...(replayed[index] !== null && { "http idempotent-replayed": replayed[index] }),
          ...(id !== undefined && !isOwn && { "id of call": origin }),
        },
        webhooks: isOwn ? webhooks.filter(({ body }) => body.includes(JSON.stringify(id))) : [],
      };
    });
    if (!first || !second) continue;
    found.push(...unlike(first.response, second.response).map((path) => `${index} 0 ${path}`));
    const count = Math.max(first.webhooks.length, second.webhooks.length);
    for (let number = 0; number < count; number += 1) {
      const [a, b] = [first.webhooks[number], second.webhooks[number]];
      const paths = a && b ? unlike(webhookMembers(a), webhookMembers(b)) : [""];
      found.push(...paths.map((path) => `${index} ${number + 1} ${path}`));
    }
  }
  return found.toSorted();
}

type Flat = Record<string, unknown>;

function webhookMembers({ method, headers, body }: Received): Flat {
  const signature = Object.keys(headers).filter((name) => /^webhook-|signature/.test(name));
  const http = { "http method": method, "http signature": signature.toSorted().join() };
  return { ...flat(parsed(body)), ...http };
}

function parsed(body: string): Flat {
  return JSON.parse(body) as Flat;
}

function flat(value: unknown, path = ""): Flat {
  if (typeof value !== "object" || value === null) return { [path]: value };
  const entries = Object.entries(path === "errors" ? byField(value as Flat[]) : value);
  if (entries.length === 0) return { [path]: Array.isArray(value) ? "[]" : "{}" };
  const members = entries.map(([name, one]) => flat(one, path === "" ? name : `${path}.${name}`));
  return Object.assign({}, ...members) as Flat;
}

function byField(errors: readonly Flat[]): Flat[] {
  return errors.toSorted((a, b) => (String(a["field"]) < String(b["field"]) ? -1 : 1));
}

/** Texts that each gateway words or draws itself need to be of one kind, everything else equal. */
function unlike(a: Flat, b: Flat): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(
    (path) => path in a !== path in b || kindOf(path, a[path]) !== kindOf(path, b[path]),
  );
}

function kindOf(path: string, value: unknown): string {
  const name = path.split(".").at(-1) ?? "";
  if (typeof value !== "string") return JSON.stringify(value);
  if (/^(code|status|type|field)$|^http /.test(name)) return value;
  if (name === "message") return /[ãçáéíóú]|\b(campo|foi)\b/.test(value) ? "pt" : "en";
  if (name === "qr_code_base64") return value.slice(0, 24).replace(/,.*/, "");
  if (name === "qr_code") return /530398654\d\d\d/.test(value) ? "with an amount" : "without";
  if (name === "id") return /^[\da-f-]{36}$/.test(value) ? "UUID" : "text";
  return "text";
}
