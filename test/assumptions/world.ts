import { expect } from "vitest";
import { type SandboxOptions, startSandbox } from "../../src/server/start.ts";
import { call as callSandbox } from "../support/gateway.ts";
import { startMerchant } from "../support/merchant.ts";

/** A valid CPF. */
export const CPF = "52998224725";

export type Json = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Json;
}

/** Starts a sandbox whose time stands still, a merchant, and an integration between them. */
export async function startWorld(options: SandboxOptions) {
  const named = new Set<string>();
  const merchant = await startMerchant();
  const sandbox = await startSandbox({ clock: "frozen", credentials: [LISTED], ...options });
  const send = async (
    method: string,
    path: string,
    own: Readonly<Record<string, string | null | undefined>>,
    body: unknown,
  ): Promise<Answer> => {
    const of = Object.entries(own).map(([name, value]) => [name, value ?? undefined]);
    const request = { method, path, headers: Object.fromEntries(of) as Headed, body };
    const { status, headers, json } = await callSandbox(sandbox, request);
    for (const choice of headers["x-sandbox-assumption"]?.split(", ") ?? []) named.add(choice);
    return { status, headers, body: json as Json };
  };
  /** Calls the gateway, as the integration and with every header, unless some are changed or (null) left out. */
  const call = (method: string, path: string, body?: unknown, headers: Headers = {}) =>
    send(
      method,
      path,
      { "x-api-token": LISTED.apiKey, "x-provider-id": LISTED.merchantId, ...headers },
      body,
    );
  const control = (method: string, path: string, body?: unknown) =>
    send(method, `/_sandbox${path}`, { "x-api-token": LISTED.apiKey }, body);
  /** A control route, of all integrations. */
  const everyone = (method: string, path: string, body?: unknown) =>
    send(method, `/_sandbox${path}`, { "x-api-token": null }, body);
  return {
    url: sandbox.url,
    secret: sandbox.secret,
    merchant,
    /** Every choice that an answer has named so far. */
    named: named as ReadonlySet<string>,
    call,
    control,
    everyone,
    /** Creates a payin or a payout of sample values and the members that are said. */
    create: (noun: Noun, members: Json = {}, headers: Headers = {}) => {
      const body = { ...SAMPLES[noun], webhook_url: merchant.url, ...members };
      return call("POST", `/v1/${noun}s`, body, headers);
    },
    simulate: (noun: Noun, id: unknown, status = "completed") =>
      call("POST", `/v1/${noun}s/simulations`, { transaction_id: id, status }),
    /** The record as it now is. */
    show: async (noun: Noun, id: unknown): Promise<Json> => {
      const { status, body } = await control("GET", `/${noun}s/${String(id)}`);
      if (status !== 200) throw new Error(`${noun} ${String(id)}: ${status}`);
      return body;
    },
    deliveries: async () => {
      const { body } = await control("GET", "/deliveries");
      return body["data"] as (Json & { attempts: readonly Json[] })[];
    },
    /** Lets attempts in flight end, then moves time. */
    advance: (seconds: number) => control("POST", "/clock/advance", { seconds }),
    [Symbol.asyncDispose]: async () => {
      await merchant.close();
      await sandbox.close();
    },
  };
}

type Noun = "payin" | "payout";
type Headed = Readonly<Record<string, string | undefined>>;
type Headers = Readonly<Record<string, string | null>>;

/** An integration at work on a real server, its merchant beside it. */
export type World = Awaited<ReturnType<typeof startWorld>>;

export type Proof = (world: World) => Promise<void>;

export const ok = expect.objectContaining({ status: 200 });

/** The answer to a request with that one field at fault. */
export const invalid = (field: string, code = "INVALID_VALUE") =>
  expect.objectContaining({
    status: 400,
    body: {
      code: "VALIDATION_ERROR",
      message: expect.any(String),
      errors: [{ field, code, message: expect.any(String) }],
    },
  });

export const refused = (status: number, code: string, ...fields: string[]) =>
  expect.objectContaining({
    status,
    body: {
      code,
      message: expect.any(String),
      errors: fields.map((field) => expect.objectContaining({ field })),
    },
  });

export const SAMPLES = {
  payin: {
    value: 10,
    buyer_cpf: CPF,
    buyer_name: "Maria da Silva",
    buyer_email: "maria@example.com",
  },
  payout: {
    value: 25,
    receiver_cpf: CPF,
    receiver_name: "José de Souza",
    receiver_email: "jose@example.com",
    pix_key: CPF,
    pix_key_type: "cpf",
  },
};

/** The credential of the integration at work. */
export const LISTED = { apiKey: "shop", apiSecret: "open sesame", merchantId: "42" };
