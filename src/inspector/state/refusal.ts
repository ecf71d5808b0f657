import type { Mark } from "./body-text.ts";
import type { WireRequest } from "./wire.ts";

/** What is wrong with a header: one that was sent, or one that is missing. */
export interface HeaderError {
  readonly name: string;
  readonly message: string;
}

/** Why a request was refused. */
export interface Refusal {
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly headers: readonly HeaderError[];
  /** By members of the body. */
  readonly members: readonly Mark[];
}

/** Reads the errors of a response, in the specification's envelope or in that of `/v2`. */
export function refusalOf(request: WireRequest): Refusal | undefined {
  if (request.status < 400) return undefined;
  const response = asObject(parse(request.response));
  const body = asObject(parse(request.body));
  const errors = Array.isArray(response["errors"]) ? response["errors"].map(asObject) : [];
  const headers: HeaderError[] = [];
  const members: Mark[] = [];
  for (const error of errors) {
    const field = asText(error["field"]);
    if (field === undefined) continue;
    const message = asText(error["message"]) ?? "";
    const isHeader = /^x-/i.test(field) && !Object.hasOwn(body, field);
    if (isHeader) headers.push({ name: field.toLowerCase(), message });
    else members.push({ path: [field], message });
  }
  return {
    code: asText(response["code"]),
    message: asText(response["message"]) ?? asText(response["detail"]),
    headers,
    members,
  };
}

/** The record that a request created, or that a simulation changed. */
export function recordOf(
  request: WireRequest,
): { readonly pane: "payins" | "payouts"; readonly id: string } | undefined {
  const { pathname } = new URL(request.path, "http://sandbox");
  const pane = /^\/v\d+\/(payins|payouts)(?:\/|$)/.exec(pathname)?.[1];
  if (pane !== "payins" && pane !== "payouts") return undefined;
  if (request.status >= 300) return undefined;
  const response = asObject(parse(request.response));
  // A response with an image is long, so the log has only its beginning.
  const id =
    asText(response["id"]) ??
    /"id":"([^"\\]+)"/.exec(request.response ?? "")?.[1] ??
    asText(asObject(parse(request.body))["transaction_id"]);
  return id === undefined ? undefined : { pane, id };
}

type Members = Readonly<Record<string, unknown>>;

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

function asObject(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Members)
    : {};
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
