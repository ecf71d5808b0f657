import { expect } from "vitest";
import { ENDPOINTS } from "../../src/http/routes/table.ts";
import { type AssumptionName, triedChoices } from "../../src/core/assumptions/table.ts";
import type { SandboxOptions } from "../../src/server/start.ts";
import {
  arrange,
  type Case,
  fill,
  readFolder,
  requests,
  toCall,
  tokensOf,
} from "../support/fixtures.ts";
import type { Json } from "../support/gateway.ts";
import { type Noun, World } from "./lines.ts";

const CREDENTIALS = [{ apiKey: "sandbox", apiSecret: "open sesame", merchantId: "42" }];

/** Every chapter of the golden run: a title and its lines. */
export async function* chapters(): AsyncGenerator<readonly [title: string, lines: string[]]> {
  yield* tellCases();
  for (const [name, steps] of Object.entries(CHOICE_STEPS))
    for (const choice of triedChoices(name as AssumptionName))
      yield [
        `assumption ${name}=${choice}`,
        await tell(steps, { assumptions: { [name]: choice }, credentials: CREDENTIALS }),
      ];
  for (const [title, steps] of Object.entries(STORIES)) yield [title, await tell(steps)];
  for (const [title, steps] of Object.entries(FAULTS)) yield [`fault ${title}`, await tell(steps)];
  for (const [route, [success, refusal]] of Object.entries(ROUTES))
    yield [
      `route ${route}`,
      [...(await tell(routeStep(route, success))), ...(await tell(routeStep(route, refusal)))],
    ];
}

type Steps = (world: World) => Promise<unknown>;

async function tell(steps: Steps, options?: SandboxOptions): Promise<string[]> {
  await using world = await World.start(options);
  await steps(world);
  await world.webhooks();
  expect(world.undescribed).toEqual([]);
  return world.lines;
}

/** The valid requests, as cases. */
const REQUESTS = [...requests].map(([name, body]): Case => {
  const [noun = "", isSimulation] = [name.split("-")[0], name.endsWith("-simulation")];
  if (noun === "webhook") return { name, request: { method: "PUT", path: "/v1/webhooks", body } };
  const path = `/v1/${noun}s${isSimulation ? "/simulations" : ""}`;
  if (!isSimulation) return { name, request: { method: "POST", path, body } };
  const filled = { ...body, transaction_id: "{id}" };
  return { name, given: `a waiting ${noun}`, request: { method: "POST", path, body: filled } };
});

/** Every case but those that write to the socket themselves. */
async function* tellCases(): AsyncGenerator<readonly [string, string[]]> {
  await using world = await World.start();
  const folders = ["refusals", "acceptances"].flatMap((folder) =>
    [...readFolder<Case[]>(folder)].map(([file, cases]) => [`${folder}/${file}`, cases] as const),
  );
  for (const [file, cases] of [["requests", REQUESTS] as const, ...folders]) {
    for (const one of cases.filter(({ request }) => request.path !== undefined)) {
      // With a seed a reset makes the same ids again: no line depends on the cases before it.
      if (!file.startsWith("refusals") || one.given !== undefined)
        await world.quiet({ path: "/_sandbox/reset" });
      const tokens = tokensOf(one.name);
      const id = await arrange(world.sandbox, one, tokens);
      await world.call(toCall(fill(one.request, id), tokens.own), one.name);
    }
    yield [`fixtures/${file}`, world.lines.splice(0)];
  }
}

const EVP = "123e4567-e89b-42d3-a456-426614174000";
const OTHER_CPF = "11144477735";

