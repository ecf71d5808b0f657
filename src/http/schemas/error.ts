import * as z from "zod";
import { FIELD_CODES, TOP_LEVEL_CODES } from "../../core/records/errors.ts";

const codes = z.enum(TOP_LEVEL_CODES);

const fieldErrorExample = {
  message: "buyer_cpf must be a CPF of exactly 11 digits.",
  code: "INVALID_VALUE",
  field: "buyer_cpf",
};

const fieldError = z
  .object({
    message: z.string(),
    code: z.enum([...FIELD_CODES, "NOT_PROCESSABLE", "DUPLICATED_VALUE", "NO_ACTIVE_CREDENTIAL"]),
    field: z.string().meta({
      description: "The member of the body, the parameter or the header that is wrong.",
    }),
  })
  .meta({ id: "FieldError", description: "The error of one field." });

const refusalExample = {
  message: "Check these fields: buyer_cpf.",
  code: "VALIDATION_ERROR",
  errors: [fieldErrorExample],
};

export const errorEnvelope = z
  .object({ message: z.string(), code: codes, errors: z.array(fieldError) })
  .meta({
    id: "Error",
    description: "A refusal. `errors` is empty if no field is wrong.",
    examples: [refusalExample],
  });

/** The form of errors under `/v2`. */
export const problem = z
  .object({
    type: z.literal("about:blank"),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    code: codes,
    errors: z.array(fieldError),
  })
  .meta({
    id: "Problem",
    description:
      "A refusal in the format of RFC 9457, with the envelope's `code` and `errors` as members.",
    examples: [
      {
        type: "about:blank",
        title: "Bad Request",
        status: 400,
        detail: refusalExample.message,
        code: refusalExample.code,
        errors: refusalExample.errors,
      },
    ],
  });
