import * as z from "zod";
import { FIELD_CODES, TOP_LEVEL_CODES } from "../../core/records/errors.ts";

const fieldError = z
  .object({
    message: z.string(),
    code: z.enum([...FIELD_CODES, "NOT_PROCESSABLE", "DUPLICATED_VALUE", "NO_ACTIVE_CREDENTIAL"]),
    field: z.string().describe("The member of the body, the parameter or the header."),
  })
  .meta({ id: "FieldError", description: "The error of one field." });

const reason = {
  code: z.enum(TOP_LEVEL_CODES),
  errors: z.array(fieldError).describe("Empty if no field is wrong."),
};

export const errorEnvelope = z
  .object({ message: z.string(), ...reason })
  .meta({ id: "Error", description: "A refusal." });

/** The form of errors under `/v2`. */
export const problem = z
  .object({
    type: z.literal("about:blank"),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    ...reason,
  })
  .meta({
    id: "Problem",
    description:
      "A refusal in the format of RFC 9457, with the envelope's `code` and `errors` as members.",
  });
