import { toMilliseconds, toNumber } from "../terminal/numbers.ts";
import type { ChalkInstance } from "chalk";
import type { WireRequest } from "../../core/state/wire.ts";
import type { CommandClient } from "../client/command-client.ts";
import type { ServerSentEvent } from "../../wire/server-sent-events.ts";
import { EXIT_WITH_SANDBOX, followEvents, stopSignal } from "../records/following.ts";
import { localize } from "../terminal/language.ts";
import { listFlags, printList } from "../records/list.ts";
import { flag } from "../definition/parameters.ts";
import { defineOwnCommand, type Run } from "../definition/define-command.ts";
import { type Look, shortId, type Table } from "../terminal/table.ts";
import { toTime } from "../terminal/times.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { LIST_REQUESTS, type Page } from "../../core/state/wire-routes.ts";
import { say } from "../../text/message.ts";
import type { CallResult } from "../../server/activity/activity.ts";

export const requestsCommand = defineOwnCommand("requests", {
  flags: {
    ...listFlags("request"),
    follow: flag(say`print all requests with their bodies, then new ones, until Ctrl-C`),
    exit_with_sandbox: EXIT_WITH_SANDBOX,
  },
  run: ({ follow: isFollowing, exit_with_sandbox, ...part }, run) =>
    isFollowing
      ? follow(part.after, exit_with_sandbox, run)
      : printList({ route: LIST_REQUESTS, table: REQUESTS }, part, run),
  examples: ["requests", "requests --follow", "requests --json"],
});

/**
 * Prints the logged requests, then new ones. Prints each once, although the stream opens before the list is read
 * and a new connection reads the list again.
 */
async function follow(
  after: string | undefined,
  exitWithSandbox: boolean | undefined,
  { io, client, json }: Run,
): Promise<void> {
  using stopping = stopSignal(io);
  const { signal } = stopping;
  let last: WireRequest | undefined;
  const show = (request: WireRequest): void => {
    if (last && numberOf(request) <= numberOf(last)) return;
    last = request;
    if (json) io.printJson(request);
    else io.print(renderRequest(request, io.color));
  };
  let hasConnected = false;
  const connected = async (): Promise<void> => {
    io.printError(
      hasConnected
        ? say`Reconnected.`
        : say`Connected to ${client.url}; waiting for requests. Press Ctrl-C to stop.`,
    );
    const logged = await readAll(client, hasConnected ? undefined : after);
    hasConnected = true;
    if (last && !isLogOf(last, logged)) last = undefined;
    for (const request of logged) show(request);
  };
  const take = async ({ event, data }: ServerSentEvent): Promise<void> => {
    if (event === "connected") await connected();
    if (event === "request") show(JSON.parse(data) as WireRequest);
  };
  const from = () => ({ since: undefined });
  await followEvents(client, { from, take }, { io, signal, exitWithSandbox });
}

/** Whether `last` is in the log. A restarted sandbox counts from 1 again. */
function isLogOf(last: WireRequest, logged: readonly WireRequest[]): boolean {
  const same = logged.find(({ id }) => id === last.id);
  if (same) return JSON.stringify(same) === JSON.stringify(last);
  // A long log drops old requests.
  return logged.some((request) => numberOf(request) > numberOf(last));
}

function numberOf({ id }: WireRequest): number {
  return Number(id.slice("req_".length));
}

/** Reads all pages, so that no request is missing before the new ones. */
async function readAll(client: CommandClient, after?: string): Promise<WireRequest[]> {
  const all: WireRequest[] = [];
  for (let place: string | null | undefined = after; place !== null;) {
    const page: Page<WireRequest> = await client.call(LIST_REQUESTS, { after: place });
    all.push(...page.data);
    place = page.next;
  }
  return all;
}

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

/** The record's id; of a refused call the first field at fault and why. */
function renderResult(request: WireRequest, { columns }: Look): string {
  const { id, code, field } = resultOf(request);
  const shown = id === undefined || columns === undefined ? id : shortId(id);
  const fate = request.lost && localize(say`client disconnected`);
  return [shown, field, code, fate].filter(Boolean).join(" ");
}

function renderRequest(request: WireRequest, color: ChalkInstance): string {
  const { at, method, path, body, status, response, lost, duration_ms } = request;
  const fate = lost ? `  ${localize(say`client disconnected`)}` : "";
  return [
    `${color.dim(at)}  -->  ${color.bold(toSafeLine(method))}  ${toSafeLine(path)}  ${toSafeLine(body ?? "")}`.trimEnd(),
    `${" ".repeat(at.length)}  <--  ${(status < 400 ? color.green : color.red)(String(status))}  ${toMilliseconds(duration_ms)}${fate}  ${toSafeLine(response ?? "")}`.trimEnd(),
  ].join("\n");
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
