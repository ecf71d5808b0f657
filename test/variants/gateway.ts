import { randomBytes, randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { brCode, qrImage } from "./br-code.ts";
import type { Body, Deviates, OperationName } from "./checks.ts";
import { CONFIRMATIONS, type Language } from "./messages.ts";
import { autoSeconds, type Choices } from "./rows.ts";
import type { Timers } from "./timers.ts";
import type { SendWebhook } from "./webhooks.ts";

const DEFAULT_EXPIRATION = 240;

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refused call, as the specification's error envelope reports it. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: readonly { readonly field: string; readonly code: string }[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    errors: Refusal["errors"] = [],
    headers: Refusal["headers"] = {},
  ) {
    super(code);
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.headers = headers;
  }
}

type FinalStatus = "completed" | "canceled" | "expired";

interface Transaction {
  readonly kind: "payin" | "payout";
  readonly id: string;
  /** The members of the request, with the defaults. */
  readonly request: Body;
  /** What a payin has besides. */
  readonly codes: Body;
  readonly createdAt: number;
  status: "waiting" | FinalStatus;
}

interface UsedKey {
  readonly operation: OperationName;
  readonly body: Body;
  readonly at: number;
  readonly answer: Promise<Answer>;
}

/** What belongs to one token. */
export class Integration {
  readonly transactions = new Map<string, Transaction>();
  readonly keys = new Map<string, UsedKey>();
  /** When the calls of the last minute were admitted. */
  admitted: number[] = [];
  configuration: { readonly webhook_url: string; readonly events: readonly string[] } | undefined;
}

/** Everything that a variant consists of. */
export interface Parts {
  readonly choices: Choices;
  readonly deviates: Deviates;
  readonly timers: Timers;
  readonly send: SendWebhook;
}

export type Gateway = ReturnType<typeof createGateway>;

