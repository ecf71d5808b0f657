import type { H3Event } from "h3";
import type { Assumptions } from "../../core/assumptions.ts";
import type { FieldError } from "../../core/errors.ts";
import { toCanonicalText } from "../../core/idempotency.ts";
import type { Payin } from "../../core/payin.ts";
import { readJson } from "../body.ts";
import type { BodyReader, Reading } from "../body-reader.ts";
import type { Context } from "../context.ts";
import { toAnswer, toJsonResponse } from "../envelope.ts";
import { type Identification, readHeaders, readToken, refusalOf } from "../headers.ts";
import { renderQrPng } from "../qr-image.ts";
import { HttpRefusal } from "../refusals.ts";
import { readersFor, type Readers } from "../schemas.ts";

type Handler = (event: H3Event) => Promise<Response>;

/** `POST /payins`, of both versions. */
export function createPayin({ gateway, digest }: Context): Handler {
  return async (event) => {
    const { identification, draft, body, assumptions } = await readCall(
      gateway,
      event,
      true,
      "payin",
    );
    const fingerprint = toFingerprint(digest, body);
    const { integration, provider, idempotencyKey: key } = identification;
    const { record, isRepeat } = await gateway.createPayin({
      integration,
      provider,
      key,
      fingerprint,
      draft,
    });
    return toCreated(toPayinAnswer(record, assumptions), isRepeat);
  };
}

/** `POST /payouts`. */
export function createPayout({ gateway, digest }: Context): Handler {
  return async (event) => {
    const { identification, draft, body } = await readCall(gateway, event, true, "payout");
    const fingerprint = toFingerprint(digest, body);
    const { integration, idempotencyKey: key } = identification;
    const { record, isRepeat } = await gateway.createPayout({
      integration,
      key,
      fingerprint,
      draft,
    });
    // Even one that a rival has canceled is answered as it was created: its webhook tells the rest.
    return toCreated({ id: record.id, status: "waiting" }, isRepeat);
  };
}

/** `POST /payins/simulations`. */
export function simulatePayin({ gateway }: Context): Handler {
  return async (event) => {
    const { identification, draft, assumptions } = await readCall(
      gateway,
      event,
      false,
      "payinSimulation",
    );
    await gateway.simulatePayin(identification.integration, draft.transactionId, draft.status);
    return toSimulated(draft.status, assumptions);
  };
}

/** `POST /payouts/simulations`; its message is worded of a charge, as the specification has it. */
export function simulatePayout({ gateway }: Context): Handler {
  return async (event) => {
    const { identification, draft, assumptions } = await readCall(
      gateway,
      event,
      false,
      "payoutSimulation",
    );
    await gateway.simulatePayout(identification.integration, draft.transactionId, draft.status);
    return toSimulated(draft.status, assumptions);
  };
}

/** `PUT /v1/webhooks`. */
export function configureWebhook({ gateway }: Context): Handler {
  return async (event) => {
    const { identification, draft } = await readCall(gateway, event, false, "webhookConfiguration");
    const { webhookUrl, events } = await gateway.configureWebhook({
      ...draft,
      integration: identification.integration,
    });
    return toAnswer({ webhook_url: webhookUrl, events });
  };
}

/** `GET /v1/webhooks`. */
export function readWebhook({ gateway }: Context): Handler {
  return async (event) => {
    const assumptions = gateway.assumptionsOf(readToken(event));
    const { identification, fields } = readHeaders(event, false, assumptions);
    const refusal = refusalOf(fields, [], assumptions);
    if (refusal) throw refusal;
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
  /** The whole body, undocumented members included. */
  readonly body: unknown;
  readonly assumptions: Assumptions;
}

/** Headers and body together: what is wrong with either is said in one answer. */
async function readCall<Name extends keyof Readers>(
  gateway: Context["gateway"],
  event: H3Event,
  isKeyed: boolean,
  name: Name,
): Promise<Call<DraftOf<Name>>> {
  const assumptions = gateway.assumptionsOf(readToken(event));
  const { identification, fields } = readHeaders(event, isKeyed, assumptions);
  const reader = readersFor(assumptions)[name] as BodyReader<DraftOf<Name>>;
  const { body, reading } = await readBody(event, reader, fields);
  const refusal = refusalOf(fields, "fields" in reading ? reading.fields : [], assumptions);
  if (refusal) throw refusal;
  gateway.integrationIsUsed(identification.integration);
  return { identification, draft: (reading as { draft: DraftOf<Name> }).draft, body, assumptions };
}

async function readBody<Draft>(
  event: H3Event,
  reader: BodyReader<Draft>,
  headerFields: readonly FieldError[],
): Promise<{ body: unknown; reading: Reading<Draft> }> {
  try {
    const body = await readJson(event);
    return { body, reading: reader(body) };
  } catch (error) {
    if (!(error instanceof HttpRefusal) || error.status !== 400 || headerFields.length === 0)
      throw error;
    throw new HttpRefusal(400, error.code, error.sentence, { fields: headerFields });
  }
}

/** Half of a SHA-512 is more than enough to tell two requests apart. */
function toFingerprint(digest: Context["digest"], body: unknown): string {
  return digest(toCanonicalText(body)).slice(0, 32);
}

function toPayinAnswer(payin: Payin, assumptions: Assumptions) {
  const { id, pixId, acquirerId, qrCode, generateQrcode } = payin;
  const answer = { id, pix_id: pixId, acquirer_id: acquirerId, qr_code: qrCode };
  if (!generateQrcode) return answer;
  const image = renderQrPng(qrCode).toString("base64");
  const prefix = assumptions["qr_code_base64.form"] === "data_uri" ? "data:image/png;base64," : "";
  return { ...answer, qr_code_base64: `${prefix}${image}` };
}

const REPLAYED = { "content-type": "application/json", "idempotent-replayed": "true" };

function toCreated(answer: unknown, isRepeat: boolean): Response {
  const text = JSON.stringify(answer);
  return isRepeat ? toJsonResponse(text, REPLAYED) : toJsonResponse(text);
}

function toSimulated(status: "completed" | "canceled", assumptions: Assumptions): Response {
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
