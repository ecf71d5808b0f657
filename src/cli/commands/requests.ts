import type { WireRequest } from "../../core/state/wire.ts";
import { localize } from "../terminal/language.ts";
import { toNumber } from "../terminal/numbers.ts";
import { defineCommand, defineGroup } from "../definition/define-command.ts";
import { idOf } from "../definition/parameters.ts";
import { renderRecord } from "../output/render.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { defineList } from "../records/list.ts";
import { type Look, shortId, type Table } from "../terminal/table.ts";
import { toTime } from "../terminal/times.ts";
import { say } from "../../text/message.ts";

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

const list = defineList("requests list", {
  summary: say`list the newest requests, the newest last`,
  of: "request",
  route: "GET /requests",
  table: REQUESTS,
  examples: ["requests list", "requests list --json"],
});

const show = defineCommand("requests show", {
  summary: say`show a request and its response, with their headers`,
  arguments: { id: idOf("request") },
  route: "GET /requests/{id}",
  show: renderRequest,
  examples: ["requests show last", "requests show req_17"],
});

export const requestsCommand = defineGroup(
  "requests",
  ["requests", "requests show last"],
  [list, show],
  { isFirstDefault: true },
);

/** What a person reads of a request: the call, what came of it, then both messages. */
function renderRequest(request: WireRequest): string {
  const { headers, body, response_headers: responseHeaders, response, ...rest } = request;
  const isTold = (value: unknown): boolean =>
    value !== null && value !== false && !(Array.isArray(value) && value.length === 0);
  const about = Object.entries(rest).filter(([, value]) => isTold(value));
  const message = (named: WireRequest["headers"], text: string | null): string => {
    const lines = Object.entries(named).map(([name, value]) => `${name}: ${value}`);
    return [...lines, ...(text === null ? [] : ["", text])].map(toSafeLine).join("\n");
  };
  return [
    renderRecord(Object.fromEntries(about)),
    message(headers, body),
    message(responseHeaders, response),
  ].join("\n\n");
}

/** The record's id; of a refused call the first field at fault and why. */
function renderResult(request: WireRequest, { columns }: Look): string {
  const { transaction_id: id, code, errors } = request;
  const [first] = errors;
  const shown = id === null || columns === undefined ? id : shortId(id);
  const fate = request.lost && localize(say`client disconnected`);
  return [shown, first?.field, first?.code ?? code, fate].filter(Boolean).join(" ");
}
