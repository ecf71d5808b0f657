import { readdirSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start.ts";
import {
  type Acceptance,
  type Case,
  FIXTURES,
  readFolder,
  type Refusal,
  type Request,
} from "../support/fixtures.ts";
import { type Answer, call, control, type Json, recordsOf, sendRaw } from "../support/gateway.ts";

/** Two integrations a case, so that no case meets another. */
interface Tokens {
  readonly own: string;
  readonly other: string;
}

const PAYIN_MEMBERS = [
  "value",
  "description",
  "buyer_cpf",
  "buyer_name",
  "buyer_email",
  "webhook_url",
  "generate_qrcode",
  "expiration",
];
const PAYOUT_MEMBERS = [
  "value",
  "description",
  "receiver_cpf",
  "receiver_name",
  "receiver_email",
  "webhook_url",
  "pix_key",
  "pix_key_type",
];

/** All that a record or a configuration has: what is not documented leaves no trace in it. */
const KEPT_MEMBERS = new Set([
  ...PAYIN_MEMBERS,
  ...PAYOUT_MEMBERS,
  "id",
  "pix_id",
  "acquirer_id",
  "qr_code",
  "end_to_end_id",
  "integration",
  "status",
  "created_at",
  "expires_at",
  "settled_at",
  "events",
]);

const requests = readFolder<Json>("requests");
const refusals = readFolder<Refusal[]>("refusals");
const acceptances = readFolder<Acceptance[]>("acceptances");

const reported: string[] = [];
const sandbox = await startSandbox({ report: (line) => reported.push(line) });
afterAll(() => sandbox.close());

/** Nobody listens there: what becomes of the deliveries is no matter of these tests. */
const NOWHERE = { webhook_url: "http://127.0.0.1:9/" };

const GIVENS: Readonly<Record<string, (tokens: Tokens) => Promise<string>>> = {
  "a waiting payin": ({ own }) => create(own, "payins"),
  "a waiting payout": ({ own }) => create(own, "payouts"),
  "a waiting payin of another integration": ({ other }) => create(other, "payins"),
  "a waiting payout of another integration": ({ other }) => create(other, "payouts"),
  "a paid payin": ({ own }) => createMoved(own, "payins", "pay"),
  "a canceled payin": ({ own }) => createMoved(own, "payins", "cancel"),
  "an expired payin": ({ own }) => createMoved(own, "payins", "expire"),
  "a completed payout": ({ own }) => createMoved(own, "payouts", "complete"),
  "a canceled payout": ({ own }) => createMoved(own, "payouts", "cancel"),
  "a completed payin": async ({ own }) => {
    const id = await create(own, "payins");
    await call(sandbox, {
      path: "/v1/payins/simulations",
      token: own,
      body: { transaction_id: id, status: "completed" },
    });
    return id;
  },
  "a payin under the key order-1": ({ own }) => create(own, "payins", "order-1"),
  "a payout under the key order-1": ({ own }) => create(own, "payouts", "order-1"),
};

const MIB = 1024 * 1024;

const GENERATED: Readonly<Record<string, (base: Json) => string>> = {
  "1 MiB": (base) => paddedTo(MIB, base),
  "1 MiB and a byte": (base) => paddedTo(MIB + 1, base),
  "8 MiB": (base) => paddedTo(8 * MIB, base),
  // The body itself is the first level.
  "32 levels of objects": (base) => withMember(base, '{"a":'.repeat(30) + "{}" + "}".repeat(30)),
  "33 levels of objects": (base) => withMember(base, '{"a":'.repeat(31) + "{}" + "}".repeat(31)),
  "32 levels of arrays": (base) => withMember(base, "[".repeat(31) + "]".repeat(31)),
  "33 levels of arrays": (base) => withMember(base, "[".repeat(32) + "]".repeat(32)),
  "100000 levels of arrays": (base) =>
    withMember(base, "[".repeat(100_000 - 1) + "]".repeat(100_000 - 1)),
  "32 KiB of headers": () =>
    `GET /v1/payins HTTP/1.1\r\nhost: localhost\r\nx-provider: ${"a".repeat(32 * 1024)}\r\n\r\n`,
};

describe.each([...refusals])("a request of refusals/%s", (file, cases) => {
  it.each(cases.map((refusal) => [refusal.name, refusal] as const))(
    "is refused: %s",
    async (name, refusal) => {
      const tokens = tokensOf(`${file}: ${name}`);
      const id = await arrange(refusal, tokens);
      const before = await worldOf(tokens);

      const answer = await send(fill(refusal.request, id), tokens.own);

      expect({
        status: answer.status,
        headers: answer.headers,
        answer: answer.json,
      }).toEqual({
        status: refusal.status,
        headers: expect.objectContaining({
          "content-type": "application/json",
          ...refusal.headers,
        }),
        answer: fill(refusal.answer, id),
      });
      expect(await worldOf(tokens)).toEqual(before);
    },
  );
});

describe.each([...acceptances])("a request of acceptances/%s", (file, cases) => {
  it.each(cases.map((acceptance) => [acceptance.name, acceptance] as const))(
    "is accepted: %s",
    async (name, acceptance) => {
      const tokens = tokensOf(`${file}: ${name}`);
      const id = await arrange(acceptance, tokens);
      const request = fill(acceptance.request, id);

      const answer = await send(request, tokens.own);

      expect(answer).toMatchObject({
        status: 200,
        headers: { "content-type": "application/json" },
      });
      const kept = await keptOf(request, answer, tokens.own, id);
      expect(kept).toMatchObject({ ...sentBy(request), ...acceptance.record });
      expect(Object.keys(kept).filter((member) => !KEPT_MEMBERS.has(member))).toEqual([]);
      expect(Object.keys(answer.json as Json).toSorted()).toEqual(answerMembers(request, kept));
    },
  );
});

describe("a request of fixtures/requests", () => {
  it.each([...requests.keys()])("is accepted as it stands: %s", async (name) => {
    const tokens = tokensOf(name);
    const body = { ...requests.get(name) };
    const noun = name.startsWith("payin") ? "payins" : "payouts";
    const isSimulation = name.endsWith("-simulation");
    if (isSimulation) body["transaction_id"] = await create(tokens.own, noun);

    const answer = name.startsWith("webhook")
      ? await call(sandbox, { method: "PUT", path: "/v1/webhooks", token: tokens.own, body })
      : await call(sandbox, {
          path: `/v1/${noun}${isSimulation ? "/simulations" : ""}`,
          token: tokens.own,
          body,
        });

    expect(answer.status).toBe(200);
  });

  it("is there for every operation and every type of key", () => {
    expect([...requests.keys()].toSorted()).toEqual([
      "payin",
      "payin-full",
      "payin-simulation",
      "payout-cpf",
      "payout-email",
      "payout-evp",
      "payout-phone",
      "payout-simulation",
      "webhook-configuration",
    ]);
  });

  it("has every documented member in payin-full and in the payouts", () => {
    expect(Object.keys(requests.get("payin-full") ?? {})).toEqual(PAYIN_MEMBERS);
    for (const type of ["cpf", "email", "evp", "phone"]) {
      const request = requests.get(`payout-${type}`) ?? {};
      expect(Object.keys(request)).toEqual(PAYOUT_MEMBERS);
      expect(request["pix_key_type"]).toBe(type);
    }
  });
});

describe("the fixtures", () => {
  const cases: Case[] = [...refusals.values(), ...acceptances.values()].flat();

  it("are of the three kinds that are read here, and scenarios", () => {
    const kinds = readdirSync(FIXTURES, { withFileTypes: true });
    expect(kinds.map(({ name }) => name).toSorted()).toEqual([
      "acceptances",
      "refusals",
      "requests",
      "scenarios",
    ]);
    for (const { name } of kinds) {
      const files = readdirSync(new URL(`${name}/`, FIXTURES));
      expect(files.filter((file) => !file.endsWith(".json"))).toEqual([]);
    }
  });

  it("have a name of its own for every case of a file", () => {
    for (const file of [...refusals.values(), ...acceptances.values()]) {
      const names = file.map(({ name }: Case) => name);
      expect(names).toEqual([...new Set(names)]);
    }
  });

  it("use every base, every given and every generator, and no other", () => {
    const used = (pick: (fixture: Case) => string | undefined): string[] =>
      [...new Set(cases.flatMap((fixture) => pick(fixture) ?? []))].toSorted();

    expect(used(({ given }) => given)).toEqual(Object.keys(GIVENS).toSorted());
    expect(used(({ request }) => request.generate)).toEqual(Object.keys(GENERATED).toSorted());
    const bases = used(({ request }) => request.base);
    expect(bases.filter((base) => !requests.has(base))).toEqual([]);
  });

  const documented: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ["/v1/payins", PAYIN_MEMBERS, ["description", "generate_qrcode", "expiration"]],
    ["/v1/payouts", PAYOUT_MEMBERS, ["description"]],
    ["/v1/payins/simulations", ["transaction_id", "status"], []],
    ["/v1/payouts/simulations", ["transaction_id", "status"], []],
    ["/v1/webhooks", ["webhook_url", "events"], []],
  ];

  it.each(documented)(
    "refuse each member of %s in each way that it can be wrong",
    (path, members, optional) => {
      const codes = new Set(
        [...refusals.values()].flat().flatMap(({ request, answer }) => {
          const { errors } = answer as { errors: Json[] };
          return request.path === path
            ? errors.map(({ field, code }) => `${String(field)} ${String(code)}`)
            : [];
        }),
      );
      const wanted = members.flatMap((member) => [
        ...(optional.includes(member) ? [] : [`${member} REQUIRED_VALUE`]),
        `${member} EMPTY_VALUE`,
        `${member} INVALID_VALUE`,
      ]);
      expect(wanted.filter((code) => !codes.has(code))).toEqual([]);
    },
  );
});

