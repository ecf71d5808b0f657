import type { H3Event } from "h3";
import type { Assumptions } from "../core/assumptions/table.ts";
import type { Credentials } from "../core/credentials.ts";
import {
  type Effect,
  effectRule,
  type FaultyOperation,
  isOperationEffect,
  readEffect,
} from "../core/faults/effects.ts";
import { isRepeated, readHeader } from "./header.ts";
import { type FieldError, GatewayError, invalidFields } from "../core/errors.ts";

/** Who is asking: the identification headers of the specification. */
export interface Identification {
  /** `x-api-token`: the integration. */
  readonly integration: string;
  readonly providerId: string;
  /** `x-provider`: the merchant's name. */
  readonly provider: string;
  /** `x-idempotency-key`; empty where the operation takes none. */
  readonly idempotencyKey: string;
}

/** The integration that a request names; null where it names none. */
export function readToken(event: H3Event): string | null {
  return toText(readHeader(event, "x-api-token") ?? "").trim() || null;
}

/**
 * What a control route needs of a token: that where there is one it names an integration. Blank, as an unset
 * variable leaves it, it would name everyone.
 * @throws GatewayError VALIDATION_ERROR for one that is blank, or sent more than once.
 */
export function checkToken(event: H3Event): void {
  const sent = readHeader(event, "x-api-token");
  if (sent === null) return;
  if (readToken(event) === null)
    throw invalidFields([{ field: "x-api-token", code: "EMPTY_VALUE", message: BLANK_TOKEN }]);
  if (isJoined(event, "x-api-token", sent)) throw invalidFields([repeated("x-api-token")]);
}

/** Reads the identification headers, and an entry for each that is at fault. */
export function readHeaders(
  event: H3Event,
  isKeyed: boolean,
  assumptions: Assumptions,
): { identification: Identification; fields: readonly FieldError[] } {
  const fields: FieldError[] = [];
  const read = (name: string): string => {
    const sent = readHeader(event, name);
    if (sent === null) fields.push(missing(name));
    const value = toText(sent ?? "").trim();
    if (sent !== null && value === "") fields.push(empty(name));
    else if (sent !== null && isJoined(event, name, sent)) fields.push(repeated(name));
    return value;
  };
  const integration = read("x-api-token");
  const providerId = read("x-provider-id");
  const provider = read("x-provider");
  const country = read("x-country-code");
  const countryPattern = assumptions["country_code"] === "br_only" ? /^br$/i : /^[a-z]{2}$/i;
  const isSaid = fields.some(({ field }) => field === "x-country-code");
  if (!isSaid && !countryPattern.test(country))
    fields.push(wrongCountry(assumptions["country_code"]));
  const idempotencyKey = isKeyed ? read("x-idempotency-key") : "";
  return { identification: { integration, providerId, provider, idempotencyKey }, fields };
}

/** @throws GatewayError NO_ACTIVE_CREDENTIAL where only those that are listed may call, and this is none of them. */
export function checkCredential(
  { integration, providerId }: Identification,
  credentials: Credentials,
  assumptions: Assumptions,
): void {
  if (assumptions.credentials === "any") return;
  const listed = credentials.get(integration);
  if (listed?.merchantId === providerId) return;
  const field = listed ? "x-provider-id" : "x-api-token";
  throw new GatewayError("NO_ACTIVE_CREDENTIAL", NOT_LISTED, [
    { field, code: "NO_ACTIVE_CREDENTIAL", message: NOT_LISTED },
  ]);
}

/** Reads `x-sandbox-fault`: what one call asks to suffer, or an entry where it is wrong. */
export function readAsked(
  event: H3Event,
  operation: FaultyOperation | undefined,
): { asked?: Effect; fields: readonly FieldError[] } {
  const sent = readHeader(event, FAULT_HEADER);
  if (sent === null) return NOTHING_ASKED;
  const asked = readEffect(sent);
  if (
    asked &&
    operation !== undefined &&
    (isOperationEffect(asked) || operation !== CAUSES_NOTHING)
  )
    return { asked, fields: [] };
  const message =
    operation === undefined
      ? NO_FAULTS
      : asked
        ? NO_WEBHOOK
        : effectRule(FAULT_HEADER, operation === CAUSES_NOTHING ? operation : undefined);
  return { fields: [{ field: FAULT_HEADER, code: "INVALID_VALUE", message }] };
}

