import { readdirSync, readFileSync } from "node:fs";
import { expect } from "vitest";
import type { Sandbox } from "../../src/server/start.ts";
import { call, type Call, control, type Json } from "./gateway.ts";
import { readTable } from "./tables.ts";

/** The folder of valid requests, and of those that are refused or taken. */
export const FIXTURES = new URL("../../fixtures/", import.meta.url);

export interface Request {
  readonly method: string;
  readonly path: string;
  /** The file of `fixtures/requests` that the body begins as. */
  readonly base?: string;
  /** Members in place of the base's, or beside them. */
  readonly members?: Json;
  /** The same as JSON text, for what JSON.stringify would write in another way. */
  readonly texts?: Readonly<Record<string, string>>;
  readonly without?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly omit_headers?: readonly string[];
  /** The whole body, in place of a base: as JSON, as text, as hexadecimal bytes, or by a name of GENERATED. */
  readonly body?: unknown;
  readonly raw?: string;
  readonly bytes?: string;
  readonly generate?: string;
  readonly is_chunked?: boolean;
  /** Everything that is written to the socket, a byte a character. */
  readonly socket?: string;
}

export interface Case {
  readonly name: string;
  /** What there is before the request, by a name of GIVENS; `{id}` stands for its id. */
  readonly given?: string;
  readonly request: Request;
}

export interface Refusal extends Case {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** What a program reads of the answer; its texts are compared by test/golden. */
  readonly answer: {
    readonly code: string;
    readonly errors: readonly { readonly field: string; readonly code: string }[];
  };
}

export interface Acceptance extends Case {
  /** Members of the record, where they are not those that were sent. */
  readonly record?: Json;
}

/** The files of one of its folders, by their names: JSON, or tables. */
export function readFolder<Content>(folder: string): Map<string, Content> {
  const files = readdirSync(new URL(`${folder}/`, FIXTURES)).toSorted();
  return new Map(
    files.map((file) => {
      const text = readFileSync(new URL(`${folder}/${file}`, FIXTURES), "utf8");
      const content: unknown = file.endsWith(".txt") ? readTable(text) : JSON.parse(text);
      return [file.replace(/\.\w+$/, ""), content as Content] as const;
    }),
  );
}

export const requests = readFolder<Json>("requests");

/** Two integrations a case, so that no case meets another. */
export interface Tokens {
  readonly own: string;
  readonly other: string;
}

/** Nobody listens there: what becomes of the deliveries is no matter of these tests. */
const NOWHERE = { webhook_url: "http://127.0.0.1:9/" };

/** What there can be before a request. */
export const GIVENS: Readonly<
  Record<string, (sandbox: Sandbox, tokens: Tokens) => Promise<string>>
> = {
  "a waiting payin": (sandbox, { own }) => create(sandbox, own, "payins"),
  "a waiting payout": (sandbox, { own }) => create(sandbox, own, "payouts"),
  "a waiting payin of another integration": (sandbox, { other }) =>
    create(sandbox, other, "payins"),
  "a waiting payout of another integration": (sandbox, { other }) =>
    create(sandbox, other, "payouts"),
  "a paid payin": (sandbox, { own }) => createMoved(sandbox, own, "payins", "pay"),
  "a canceled payin": (sandbox, { own }) => createMoved(sandbox, own, "payins", "cancel"),
  "an expired payin": (sandbox, { own }) => createMoved(sandbox, own, "payins", "expire"),
  "a completed payout": (sandbox, { own }) => createMoved(sandbox, own, "payouts", "complete"),
  "a canceled payout": (sandbox, { own }) => createMoved(sandbox, own, "payouts", "cancel"),
  "a completed payin": async (sandbox, { own }) => {
    const id = await create(sandbox, own, "payins");
    await call(sandbox, {
      path: "/v1/payins/simulations",
      token: own,
      body: { transaction_id: id, status: "completed" },
    });
    return id;
  },
  "a payin under the key order-1": (sandbox, { own }) => create(sandbox, own, "payins", "order-1"),
  "a payout under the key order-1": (sandbox, { own }) =>
    create(sandbox, own, "payouts", "order-1"),
};

const MIB = 1024 * 1024;

export const GENERATED: Readonly<Record<string, (base: Json) => string>> = {
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

export function tokensOf(name: string): Tokens {
  const own = Buffer.from(name).toString("hex");
  return { own, other: `${own}-other` };
}

/** Makes what a case presupposes. @returns its id */
export async function arrange(
  sandbox: Sandbox,
  { given }: Case,
  tokens: Tokens,
): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const make = GIVENS[given];
  if (!make) throw new Error(`Nothing is known of ${given}.`);
  return make(sandbox, tokens);
}

export async function create(
  sandbox: Sandbox,
  token: string,
  noun: "payins" | "payouts",
  key?: string,
): Promise<string> {
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
  sandbox: Sandbox,
  token: string,
  noun: "payins" | "payouts",
  move: string,
): Promise<string> {
  const id = await create(sandbox, token, noun);
  await control(sandbox, token, `POST /${noun}/${id}/${move}`);
  return id;
}

/** The call of a request that names a path. */
export function toCall(request: Request, token: string): Call {
  const omitted = Object.fromEntries(
    (request.omit_headers ?? []).map((name) => [name, undefined] as const),
  );
  return {
    method: request.method,
    path: request.path,
    token,
    headers: { ...request.headers, ...omitted },
    body: bodyOf(request),
    isChunked: request.is_chunked ?? false,
  };
}

export function bodyOf(request: Request): string | Buffer | undefined {
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
export function fill<Value>(value: Value, id: string | undefined): Value {
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
