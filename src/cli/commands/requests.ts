import type { WireRequest } from "../../core/state/wire.ts";
import { localize } from "../terminal/language.ts";
import { toNumber } from "../terminal/numbers.ts";
import { defineList } from "../records/list.ts";
import { type Look, shortId, type Table } from "../terminal/table.ts";
import { toTime } from "../terminal/times.ts";
import { LIST_REQUESTS } from "../../core/state/wire-routes.ts";
import { say } from "../../text/message.ts";
import type { CallResult } from "../../server/activity/activity.ts";

export const REQUESTS: Table<WireRequest> = {
  none: say`No requests.`,
  columns: [
    { title: "ID", text: ({ id }) => id },
    {
      title: say.for("clock")`TIME`,
      text: ({ at }, { columns }) => (columns === undefined ? at : toTime(new Date(at))),
    },
    { title: say`METHOD`, text: ({ method }) => method, least: 7 },
    { title: say`PATH`, text: ({ path }) => path, least: 16 },
    {
      title: "STATUS",
      text: ({ status }) => String(status),
      isFailure: ({ status }) => status >= 400,
    },
    {
      title: "MS",
      text: ({ duration_ms: ms }) => toNumber(ms < 10 ? ms : Math.round(ms)),
    },
    { title: say`RESULT`, text: renderResult, least: 16 },
    { title: say`BODY`, text: ({ body }) => body ?? "", least: 40 },
  ],
};

export const requestsCommand = defineList("requests", {
  of: "request",
  route: LIST_REQUESTS,
  table: REQUESTS,
  examples: ["requests", "requests --json"],
});

/** The record's id; of a refused call the first field at fault and why. */
function renderResult(request: WireRequest, { columns }: Look): string {
  const { id, code, field } = resultOf(request);
  const shown = id === undefined || columns === undefined ? id : shortId(id);
  const fate = request.lost && localize(say`client disconnected`);
  return [shown, field, code, fate].filter(Boolean).join(" ");
}

/** Reads the result of a call from its bodies. It is empty if they are too long for the log, or not JSON. */
function resultOf({
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
