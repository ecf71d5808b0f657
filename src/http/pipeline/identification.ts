import type { AssumptionTrace } from "../../core/assumptions/trace.ts";
import type { Assumptions } from "../../core/assumptions/table.ts";
import type { FieldError } from "../../core/errors.ts";
import { type Call, isRepeated, readHeader } from "../call.ts";
import { headerText, repeatedHeader } from "../header-text.ts";

/** The identification headers of the specification. */
export interface Identification {
  /** `x-api-token`: the integration. */
  readonly integration: string;
  readonly providerId: string;
  /** `x-provider`: the merchant's name. */
  readonly provider: string;
  /** `x-idempotency-key`; empty if the operation takes none. */
  readonly key: string;
}

/** Reads the identification headers. Adds an entry to `fields` for each that is wrong. */
export function readIdentification(
  call: Call,
  isKeyed: boolean,
  trace: AssumptionTrace,
  fields: FieldError[],
): Identification {
  const integration = readField(call, "x-api-token", fields);
  const providerId = readField(call, "x-provider-id", fields);
  const provider = readField(call, "x-provider", fields);
  checkCountry(call, trace.read("country_code"), fields);
  const key = isKeyed ? readField(call, "x-idempotency-key", fields) : "";
  return { integration, providerId, provider, key };
}

function readField(call: Call, name: string, fields: FieldError[]): string {
  const sent = readHeader(call, name);
  if (sent === null) {
    fields.push(missing(name));
    return "";
  }
  const value = headerText(sent);
  if (value === "") fields.push(empty(name));
  else if (sent.includes(",") && isRepeated(call, name)) fields.push(repeatedHeader(name));
  return value;
}

function checkCountry(call: Call, choice: Assumptions["country_code"], fields: FieldError[]): void {
  const before = fields.length;
  const country = readField(call, "x-country-code", fields);
  const pattern = choice === "br_only" ? /^br$/i : /^[a-z]{2}$/i;
  if (fields.length === before && !pattern.test(country)) fields.push(wrongCountry(choice));
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