/** For each assumption calls that depend on its choice. */
const CHOICE_STEPS: Readonly<Record<AssumptionName, Steps>> = {
  "value.unit": async (world) => {
    await world.create("payins", { value: 10.5 });
    await paid(world, { value: 1050 });
  },
  country_code: (world) => world.create("payins", {}, { "x-country-code": "AR" }),
  "cpf.check": (world) => world.create("payins", { buyer_cpf: "12345678900" }),
  "phone.size": async (world) => {
    for (const pix_key of ["+5511987654321", "+511987654321", "+155119876543"])
      await world.create("payouts", { pix_key, pix_key_type: "phone" });
  },
  "evp.form": async (world) => {
    for (const pix_key of [EVP, EVP.toUpperCase(), EVP.replace("-4", "-1")])
      await world.create("payouts", { pix_key, pix_key_type: "evp" });
  },
  "email.size": async (world) => {
    for (const length of [77, 78])
      await world.create("payins", { buyer_email: `${"a".repeat(length - 12)}@example.com` });
  },
  "payin.generate_qrcode": (world) => world.create("payins"),
  "qr_code_base64.form": (world) => world.create("payins", { generate_qrcode: true }),
  "payin.v2": async (world) => {
    const body = world.sample("payins");
    await world.call({ path: "/v2/payins", body });
    await world.call({ path: "/v2/payins", body: { ...body, value: 0, buyer_cpf: "" } });
  },
  "payin.simulation_status": async (world) => {
    const id = await world.create("payins");
    await world.simulate("payins", id, "canceled");
    await world.control(`GET /payins/${id}`);
  },
  "payin.paid_status": async (world) =>
    world.control(`POST /payins/${await world.create("payins")}/pay`),
  "payin.expiry_event": async (world) => {
    await world.create("payins");
    await world.advance(240);
  },
  "payout.recipient": async (world) => {
    await world.create("payouts", { pix_key: EVP, pix_key_type: "evp" });
    await world.create("payouts", { pix_key: OTHER_CPF });
    const other = { receiver_cpf: OTHER_CPF, pix_key: EVP.toUpperCase(), pix_key_type: "evp" };
    await world.create("payouts", other);
    await world.control("GET /payouts");
  },
  "payout.rival": async (world) => {
    await world.create("payouts", { value: 1 });
    await world.create("payouts", { value: 2 });
    await world.control("GET /payouts");
  },
  "payout.auto": async (world) => {
    await world.create("payouts");
    await world.control("GET /clock");
    await world.control("POST /clock/advance", { seconds: 1 });
  },
  environment: async (world) => {
    await world.simulate("payins", await world.create("payins"));
    await world.simulate("payouts", await world.create("payouts"), "canceled");
  },
  "simulation.final": async (world) => {
    const id = await paid(world);
    await world.simulate("payins", id);
    await world.simulate("payins", EVP);
    const payout = await world.create("payouts");
    for (const status of ["canceled", "canceled", "completed"])
      await world.simulate("payouts", payout, status);
  },
  "simulation.message": async (world) => {
    for (const language of ["en", "pt"]) {
      await world.control("PATCH /assumptions", { "error.language": language });
      await paid(world);
      const payout = await world.create("payouts");
      await world.simulate("payouts", payout, language === "en" ? "completed" : "canceled");
    }
  },
  "header.missing": async (world) => {
    const absent = { "x-api-token": undefined, "x-provider": " " };
    await world.create("payins", {}, absent);
    await world.create("payins", {}, { "x-idempotency-key": undefined });
    await world.create("payins", { value: 0 }, { "x-provider-id": undefined });
  },
  credentials: async (world) => {
    await paid(world);
    await world.create("payins", {}, { "x-provider-id": "another" });
    await world.create("payins", {}, { "x-api-token": "another" });
  },
  "error.status": async (world) => {
    await world.create("payins", { value: 0 });
    await world.simulate("payins", EVP);
    await underOneKey(world, [1, 2]);
    for (const code of ["NO_ACTIVE_CREDENTIAL", "EXTERNAL_ERROR"])
      await world.create("payins", {}, { "x-sandbox-fault": `error=${code}` });
    await world.call({ path: "/v1/unknown" });
  },
  "error.language": async (world) => {
    await world.create("payins", { value: "ten", buyer_cpf: "", webhook_url: undefined });
    await world.create("payouts", { pix_key: "1", description: "a".repeat(141) });
    await world.simulate("payouts", EVP, "expired");
  },
  unknown_field: (world) => world.create("payins", { color: "red" }),
  "idempotency.repeat": (world) => underOneKey(world, [1, 1]),
  "idempotency.mismatch": (world) => underOneKey(world, [1, 2]),
  "idempotency.retention_seconds": async (world) => {
    await underOneKey(world, [1]);
    await world.advance(61);
    await underOneKey(world, [1]);
  },
  "webhook.configuration": async (world) => {
    await world.call({ method: "GET", path: "/v1/webhooks" });
    await configure(world);
    await world.call({ method: "GET", path: "/v1/webhooks" });
  },
  "webhook.payload": (world) => paid(world, { description: "Pedido nº 1", generate_qrcode: true }),
  "webhook.signature": (world) => paid(world),
  "webhook.success": (world) => attempted(world, 201),
  "webhook.timeout_seconds": (world) => attempted(world, "hold"),
  "webhook.retries": (world) => attempted(world, 500, 365 * 86_400),
  "rate_limit.per_minute": async (world) => {
    for (let time = 0; time < 11; time++) await world.create("payins", { value: time + 1 });
  },
};