describe("the sandbox, after all of these requests", () => {
  it("has nothing unexpected to report", () => {
    expect(reported).toEqual([]);
  });
});

function tokensOf(name: string): Tokens {
  const own = Buffer.from(name).toString("hex");
  return { own, other: `${own}-other` };
}

async function arrange({ given }: Case, tokens: Tokens): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const make = GIVENS[given];
  if (!make) throw new Error(`Nothing is known of ${given}.`);
  return make(tokens);
}

/** The members that a fixture says; a simulation's are of no record. */
function sentBy({ path, base = "", members, raw }: Request): Json {
  if (raw !== undefined || path.endsWith("/simulations")) return {};
  return { ...requests.get(base), ...members };
}

/** What the sandbox then has: the record that was made or settled, or the configuration. */
async function keptOf(
  { path }: Request,
  answer: Answer,
  token: string,
  id: string | undefined,
): Promise<Json> {
  if (path === "/v1/webhooks")
    return (await call(sandbox, { method: "GET", path, token })).json as Json;
  const noun = path.includes("/payins") ? "payins" : "payouts";
  const recordId = id ?? String((answer.json as Json)["id"]);
  return control(sandbox, token, `GET /${noun}/${recordId}`);
}

/** The documented members of an answer, in the order of the alphabet. */
function answerMembers({ path }: Request, kept: Json): readonly string[] {
  if (path === "/v1/webhooks") return ["events", "webhook_url"];
  if (path.endsWith("/simulations")) return ["message"];
  if (path === "/v1/payouts") return ["id", "status"];
  const image = kept["generate_qrcode"] === true ? ["qr_code_base64"] : [];
  return ["acquirer_id", "id", "pix_id", "qr_code", ...image];
}

