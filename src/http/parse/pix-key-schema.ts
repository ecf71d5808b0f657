import {
  PIX_KEY_RULES,
  PIX_KEY_TYPES,
  type PixKeyForms,
  type PixKeyType,
} from "../../core/records/pix-key.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** One JSON Schema for each type of key: zod cannot express the refinement that checks it. */
export function pixKeySchemas(forms: PixKeyForms): readonly JsonSchema[] {
  return PIX_KEY_TYPES.map((type) => ({
    if: { properties: { pix_key_type: { const: type } }, required: ["pix_key_type"] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema.
    then: {
      properties: {
        pix_key: {
          type: "string",
          description: PIX_KEY_RULES[type].en,
          ...pixKeySchema(type, forms),
        },
      },
    },
  }));
}

function pixKeySchema(type: PixKeyType, forms: PixKeyForms): JsonSchema {
  switch (type) {
    case "cpf":
      return { pattern: "^[0-9]{11}$" };
    case "email":
      return { format: "email", ...(forms["email.size"] === "77" && { maxLength: 77 }) };
    case "phone":
      return { pattern: PHONE_PATTERNS[forms["phone.size"]] };
    case "evp":
      return { format: "uuid", pattern: EVP_PATTERNS[forms["evp.form"]] };
  }
}

const PHONE_PATTERNS: Readonly<Record<PixKeyForms["phone.size"], string>> = {
  either: "^\\+[1-9][0-9]{11,12}$",
  words: "^\\+55[0-9]{11}$",
  size: "^\\+[1-9][0-9]{11}$",
};

const EVP_PATTERNS: Readonly<Record<PixKeyForms["evp.form"], string>> = {
  any: "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$",
  lower_v4: "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
};
