import type { WireRequest } from "../../core/state/wire.ts";
import type { CallResult } from "../../server/activity/activity.ts";

/** Reads the result of a call from its bodies. It is empty if they are too long for the log, or not JSON. */
export function resultOf({
  status,
  body,
  response,
}: Pick<WireRequest, "status" | "body" | "response">): CallResult {
  const answer = read(response);
  if (status < 400) return { id: textOf(answer["id"]) ?? textOf(read(body)["transaction_id"]) };
  const first = Array.isArray(answer["errors"]) ? toMembers(answer["errors"][0]) : {};
  return {
    code: textOf(first["code"]) ?? textOf(answer["code"]),
    field: textOf(first["field"]),
    message: textOf(first["message"]) ?? textOf(answer["message"]) ?? textOf(answer["detail"]),
  };
}

type Members = Readonly<Record<string, unknown>>;

function read(text: string | null): Members {
  try {
    return toMembers(JSON.parse(text ?? "null"));
  } catch {
    return {};
  }
}

function toMembers(value: unknown): Members {
  return typeof value === "object" && value !== null ? (value as Members) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
