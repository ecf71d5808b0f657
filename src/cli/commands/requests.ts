import type { WireRequest } from "../../core/state/wire.ts";
import { localize } from "../terminal/language.ts";
import { toNumber } from "../terminal/numbers.ts";
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

export const requestsCommand = defineList("requests", {
  of: "request",
  route: "GET /requests",
  table: REQUESTS,
  examples: ["requests", "requests --json"],
});

/** The record's id; of a refused call the first field at fault and why. */
function renderResult(request: WireRequest, { columns }: Look): string {
  const { transaction_id: id, code, errors } = request;
  const [first] = errors;
  const shown = id === null || columns === undefined ? id : shortId(id);
  const fate = request.lost && localize(say`client disconnected`);
  return [shown, first?.field, first?.code ?? code, fate].filter(Boolean).join(" ");
}