/** What a merchant meets first: a repeat, a mismatch, a rival, an expiry, and one webhook of each type. */
const STORIES: Readonly<Record<string, Steps>> = {
  "a repeat": (world) => underOneKey(world, [1, 1], "payouts"),
  "a mismatch": (world) => underOneKey(world, [1, 2], "payouts"),
  "a rival": async (world) => {
    for (const value of [1, 2]) await world.create("payouts", { value });
    await world.webhooks();
    await world.control("GET /payouts");
  },
  "an expiry": async (world) => {
    const id = await world.create("payins", { expiration: 20 });
    await world.control("POST /clock/advance", { seconds: 20 });
    await world.simulate("payins", id);
  },
  "payin.paid and payment.received": async (world) => {
    await configure(world);
    await paid(world);
  },
  "payin.expired and payment.failed": async (world) => {
    await configure(world);
    await world.control("PATCH /assumptions", { "payin.expiry_event": "webhook" });
    await world.create("payins", { expiration: 20 });
    await world.advance(20);
  },
  "payout.completed, payout.canceled and payment.failed": async (world) => {
    await configure(world);
    for (const status of ["completed", "canceled"])
      await world.simulate("payouts", await world.create("payouts"), status);
  },
};

const ON_CALLS =
  'error=EXTERNAL_ERROR error=DUPLICATED_VALUE latency_ms=1 lost_answer patch_body={"pix_id":null,"status":"paid"}';
const ON_WEBHOOKS = "duplicate duplicate_at_once delay_ms=500 drop_attempts=2 bad_signature early";

