import type * as z from "zod";
import { invalidFields } from "../../core/records/errors.ts";
import type { Call } from "../calls/call.ts";
import { say } from "../../text/message.ts";
import type { Rules } from "./readers.ts";

/** @throws GatewayError with an entry for each parameter that does not match the schema. */
export function readQuery<Schema extends z.ZodObject>(
  call: Call,
  schema: Schema,
  rules: Rules,
): z.output<Schema> {
  const sent = Object.fromEntries(call.url.searchParams);
  const result = schema.safeParse(sent);
  if (result.success) return result.data;
  const names = result.error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys : String(issue.path[0]),
  );
  throw invalidFields(
    [...new Set(names)].map((field) => {
      const rule = Object.hasOwn(rules, field) ? rules[field] : undefined;
      const message = typeof rule === "function" ? rule(sent) : (rule ?? wrong(field));
      return { field, code: "INVALID_VALUE", message };
    }),
  );
}

function wrong(field: string) {
  return say`${field} is not a parameter of this path, or its value is invalid.`;
}
