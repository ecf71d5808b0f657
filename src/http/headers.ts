import type { H3Event } from "h3";
import type { Assumptions } from "../core/assumptions.ts";
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

const IDENTIFYING = ["x-api-token", "x-provider-id", "x-provider", "x-country-code"] as const;
const KEYED = [...IDENTIFYING, "x-idempotency-key"] as const;

/** The integration that a request names; null where it names none. */
export function readToken(event: H3Event): string | null {
  return event.req.headers.get("x-api-token")?.trim() || null;
}

/** Reads the identification headers, and an entry for each that is at fault. */
export function readHeaders(
  event: H3Event,
  isKeyed: boolean,
  assumptions: Assumptions,
): { identification: Identification; fields: readonly FieldError[] } {
  const fields: FieldError[] = [];
  const read = (name: string): string => {
    const value = event.req.headers.get(name);
    if (value === null) fields.push(missing(name));
    else if (value.trim() === "") fields.push(empty(name));
    return value ?? "";
  };
  const values: Record<string, string> = {};
  for (const name of isKeyed ? KEYED : IDENTIFYING) values[name] = read(name);
  const country = values["x-country-code"] ?? "";
  const countryPattern =
    assumptions["country_code"] === "br_only" ? /^\s*br\s*$/i : /^\s*[a-z]{2}\s*$/i;
  if (country.trim() !== "" && !countryPattern.test(country))
    fields.push(wrongCountry(assumptions["country_code"]));
  return {
    identification: {
      integration: (values["x-api-token"] ?? "").trim(),
      provider: toText(values["x-provider"] ?? ""),
      idempotencyKey: values["x-idempotency-key"] ?? "",
    },
    fields,
  };
}

/** The refusal of a request whose headers or members are at fault; undefined where none is. */
export function refusalOf(
  headerFields: readonly FieldError[],
  bodyFields: readonly FieldError[],
  assumptions: Assumptions,
): GatewayError | undefined {
  if (
    assumptions["header.missing"] === "unauthorized" &&
    headerFields.some(({ code }) => code !== "INVALID_VALUE")
  ) {
    return new GatewayError("NO_ACTIVE_CREDENTIAL", NO_CREDENTIAL, headerFields);
  }
  return headerFields.length + bodyFields.length > 0
    ? invalidFields([...headerFields, ...bodyFields])
    : undefined;
}

/** Header bytes arrive as Latin-1; clients that send UTF-8 mean UTF-8. */
function toText(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
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
