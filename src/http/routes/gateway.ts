import type { H3Event } from "h3";
import type { Assumptions } from "../../core/assumptions/table.ts";
import type { FieldError } from "../../core/errors.ts";
import type { Effect, FaultyOperation } from "../../core/faults/effects.ts";
import { magicIn } from "../../core/faults/magic-values.ts";
import type { Payin } from "../../core/payments/payin.ts";
import { assumptionsFor, underlyingAssumptions, recordAssumptions } from "../assumption-trace.ts";
import { parseJson, readBytes } from "../body.ts";
import type { BodyReader, Reading } from "../body-reader.ts";
import type { Context } from "../context.ts";
import { toAnswer, toJsonResponse } from "../envelope.ts";
import { withFaults } from "../faults.ts";
import {
  checkCredential,
  type Identification,
  readAsked,
  readHeaders,
  refusalOf,
} from "../headers.ts";
import { renderQrPng } from "../qr-image.ts";
import { HttpRefusal } from "../refusals.ts";
import { READ_BY, readersFor, type Readers } from "../schemas.ts";

type Handler = (event: H3Event) => Promise<Response>;

/** `POST /payins`, of both versions. */
export function createPayin(context: Context): Handler {
  const { gateway } = context;
  return async (event) => {
    const { identification, draft, request, assumptions, asked, admit } = readCall(
      context,
      event,
      await readBytes(event),
      "payin",
    );
    const { integration, provider, idempotencyKey: key } = identification;
    const magic = context.magic ? magicIn(draft.buyerCpf) : undefined;
    const { record, isRepeat } = await withFaults(
      context,
      event,
      { operation: "payins.create", integration, key, request, asked, magic },
      (fault) =>
        gateway.createPayin({
          integration,
          provider,
          key,
          request,
          draft,
          fault,
          assumptions,
          admit,
        }),
    );
    return toCreated(toPayinAnswer(record, assumptions), isRepeat);
  };
}

/** `POST /payouts`. */
export function createPayout(context: Context): Handler {
  const { gateway } = context;
  return async (event) => {
    const { identification, draft, request, assumptions, asked, admit } = readCall(
      context,
      event,
      await readBytes(event),
      "payout",
    );
    const { integration, idempotencyKey: key } = identification;
    const magic = context.magic ? magicIn(draft.receiverCpf, draft.pixKey) : undefined;
    const { record, isRepeat } = await withFaults(
      context,
      event,
      { operation: "payouts.create", integration, key, request, asked, magic },
      (fault) =>
        gateway.createPayout({ integration, key, request, draft, fault, assumptions, admit }),
    );
    // Even one that a rival has canceled is answered as it was created: its webhook tells the rest.
    return toCreated(JSON.stringify({ id: record.id, status: "waiting" }), isRepeat);
  };
}

/** `POST /payins/simulations`. */
export function simulatePayin(context: Context): Handler {
  const { gateway } = context;
  return async (event) => {
    const { identification, draft, request, assumptions, asked, admit } = readCall(
      context,
      event,
      await readBytes(event),
      "payinSimulation",
    );
    admit?.();
    const { integration } = identification;
    const { transactionId, status } = draft;
    await withFaults(
      context,
      event,
      { operation: "payins.simulate", integration, key: null, request, asked },
      (fault) => gateway.simulatePayin(integration, transactionId, status, fault, assumptions),
    );
    return toSimulated(draft.status, assumptions);
  };
}

/** `POST /payouts/simulations`; its message is worded of a charge, as the specification has it. */
export function simulatePayout(context: Context): Handler {
  const { gateway } = context;
  return async (event) => {
    const { identification, draft, request, assumptions, asked, admit } = readCall(
      context,
      event,
      await readBytes(event),
      "payoutSimulation",
    );
    admit?.();
    const { integration } = identification;
    const { transactionId, status } = draft;
    await withFaults(
      context,
      event,
      { operation: "payouts.simulate", integration, key: null, request, asked },
      (fault) => gateway.simulatePayout(integration, transactionId, status, fault, assumptions),
    );
    return toSimulated(draft.status, assumptions);
  };
}

/** `PUT /v1/webhooks`. */
export function configureWebhook(context: Context): Handler {
  return async (event) => {
    const { identification, draft, admit } = readCall(
      context,
      event,
      await readBytes(event),
      "webhookConfiguration",
    );
    admit?.();
    const { webhookUrl, events } = await context.gateway.configureWebhook({
      ...draft,
      integration: identification.integration,
    });
    return toAnswer({ webhook_url: webhookUrl, events });
  };
}

/** `GET /v1/webhooks`. */
export function readWebhook(context: Context): Handler {
  return async (event) => {
    const { gateway } = context;
    const assumptions = assumptionsFor(event, context);
    recordAssumptions(assumptions, ["webhook.configuration"]);
    const { identification, fields: identifying } = readHeaders(event, false, assumptions);
    const fields = [...identifying, ...readAsked(event, undefined).fields];
    if (fields.length > 0) throw refusalOf(fields, [], assumptions);
    checkCredential(identification, context.credentials, assumptions);
    admission(context, identification, assumptions)?.();
    const configured = await gateway.read(identification.integration, (view) =>
      view.webhookConfiguration(),
    );
    if (!configured) throw new HttpRefusal(404, "NOT_PROCESSABLE", NOT_CONFIGURED);
    return toAnswer({ webhook_url: configured.webhookUrl, events: configured.events });
  };
}

