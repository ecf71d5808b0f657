import type { H3Event } from "h3";
import type { Assumptions } from "../core/assumptions.ts";
import { readHeader } from "./header.ts";
import { type FieldError, GatewayError, invalidFields } from "../core/errors.ts";

/** Who is asking: the identification headers of the specification. */
export interface Identification {
  /** `x-api-token`: the integration. */
  readonly integration: string;
  /** `x-provider`: the merchant's name. */
  readonly provider: string;
  /** `x-idempotency-key`; empty where the operation takes none. */
  readonly idempotencyKey: string;
}

/** The integration that a request names; null where it names none. */
export function readToken(event: H3Event): string | null {
  return toText(readHeader(event, "x-api-token") ?? "").trim() || null;
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
    return value;
  };
  const integration = read("x-api-token");
  read("x-provider-id");
  const provider = read("x-provider");
  const country = read("x-country-code");
  const countryPattern = assumptions["country_code"] === "br_only" ? /^br$/i : /^[a-z]{2}$/i;
  if (country !== "" && !countryPattern.test(country))
    fields.push(wrongCountry(assumptions["country_code"]));
  const idempotencyKey = isKeyed ? read("x-idempotency-key") : "";
  return { identification: { integration, provider, idempotencyKey }, fields };
}

/** The refusal of a request whose headers or members are at fault. */
export function refusalOf(
  headerFields: readonly FieldError[],
  bodyFields: readonly FieldError[],
  assumptions: Assumptions,
): GatewayError {
  if (
    assumptions["header.missing"] === "unauthorized" &&
    headerFields.some(({ code }) => code !== "INVALID_VALUE")
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

const NO_CREDENTIAL = {
  en: "No active credential: the identification headers are incomplete.",
  pt: "Nenhuma credencial ativa: os cabeçalhos de identificação estão incompletos.",
};