/** The rules of a variant: what happens to a call whose headers, body and credential are right. */
export function createGateway({ choices, deviates, timers, send }: Parts) {
  /** The answer to a key that was used before; undefined if it is new. */
  function repeat(
    operation: OperationName,
    key: string,
    body: Body | undefined,
    { keys }: Integration,
  ): Promise<Answer> | undefined {
    const used = keys.get(key);
    const retention = Number(choices["idempotency.retention_seconds"]);
    if (used === undefined || timers.now() - used.at >= retention) return undefined;
    const isSame = used.operation === operation && isDeepStrictEqual(used.body, body);
    if (choices[isSame ? "idempotency.repeat" : "idempotency.mismatch"] === "reject") {
      const isOther = deviates("keys.refused_422");
      const code = isOther ? "NOT_PROCESSABLE" : "DUPLICATED_VALUE";
      throw new Refusal(isOther ? 422 : 409, code, [{ field: "x-idempotency-key", code }]);
    }
    const header = deviates("keys.other_header") ? "x-idempotency-replay" : "idempotent-replayed";
    return used.answer.then((answer) => ({ ...answer, headers: { [header]: "true" } }));
  }

  /** Counts a call; refuses it if the last minute has had enough of them. */
  function admit(integration: Integration): void {
    const limit = Number(choices["rate_limit.per_minute"]);
    if (limit === 0) return;
    const now = timers.now();
    integration.admitted = integration.admitted.filter((at) => now - at < 60);
    const [oldest = now] = integration.admitted;
    if (integration.admitted.length >= limit) {
      const seconds = String(Math.max(1, Math.ceil(60 - (now - oldest))));
      const headers = deviates("rate.without_retry_after") ? {} : { "retry-after": seconds };
      throw new Refusal(429, "NOT_PROCESSABLE", [], headers);
    }
    integration.admitted.push(now);
  }

  /** Creates a record and uses the key up, in one turn: no other call comes in between. */
  function create(
    operation: "payins.create" | "payouts.create",
    key: string,
    body: Body,
    provider: string,
    integration: Integration,
  ): Promise<Answer> {
    const answer =
      operation === "payins.create"
        ? createPayin(body, provider, integration)
        : createPayout(body, integration);
    integration.keys.set(key, { operation, body, at: timers.now(), answer });
    return answer;
  }

  function createPayin(body: Body, provider: string, integration: Integration): Promise<Answer> {
    const pixId = randomBytes(16).toString("hex");
    const code = brCode(pixId, provider, deviates("payin.brcode_with_amount") ? reais(body) : "");
    const payin: Transaction = {
      kind: "payin",
      id: randomUUID(),
      request: { generate_qrcode: choices["payin.generate_qrcode"] === "true", ...body },
      codes: { pix_id: pixId, acquirer_id: randomUUID(), qr_code: code },
      createdAt: Date.now(),
      status: "waiting",
    };
    integration.transactions.set(payin.id, payin);
    expireAfter(Number(body["expiration"] ?? DEFAULT_EXPIRATION), payin, integration);
    return payinAnswer(payin, code);
  }

  async function payinAnswer(payin: Transaction, code: string): Promise<Answer> {
    const answer: Record<string, unknown> = { id: payin.id, ...payin.codes };
    if (deviates("payin.without_acquirer_id")) delete answer["acquirer_id"];
    if (deviates("payin.undocumented_status")) answer["status"] = "waiting";
    if (payin.request["generate_qrcode"] === true) {
      const type = deviates("payin.svg") ? "svg" : "png";
      const mediaType = type === "svg" ? "image/svg+xml" : "image/png";
      const isUri = choices["qr_code_base64.form"] === "data_uri";
      const prefix = isUri ? `data:${mediaType};base64,` : "";
      answer["qr_code_base64"] = prefix + (await qrImage(code, type));
    }
    return { status: deviates("payin.created_201") ? 201 : 200, body: answer };
  }

  /** Expires a payin then, unless another default of its expiration is later. */
  function expireAfter(seconds: number, payin: Transaction, integration: Integration): void {
    timers.after(seconds, () => {
      if (payin.status !== "waiting") return;
      const more = expirationOf(payin) - seconds;
      if (more > 0) expireAfter(more, payin, integration);
      else settle(payin, "expired", integration);
    });
  }

  function expirationOf({ request }: Transaction): number {
    const given = request["expiration"];
    if (given !== undefined) return Number(given);
    return deviates("limit.expiration_default_3600") ? 3600 : DEFAULT_EXPIRATION;
  }

  function reais({ value }: Body): string {
    return (Number(value) / (choices["value.unit"] === "centavos" ? 100 : 1)).toFixed(2);
  }

  function createPayout(body: Body, integration: Integration): Promise<Answer> {
    const rule = choices["payout.rival"];
    const hasRival = [...integration.transactions.values()].some(
      ({ kind, status, request }) =>
        kind === "payout" && status === "waiting" && recipientOf(request) === recipientOf(body),
    );
    const errors = [{ field: choices["payout.recipient"], code: "NOT_PROCESSABLE" }];
    if (hasRival && rule === "reject") throw new Refusal(422, "NOT_PROCESSABLE", errors);
    const payout: Transaction = {
      kind: "payout",
      id: randomUUID(),
      request: body,
      codes: {},
      createdAt: Date.now(),
      status: "waiting",
    };
    integration.transactions.set(payout.id, payout);
    let status = deviates("payout.processing") ? "processing" : "waiting";
    if (hasRival && rule === "cancel") {
      settle(payout, "canceled", integration);
      if (deviates("payout.answered_canceled")) status = "canceled";
    }
    timers.after(autoSeconds(choices), () => {
      if (payout.status === "waiting") settle(payout, "completed", integration);
    });
    const isCreated = deviates("payout.created_201");
    return Promise.resolve({ status: isCreated ? 201 : 200, body: { id: payout.id, status } });
  }

  function recipientOf(request: Body): string {
    return String(request[choices["payout.recipient"]]).toLowerCase();
  }

  function simulate(kind: "payin" | "payout", body: Body, integration: Integration): Answer {
    if (choices.environment === "production")
      throw new Refusal(deviates("simulation.production_403") ? 403 : 422, "NOT_PROCESSABLE");
    const status = body["status"] === "completed" ? "completed" : "canceled";
    const transaction = integration.transactions.get(String(body["transaction_id"]));
    const errors = [{ field: "transaction_id", code: "NOT_PROCESSABLE" }];
    if (transaction?.kind !== kind)
      throw new Refusal(deviates("simulation.unknown_404") ? 404 : 422, "NOT_PROCESSABLE", errors);
    const isRepeat = choices["simulation.final"] === "repeat" && transaction.status === status;
    if (transaction.status !== "waiting" && !isRepeat)
      throw new Refusal(422, "NOT_PROCESSABLE", errors);
    if (!isRepeat) settle(transaction, status, integration);
    const message = CONFIRMATIONS[choices["error.language"] as Language][status];
    return {
      status: deviates("simulation.answered_202") ? 202 : 200,
      body: deviates("simulation.without_message") ? { success: true } : { message },
    };
  }

  function configure(body: Body, integration: Integration): Answer {
    const { webhook_url, events } = body as NonNullable<Integration["configuration"]>;
    integration.configuration = { webhook_url, events };
    return { status: 200, body: integration.configuration };
  }

  function configuration({ configuration: found }: Integration): Answer {
    if (found === undefined) throw new Refusal(404, "NOT_PROCESSABLE");
    return { status: 200, body: found };
  }

  /** Gives a transaction its final status and sends the events of that. */
  function settle(transaction: Transaction, status: FinalStatus, owner: Integration): void {
    transaction.status = status;
    const type = eventType(transaction.kind, status);
    if (type !== undefined)
      send(String(transaction.request["webhook_url"]), type, dataOf(transaction));
    const general = status === "completed" ? "payment.received" : "payment.failed";
    const { webhook_url: url, events = [] } = owner.configuration ?? {};
    if (url !== undefined && events.includes(general)) send(url, general, dataOf(transaction));
  }

  /** The event that goes to the transaction's `webhook_url`; a canceled payin has none. */
  function eventType(kind: "payin" | "payout", status: FinalStatus): string | undefined {
    if (kind === "payout") return `payout.${status}`;
    if (status === "completed") return "payin.paid";
    const isSent = status === "expired" && choices["payin.expiry_event"] === "webhook";
    return isSent ? "payin.expired" : undefined;
  }

  function dataOf(transaction: Transaction): Body {
    const { kind, id, status, request, codes, createdAt } = transaction;
    const data: Record<string, unknown> = { id, status, ...request, ...codes };
    if (kind === "payin") {
      data["expiration"] = expirationOf(transaction);
      data["expires_at"] = isoTime(createdAt + expirationOf(transaction) * 1000);
    }
    const end_to_end_id = status === "completed" ? endToEndId() : null;
    return {
      ...data,
      created_at: isoTime(createdAt),
      settled_at: isoTime(Date.now()),
      end_to_end_id,
    };
  }

  return { repeat, admit, create, simulate, configure, configuration };
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** `E`, an ISPB, the minute in UTC and 11 characters. */
function endToEndId(): string {
  const minute = isoTime(Date.now()).replaceAll(/\D/g, "").slice(0, 12);
  return `E12345678${minute}${randomBytes(6).toString("hex").slice(0, 11)}`;
}
