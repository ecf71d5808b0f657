import { afterAll, describe, expect, it } from "vitest";
import { startSandbox } from "../../src/server/start.ts";
import {
  type Acceptance,
  arrange,
  bodyOf,
  type Case,
  create,
  fill,
  GENERATED,
  GIVENS,
  readFolder,
  type Refusal,
  type Request,
  requests,
  toCall,
  type Tokens,
  tokensOf,
} from "../support/fixtures.ts";
import { type Answer, call, control, type Json, recordsOf, sendRaw } from "../support/gateway.ts";

const MEMBERS = ["value", "description", "webhook_url"];
const PAYIN_MEMBERS = MEMBERS.concat(
  ["buyer_cpf", "buyer_name", "buyer_email"],
  ["generate_qrcode", "expiration"],
);
const PAYOUT_MEMBERS = MEMBERS.concat(
  ["receiver_cpf", "receiver_name", "receiver_email"],
  ["pix_key", "pix_key_type"],
);

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

const refusals = readFolder<Refusal[]>("refusals");
const acceptances = readFolder<Acceptance[]>("acceptances");

const reported: string[] = [];
const sandbox = await startSandbox({ report: (line) => reported.push(line) });
afterAll(() => sandbox.close());

describe.each([...refusals])("a request of refusals/%s", (file, cases) => {
  it.each(cases.map((refusal) => [refusal.name, refusal] as const))(
    "is refused: %s",
    async (name, refusal) => {
      const tokens = tokensOf(`${file}: ${name}`);
      const id = await arrange(sandbox, refusal, tokens);
      const before = await worldOf(tokens);

      const answer = await send(fill(refusal.request, id), tokens.own);

      expect(answer).toMatchObject({
        status: refusal.status,
        headers: { "content-type": "application/json", ...refusal.headers },
        json: refusal.answer,
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
      const id = await arrange(sandbox, acceptance, tokens);
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
    if (isSimulation) body["transaction_id"] = await create(sandbox, tokens.own, noun);

    const request = name.startsWith("webhook")
      ? { method: "PUT", path: "/v1/webhooks" }
      : { path: `/v1/${noun}${isSimulation ? "/simulations" : ""}` };
    const answer = await call(sandbox, { ...request, token: tokens.own, body });
    expect(answer.status).toBe(200);
  });
});

describe("the fixtures", () => {
  const cases: Case[] = [...refusals.values(), ...acceptances.values()].flat();

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
          const errors = request.path === path ? answer.errors : [];
          return errors.map(({ field, code }) => `${field} ${code}`);
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

async function send(request: Request, token: string): Promise<Answer> {
  if (request.socket !== undefined) return sendRaw(sandbox, request.socket);
  if (request.path === undefined) return sendRaw(sandbox, String(bodyOf(request)));
  return call(sandbox, toCall(request, token));
}
