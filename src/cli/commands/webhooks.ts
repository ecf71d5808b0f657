import type { WireDelivery } from "../../core/state/wire.ts";
import type { AnswerOf } from "../../http/routes/table.ts";
import { PROGRAM } from "../../platform/program.ts";
import { urlOption } from "../client/command-client.ts";
import type { Calls } from "../../client/calls.ts";
import { defineCommand, defineGroup, defineOwnCommand } from "../definition/define-command.ts";
import { DELIVERIES } from "../webhooks/deliveries.ts";
import { CliError, EXIT, usageError } from "../terminal/errors.ts";
import { localize, type Words } from "../terminal/language.ts";
import { defineList, printTable } from "../records/list.ts";
import { flag, idOf } from "../definition/parameters.ts";
import { withProgress } from "../client/progress.ts";
import { isAnswered, renderDelivery } from "../output/render.ts";
import { FILTER } from "./webhooks-filter.ts";
import { tail } from "./webhooks-tail.ts";
import { verify } from "./webhooks-verify.ts";
import { say } from "../../text/message.ts";
import { ID } from "../records/columns.ts";
import { type Table, toTableTime } from "../terminal/table.ts";

const list = defineList("webhooks list", {
  summary: say`list the newest webhooks, the newest last`,
  route: "GET /deliveries",
  of: "webhook",
  flags: FILTER,
  table: DELIVERIES,
  examples: ["webhooks list", "webhooks list --status failed --json"],
});

const show = defineCommand("webhooks show", {
  summary: say`show a webhook: its bytes, and each attempt with its response`,
  arguments: { id: idOf("webhook") },
  route: "GET /deliveries/{id}",
  show: (delivery, { io }) => renderDelivery(delivery, io.color),
  examples: ["webhooks show last", "webhooks show evt_0123456789abcdef0123456789abcdef"],
});

const resend = defineOwnCommand("webhooks resend", {
  summary: say`resend a webhook, or all that match the options, with the same id and bytes`,
  arguments: { id: idOf("webhook", undefined, { isOptional: true }) },
  flags: { ...FILTER, all: flag(say`every webhook`) },
  check: ({ id, all, ...filter }) =>
    refuseAmbiguous(id !== undefined, all === true || Object.values(filter).some(isGiven)),
  async run({ id, all: _all, ...filter }, { io, client, json }) {
    const label = say`Resending`;
    const answer = await withProgress(io, { label, isSilent: json }, async () =>
      id === undefined
        ? client.call("POST /deliveries/resend", filter)
        : client.call("POST /deliveries/{id}/resend", { id }),
    );
    const resent = "data" in answer ? answer.data : [answer];
    if (json) io.printJson(answer);
    else await printTable(io, DELIVERIES, resent, client);
    const failed = resent.filter(({ attempts }) => !isAnswered(attempts.at(-1) ?? {}));
    if (!json && resent.length > 0) io.printError(renderSummary(resent.length, failed.length));
    const [first] = failed;
    if (first) throw notAnswered(first, failed.length, resent.length, client);
  },
  examples: [
    "webhooks resend evt_0123456789abcdef0123456789abcdef",
    "webhooks resend --status failed",
  ],
});

function isGiven(value: unknown): boolean {
  return value !== undefined;
}

/** @throws CliError unless either one webhook or a filter is given. */
function refuseAmbiguous(isOne: boolean, hasFilter: boolean): void {
  if (isOne !== hasFilter) return;
  throw usageError(
    isOne ? say`Do not combine an id with other options.` : say`Select the webhooks to resend.`,
    say`Pass an id, or use --type, --transaction, --status or --all.`,
  );
}

function renderSummary(resent: number, failed: number): Words {
  return say`Resent: ${resent}. Answered with 2xx: ${resent - failed}. Failed: ${failed}.`;
}

function notAnswered(
  { id }: WireDelivery,
  failed: number,
  resent: number,
  { url }: Calls,
): CliError {
  return new CliError(
    EXIT.checkFailed,
    "RESEND_FAILED",
    say`${failed} of ${resent} webhooks got no 2xx response.`,
    say`See the responses with: ${PROGRAM} webhooks show ${id}${urlOption(url)}`,
  );
}

export const RECEIVED: Table<AnswerOf<"GET /sink">["data"][number]> = {
  none: say`The sandbox's own receiver got no webhooks.`,
  columns: [
    ID,
    { title: "WEBHOOK", text: ({ webhook_id }) => webhook_id ?? "-", isId: true },
    { title: say`TYPE`, text: ({ type }) => type ?? "-" },
    {
      title: say`TRANSACTION`,
      text: ({ transaction_id }) => transaction_id ?? "-",
      isId: true,
    },
    {
      title: say`SIGNATURE`,
      text: ({ verified, message }) => (verified ? localize(say`valid`) : (message ?? "-")),
      isFailure: ({ verified }) => !verified,
      least: 8,
    },
    {
      title: say`RECEIVED`,
      text: ({ sandbox_at }, look) => toTableTime(sandbox_at, look),
    },
  ],
};

export const listReceived = defineList("webhooks received", {
  summary: say`list what the sandbox's own receiver got, the newest last`,
  route: "GET /sink",
  table: RECEIVED,
  examples: ["webhooks received", "webhooks received --json"],
});

export const webhooksCommand = defineGroup(
  "webhooks",
  [
    "webhooks tail --forward-to http://localhost:3000/pix",
    "webhooks list --status failed",
    "webhooks resend --status failed",
    "webhooks verify captured.http",
  ],
  [tail, list, show, resend, listReceived, verify],
);