/** Each effect of a fault, with what became of the call or of the webhook. */
const FAULTS: Readonly<Record<string, Steps>> = {
  ...Object.fromEntries(ON_CALLS.split(" ").map((effect) => [effect, onCall(effect)])),
  ...Object.fromEntries(ON_WEBHOOKS.split(" ").map((effect) => [effect, onWebhook(effect)])),
  hold: async (world) => {
    const id = await order(world, { on: "payins.create", effect: "hold" });
    const held = world.create("payins");
    const show = { method: "GET", path: `/_sandbox/faults/${id}` };
    while (!/"held":\[\{/.test((await world.quiet(show)).text));
    await world.control(`POST /faults/${id}/release`);
    await held;
  },
  reorder: async (world) => {
    await order(world, { on: "webhook", effect: "reorder", times: 1 });
    await paid(world, { value: 1 });
    await paid(world, { value: 2 });
  },
  "a match, times and the header's precedence": async (world) => {
    const match = { value: 2 };
    await order(world, { on: "payins.create", effect: "error=EXTERNAL_ERROR", match, times: 1 });
    for (const value of [1, 2, 2]) await world.create("payins", { value });
    await world.create("payins", {}, { "x-sandbox-fault": "error=NOT_PROCESSABLE" });
    await world.create("payins", {}, { "x-sandbox-fault": "explode" });
  },
};

function onCall(effect: string): Steps {
  return async (world) => {
    const key = { "x-idempotency-key": "order-1" };
    await world.create("payins", {}, { ...key, "x-sandbox-fault": effect });
    await world.create("payins", {}, key);
    await world.control("GET /payins");
  };
}

function onWebhook(effect: string): Steps {
  return async (world) => {
    const id = await order(world, { on: "webhook", effect, times: 1 });
    await attempted(world, 200);
    await world.control(`GET /faults/${id}`);
  };
}

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const FAULT = '{"on":"payouts.create","effect":"error=EXTERNAL_ERROR","times":1}';
const EVIL = "host: evil.test";

/**
 * Each control route with one success and one refusal: a path, and a header or a body. `{payins}` stands for the id of
 * what was arranged.
 */
const ROUTES: Readonly<Record<string, readonly [success: string, refusal: string]>> = {
  "GET /payins": ["/payins?status=waiting&limit=1&order=desc", "/payins?status=lost"],
  "GET /payins/{id}": ["/payins/{payins}", `/payins/${UNKNOWN}`],
  "GET /payouts": ["/payouts", "/payouts?limit=0"],
  "GET /payouts/{id}": ["/payouts/{payouts}", `/payouts/${UNKNOWN}`],
  "GET /transactions": ["/transactions", "/transactions?kind=refund"],
  "GET /transactions/{id}": ["/transactions/{payins}", `/transactions/${UNKNOWN}`],
  "POST /payins/{id}/pay": ["/payins/{payins}/pay", `/payins/${UNKNOWN}/pay`],
  "POST /payins/{id}/cancel": ["/payins/{payins}/cancel", `/payins/${UNKNOWN}/cancel`],
  "POST /payins/{id}/expire": ["/payins/{payins}/expire", `/payins/${UNKNOWN}/expire`],
  "POST /payouts/{id}/complete": ["/payouts/{payouts}/complete", `/payouts/${UNKNOWN}/complete`],
  "POST /payouts/{id}/cancel": ["/payouts/{payouts}/cancel", `/payouts/${UNKNOWN}/cancel`],
  "POST /pay": ['/pay {"code":"{code}"}', '/pay {"code":"00020126"}'],
  "GET /deliveries": ["/deliveries?status=delivered", "/deliveries?type=payin.lost"],
  "GET /deliveries/{id}": ["/deliveries/{delivery}", "/deliveries/evt_0"],
  "POST /deliveries/resend": [
    '/deliveries/resend {"type":"payin.paid"}',
    '/deliveries/resend {"typ":"payin.paid"}',
  ],
  "POST /deliveries/{id}/resend": ["/deliveries/{delivery}/resend", "/deliveries/evt_0/resend"],
  "POST /sink/{sink}": ['/sink/golden {"type":"payin.paid"}', "/sink/not+opaque {}"],
  "GET /sink": ["/sink", "/sink?limit=0"],
  "GET /wait": ["/wait?type=payin.paid", "/wait?type=payout.completed&timeout_ms=1"],
  "GET /events": ["/events", "/events last-event-id: yesterday"],
  "GET /clock": ["/clock", `/clock ${EVIL}`],
  "POST /clock/advance": ['/clock/advance {"seconds":240}', '/clock/advance {"seconds":-1}'],
  "POST /clock/set": [
    '/clock/set {"now":"2026-01-02T12:00:10.000Z"}',
    '/clock/set {"now":"2026-01-01T12:00:00.000Z"}',
  ],
  "POST /clock/freeze": ["/clock/freeze", `/clock/freeze ${EVIL}`],
  "POST /clock/resume": ["/clock/resume", `/clock/resume ${EVIL}`],
  "POST /settle": ["/settle", `/settle ${EVIL}`],
  "POST /reset": ["/reset", `/reset ${EVIL}`],
  "GET /snapshots": ["/snapshots", `/snapshots ${EVIL}`],
  "PUT /snapshots/{name}": ["/snapshots/after", "/snapshots/not%20a%20name"],
  "DELETE /snapshots/{name}": ["/snapshots/before", "/snapshots/never"],
  "POST /snapshots/{name}/restore": ["/snapshots/before/restore", "/snapshots/never/restore"],
  "GET /faults": ["/faults", "/faults?limit=0"],
  "POST /faults": [`/faults ${FAULT}`, '/faults {"on":"payout.create","times":0,"effect":"x"}'],
  "DELETE /faults": ["/faults", `/faults ${EVIL}`],
  "GET /faults/{id}": ["/faults/{fault}", "/faults/flt_0"],
  "DELETE /faults/{id}": ["/faults/{fault}", "/faults/flt_0"],
  "POST /faults/{id}/release": ["/faults/{fault}/release", "/faults/flt_0/release"],
  "GET /requests": ["/requests?limit=2&order=desc", "/requests?order=up"],
  "GET /requests/{id}": ["/requests/req_1", "/requests/req_0"],
  "GET /assumptions": ["/assumptions", `/assumptions ${EVIL}`],
  "PATCH /assumptions": [
    '/assumptions {"payout.rival":"allow","webhook.timeout_seconds":3}',
    '/assumptions {"payout.rival":"forget"}',
  ],
  "GET /integrations": ["/integrations", `/integrations ${EVIL}`],
  "GET /secret": ["/secret", `/secret ${EVIL}`],
  "GET /env": ["/env", "/env origin: http://evil.test"],
  "GET /about": ["/about", `/about ${EVIL}`],
  "GET /health": ["/health", `/health ${EVIL}`],
  "GET /ready": ["/ready", `/ready ${EVIL}`],
  "GET /openapi.json": ["/openapi.json", `/openapi.json ${EVIL}`],
  "GET /pay/{id}": ["/pay/{payins}", `/pay/${UNKNOWN}`],
  "GET /qr.svg": ["/qr.svg?text=pix", "/qr.svg"],
};

/** The control routes that have no chapter: they are redrawn, or leave. */
const NOT_TOLD =
  /^\w+ (\/|\/_sandbox\/(inspector.*|trace|report.*)?)$|^POST \/_sandbox\/pay\/\{id\}$/;

export function expectEveryRoute(): void {
  const all = ENDPOINTS.map(([key]) => key);
  const told = all.filter((route) => / \/(_sandbox|$)/.test(route) && !NOT_TOLD.test(route));
  const written = Object.keys(ROUTES).map((route) => route.replace(" ", " /_sandbox"));
  expect(written.toSorted()).toEqual(told.toSorted());
}

/** A call of a control route, with records, a delivery, a fault and a snapshot arranged. */
function routeStep(route: string, sent: string): Steps {
  return async (world) => {
    const created = async (noun: Noun) =>
      (await world.quiet({ path: `/v1/${noun}`, body: world.sample(noun) })).json as Json;
    const [payin, other] = [await created("payins"), await created("payins")];
    await world.quiet({ path: `/_sandbox/payins/${String(other["id"])}/pay` });
    await world.arrived();
    const payout = await created("payouts");
    const fault = await order(world, { on: "payouts.simulate", effect: "latency_ms=1" });
    await world.quiet({ method: "PUT", path: "/_sandbox/snapshots/before" });
    const { json } = await world.quiet({ method: "GET", path: "/_sandbox/deliveries" });
    const delivery = (json as { data: Json[] }).data[0]?.["id"];
    const ids = { payins: payin["id"], payouts: payout["id"], delivery, fault };
    const values: Json = { ...ids, code: payin["qr_code"] };
    const filled = sent.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
    const [, path = "", header, value, body] =
      /^(\S+)(?: ([\w-]+): (\S+))?(?: (.+))?$/.exec(filled) ?? [];
    if (path === "/events" && !header) await world.firstEvent();
    else
      await world.control(
        `${route.split(" ")[0]} ${path}`,
        body,
        header ? { [header]: value } : {},
      );
  };
}

async function order(world: World, fault: Json): Promise<string> {
  const { json } = await world.quiet({ path: "/_sandbox/faults", body: fault });
  return String((json as Json)["id"]);
}

async function paid(world: World, members?: Json): Promise<string> {
  const id = await world.create("payins", members);
  await world.simulate("payins", id);
  return id;
}

async function underOneKey(world: World, values: number[], noun = "payins" as Noun): Promise<void> {
  for (const value of values) await world.create(noun, { value }, { "x-idempotency-key": "one" });
}

async function configure(world: World): Promise<void> {
  const events = ["payment.received", "payment.failed"];
  const body = { webhook_url: world.merchant.at("/all"), events };
  await world.call({ method: "PUT", path: "/v1/webhooks", body });
}

/** Pays a payin whose webhook gets this response; writes what became of the delivery some time later. */
async function attempted(world: World, response: 200 | 201 | 500 | "hold", seconds = 40) {
  world.merchant.answerWith(response);
  await paid(world);
  await world.webhooks();
  await world.advance(seconds);
  await world.webhooks();
  await world.control("GET /deliveries");
}