type DraftOf<Name extends keyof Readers> =
  Readers[Name] extends BodyReader<infer Draft> ? Draft : never;

interface Call<Draft> {
  readonly identification: Identification;
  readonly draft: Draft;
  /** The body's text, undocumented members included. */
  readonly request: string;
  readonly assumptions: Assumptions;
  /** What the call asks to suffer. */
  readonly asked: Effect | undefined;
  /** To be asked before the operation begins, unless it repeats an earlier one; throws where the rate limit is reached. */
  readonly admit: (() => void) | undefined;
}

/** What faults call the operations that they can act on. */
const OPERATIONS: Readonly<Partial<Record<keyof Readers, FaultyOperation>>> = {
  payin: "payins.create",
  payout: "payouts.create",
  payinSimulation: "payins.simulate",
  payoutSimulation: "payouts.simulate",
};

/** The operations that take an idempotency key. */
const KEYED: ReadonlySet<keyof Readers> = new Set(["payin", "payout"]);

/** Headers and body together: what is wrong with either is said in one answer. */
function readCall<Name extends keyof Readers>(
  context: Context,
  event: H3Event,
  bytes: Buffer,
  name: Name,
): Call<DraftOf<Name>> {
  const { gateway } = context;
  const assumptions = assumptionsFor(event, context);
  const { identification, fields: identifying } = readHeaders(event, KEYED.has(name), assumptions);
  const { asked, fields: wrong } = readAsked(event, OPERATIONS[name]);
  const fields = wrong.length > 0 ? [...identifying, ...wrong] : identifying;
  const reader = readersFor(underlyingAssumptions(assumptions))[name] as BodyReader<DraftOf<Name>>;
  const { request, reading } = readBody(bytes, reader, fields);
  recordAssumptions(assumptions, READ_BY[name]);
  if ("fields" in reading || fields.length > 0) {
    throw refusalOf(fields, "fields" in reading ? reading.fields : [], assumptions);
  }
  checkCredential(identification, context.credentials, assumptions);
  gateway.integrationIsUsed(identification.integration);
  const admit = admission(context, identification, assumptions);
  return { identification, draft: reading.draft, request, assumptions, asked, admit };
}

function admission(
  { rateLimit }: Context,
  { integration }: Identification,
  assumptions: Assumptions,
): (() => void) | undefined {
  const perMinute = assumptions["rate_limit.per_minute"];
  return perMinute > 0 ? () => rateLimit.pass(integration, perMinute) : undefined;
}

function readBody<Draft>(
  bytes: Buffer,
  reader: BodyReader<Draft>,
  headerFields: readonly FieldError[],
): { request: string; reading: Reading<Draft> } {
  try {
    const { text, value } = parseJson(bytes);
    return { request: text, reading: reader(value) };
  } catch (error) {
    if (!(error instanceof HttpRefusal) || headerFields.length === 0) throw error;
    throw new HttpRefusal(error.status, error.code, error.text, { fields: headerFields });
  }
}

/** Written as text: ids are digits and dashes, so that only the code needs to be quoted with care. */
function toPayinAnswer(payin: Payin, assumptions: Assumptions): string {
  const { id, pixId, acquirerId, qrCode, generateQrcode } = payin;
  const code = JSON.stringify(qrCode);
  const members = `"id":"${id}","pix_id":"${pixId}","acquirer_id":"${acquirerId}","qr_code":${code}`;
  if (!generateQrcode) return `{${members}}`;
  const prefix = assumptions["qr_code_base64.form"] === "data_uri" ? "data:image/png;base64," : "";
  return `{${members},"qr_code_base64":"${prefix}${renderQrPng(qrCode).toString("base64")}"}`;
}

const REPLAYED = { "content-type": "application/json", "idempotent-replayed": "true" };

function toCreated(text: string, isRepeat: boolean): Response {
  return isRepeat ? toJsonResponse(text, REPLAYED) : toJsonResponse(text);
}

function toSimulated(status: "completed" | "canceled", assumptions: Assumptions): Response {
  recordAssumptions(assumptions, ["simulation.message"]);
  return toAnswer({ message: SIMULATED[status][assumptions["error.language"]] });
}

const SIMULATED = {
  completed: {
    en: "The charge was marked as completed in staging.",
    pt: "A cobrança foi marcada como concluída em staging.",
  },
  canceled: {
    en: "The charge was marked as canceled in staging.",
    pt: "A cobrança foi marcada como cancelada em staging.",
  },
};

const NOT_CONFIGURED = {
  en: "No webhook is configured; PUT /v1/webhooks configures one.",
  pt: "Nenhum webhook está configurado; PUT /v1/webhooks configura um.",
};