/** What both integrations have; a refusal changes nothing of it. */
async function worldOf({ own, other }: Tokens): Promise<unknown> {
  const read = (token: string) =>
    Promise.all([
      recordsOf(sandbox, token, "payins"),
      recordsOf(sandbox, token, "payouts"),
      call(sandbox, { method: "GET", path: "/v1/webhooks", token }).then(({ json }) => json),
    ]);
  return Promise.all([read(own), read(other)]);
}

async function create(token: string, noun: "payins" | "payouts", key?: string): Promise<string> {
  const body = requests.get(noun === "payins" ? "payin" : "payout-cpf");
  const answer = await call(sandbox, {
    path: `/v1/${noun}`,
    token,
    ...(key !== undefined && { headers: { "x-idempotency-key": key } }),
    // Under a key, the body must be the one that the fixture repeats; nothing is delivered then.
    body: key === undefined ? { ...body, ...NOWHERE } : body,
  });
  expect(answer.status).toBe(200);
  return String((answer.json as Json)["id"]);
}

async function createMoved(
  token: string,
  noun: "payins" | "payouts",
  move: string,
): Promise<string> {
  const id = await create(token, noun);
  await control(sandbox, token, `POST /${noun}/${id}/${move}`);
  return id;
}

async function send(request: Request, token: string): Promise<Answer> {
  if (request.socket !== undefined) return sendRaw(sandbox, request.socket);
  const body = bodyOf(request);
  if (request.path === undefined) return sendRaw(sandbox, String(body));
  const omitted = Object.fromEntries(
    (request.omit_headers ?? []).map((name) => [name, undefined] as const),
  );
  return call(sandbox, {
    method: request.method,
    path: request.path,
    token,
    headers: { ...request.headers, ...omitted },
    body,
    isChunked: request.is_chunked ?? false,
  });
}

function bodyOf(request: Request): string | Buffer | undefined {
  const { base, members, texts = {}, without = [], body, raw, bytes, generate } = request;
  if (raw !== undefined) return raw;
  if (bytes !== undefined) return Buffer.from(bytes, "hex");
  if (body !== undefined) return JSON.stringify(body);
  const begun: Json = { ...requests.get(base ?? "") };
  if (generate !== undefined) {
    const make = GENERATED[generate];
    if (!make) throw new Error(`Nothing generates ${generate}.`);
    return make(begun);
  }
  if (base === undefined) return undefined;
  const written = Object.entries({ ...begun, ...members })
    .filter(([name]) => !without.includes(name) && !Object.hasOwn(texts, name))
    .map(([name, value]) => [name, JSON.stringify(value)] as const);
  const all = [...written, ...Object.entries(texts)];
  return `{${all.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

/** The same value with the id of what was given in it. */
function fill<Value>(value: Value, id: string | undefined): Value {
  if (id === undefined) return value;
  return JSON.parse(JSON.stringify(value).replaceAll("{id}", id)) as Value;
}

function withMember(base: Json, text: string): string {
  return `${JSON.stringify(base).slice(0, -1)},"note":${text}}`;
}

function paddedTo(size: number, base: Json): string {
  const bare = withMember(base, '""');
  return withMember(base, `"${"a".repeat(size - Buffer.byteLength(bare))}"`);
}
