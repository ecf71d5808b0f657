import { expect } from "vitest";
import { type Merchant } from "../support/merchant.ts";

/** A valid CPF, one whose check digits do not hold, and two more. */
export const CPF = "52998224725";

export type Json = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

/** An integration at work on a real server, its merchant beside it. */
export interface World {
  readonly url: string;
  readonly secret: string;
  readonly merchant: Merchant;
  /** Calls the gateway, as the integration and with every header, unless some are changed or (null) left out. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string | null>>,
  ): Promise<Answer>;
  /** Creates a payin or a payout of sample values and the members that are said. */
  create(
    noun: "payin" | "payout",
    members?: Json,
    headers?: Readonly<Record<string, string | null>>,
  ): Promise<Answer>;
  simulate(noun: "payin" | "payout", id: unknown, status?: string): Promise<Answer>;
  /** The record as it now is. */
  show(noun: "payin" | "payout", id: unknown): Promise<Json>;
  control(method: string, path: string, body?: unknown): Promise<Answer>;
  deliveries(): Promise<readonly (Json & { attempts: readonly Json[] })[]>;
  /** Lets attempts in flight end, then moves time. */
  advance(seconds: number): Promise<Answer>;
  /** Every choice that an answer has named so far. */
  readonly named: ReadonlySet<string>;
}

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