/** The refusal of a request whose headers or members are at fault. */
export function refusalOf(
  headerFields: readonly FieldError[],
  bodyFields: readonly FieldError[],
  assumptions: Assumptions,
): GatewayError {
  if (
    headerFields.some(({ code }) => code !== "INVALID_VALUE") &&
    assumptions["header.missing"] === "unauthorized"
  ) {
    return new GatewayError("NO_ACTIVE_CREDENTIAL", NO_CREDENTIAL, headerFields);
  }
  return invalidFields([...headerFields, ...bodyFields]);
}

/** Header bytes arrive as Latin-1; clients that send UTF-8 mean UTF-8. */
function toText(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  const bytes = Buffer.from(value, "latin1");
  const text = bytes.toString("utf8");
  return text.includes("\ufffd") ? value : text;
}

/** Whether a value was sent in more than one header of that name. */
function isJoined(event: H3Event, name: string, value: string): boolean {
  return value.includes(",") && isRepeated(event, name);
}

function repeated(field: string): FieldError {
  return {
    field,
    code: "INVALID_VALUE",
    message: {
      en: `The header ${field} is sent more than once; send it once.`,
      pt: `O cabeçalho ${field} foi enviado mais de uma vez; envie-o uma só vez.`,
    },
  };
}

function missing(field: string): FieldError {
  return {
    field,
    code: "REQUIRED_VALUE",
    message: { en: `The header ${field} is required.`, pt: `O cabeçalho ${field} é obrigatório.` },
  };
}

function empty(field: string): FieldError {
  return {
    field,
    code: "EMPTY_VALUE",
    message: { en: `The header ${field} is empty.`, pt: `O cabeçalho ${field} está vazio.` },
  };
}

function wrongCountry(choice: Assumptions["country_code"]): FieldError {
  const message =
    choice === "br_only"
      ? { en: "x-country-code must be BR.", pt: "x-country-code deve ser BR." }
      : {
          en: "x-country-code must be two letters, such as BR.",
          pt: "x-country-code deve ter duas letras, como BR.",
        };
  return { field: "x-country-code", code: "INVALID_VALUE", message };
}

const FAULT_HEADER = "x-sandbox-fault";
const NOTHING_ASKED = { fields: [] };
/** What becomes of a payin is for later calls to say. */
const CAUSES_NOTHING: FaultyOperation = "payins.create";

const NO_FAULTS = {
  en: "This call takes no x-sandbox-fault; the calls that create and simulate do.",
  pt: "Esta chamada não aceita x-sandbox-fault; as que criam e simulam aceitam.",
};
const NO_WEBHOOK = {
  en: "Creating a payin sends no webhook: send x-sandbox-fault with the simulation, or add a fault on webhook with POST /_sandbox/faults.",
  pt: "Criar uma cobrança não envia webhook: envie x-sandbox-fault com a simulação, ou crie uma falha em webhook com POST /_sandbox/faults.",
};

const BLANK_TOKEN = {
  en: "The header x-api-token is empty; leave it out to act on all integrations.",
  pt: "O cabeçalho x-api-token está vazio; deixe-o fora para agir sobre todas as integrações.",
};

const NOT_LISTED = {
  en: "No active credential: x-api-token and x-provider-id must be the api_key and the merchant_id of one that the sandbox was started with.",
  pt: "Nenhuma credencial ativa: x-api-token e x-provider-id devem ser a api_key e o merchant_id de uma com a qual o sandbox foi iniciado.",
};

const NO_CREDENTIAL = {
  en: "No active credential: the identification headers are incomplete.",
  pt: "Nenhuma credencial ativa: os cabeçalhos de identificação estão incompletos.",
};
