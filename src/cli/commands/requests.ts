import type { ChalkInstance } from "chalk";
import type { Command } from "commander";
import type { WireRequest } from "../../core/wire.ts";
import type { Client, ClientOptions } from "../client.ts";
import type { ServerSentEvent } from "../event-stream.ts";
import { followEvents, stopSignal } from "../following.ts";
import type { Io } from "../io.ts";
import { t } from "../language.ts";
import { clientCommand, clientFor, wholeNumber, withExamples } from "../options.ts";
import { toSafeLine } from "../../core/safe-text.ts";
import { type Page, reportMore } from "./records.ts";

interface Options extends ClientOptions {
  readonly follow?: boolean;
  readonly limit: number;
  readonly after?: string;
  readonly exitWithSandbox?: boolean;
  readonly json?: boolean;
}

export function requestsCommand(io: Io): Command {
  const command = clientCommand("requests")
    .description("list what the gateway was sent and what it answered, newest last")
    .option("--follow", "go on with those that come, until it is interrupted")
    .option(
      "--limit <number>",
      "at most so many; at a time, with --follow",
      wholeNumber(1, 1000),
      100,
    )
    .option("--after <id>", "only those behind this one")
    .option("--exit-with-sandbox", "end when the sandbox does, instead of waiting for it")
    .action((options: Options) => (options.follow ? follow(options, io) : list(options, io)));
  return withExamples(command, ["requests", "requests --follow", "requests --json"]);
}

async function list({ limit, after, json, ...options }: Options, io: Io): Promise<void> {
  const page = await readPage(clientFor(options), limit, after);
  if (json) return io.printJson(page);
  if (page.data.length === 0) io.print(t`No requests.`);
  for (const request of page.data) io.print(renderRequest(request, io.colour));
  return reportMore(io, page);
}

/**
 * Prints the logged requests, then those that come. Each is printed once, although the stream is
 * opened before the list is read, and although a new connection reads the list again.
 */
async function follow(
  { limit, after, exitWithSandbox, json, ...options }: Options,
  io: Io,
): Promise<void> {
  const client = clientFor(options);
  using stopping = stopSignal(io);
  const { signal } = stopping;
  let last: WireRequest | undefined;
  const show = (request: WireRequest): void => {
    if (last && numberOf(request) <= numberOf(last)) return;
    last = request;
    if (json) io.printJson(request);
    else io.print(renderRequest(request, io.colour));
  };
  let hasConnected = false;
  const connected = async (): Promise<void> => {
    io.say(
      hasConnected
        ? t`Connected again.`
        : t`Connected to ${client.url}; waiting for requests. Ctrl-C stops.`,
    );
    const logged = await readAll(client, limit, hasConnected ? undefined : after);
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

/** Whether the log is the one that `last` was in. A sandbox that was started again numbers from 1 again. */
function isLogOf(last: WireRequest, logged: readonly WireRequest[]): boolean {
  const same = logged.find(({ id }) => id === last.id);
  if (same) return JSON.stringify(same) === JSON.stringify(last);
  // A long log has dropped it.
  return logged.some((request) => numberOf(request) > numberOf(last));
}

function numberOf({ id }: WireRequest): number {
  return Number(id.slice("req_".length));
}

/** Reads all pages: what is left out would be a gap before the requests that come. */
async function readAll(client: Client, limit: number, after?: string): Promise<WireRequest[]> {
  const all: WireRequest[] = [];
  for (let place: string | null | undefined = after; place !== null;) {
    const page: Page<WireRequest> = await readPage(client, limit, place);
    all.push(...page.data);
    place = page.next;
  }
  return all;
}

function readPage(client: Client, limit: number, after?: string): Promise<Page<WireRequest>> {
  const place = after === undefined ? "" : `&after=${encodeURIComponent(after)}`;
  return client.control("GET", `/requests?limit=${limit}${place}`);
}

function renderRequest(request: WireRequest, colour: ChalkInstance): string {
  const { at, method, path, body, status, response, lost, duration_ms } = request;
  const fate = lost ? `  ${t`nobody was there to hear it`}` : "";
  return [
    `${colour.dim(at)}  -->  ${colour.bold(toSafeLine(method))}  ${toSafeLine(path)}  ${toSafeLine(body ?? "")}`.trimEnd(),
    `${" ".repeat(at.length)}  <--  ${(status < 400 ? colour.green : colour.red)(String(status))}  ${duration_ms} ms${fate}  ${toSafeLine(response ?? "")}`.trimEnd(),
  ].join("\n");
}
