import type { ChalkInstance } from "chalk";
import type { Command } from "commander";
import type { WireRequest } from "../../core/wire.ts";
import type { Client, ClientOptions } from "../client.ts";
import type { Io } from "../io.ts";
import { t } from "../language.ts";
import { clientCommand, clientFor, wholeNumber, withExamples } from "../options.ts";
import { toSafeLine } from "../../safe-text.ts";
import { type Page, sayMore } from "./records.ts";

interface Options extends ClientOptions {
  readonly follow?: boolean;
  readonly limit: number;
  readonly after?: string;
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
    .action((options: Options) => (options.follow ? follow(options, io) : list(options, io)));
  return withExamples(command, ["requests", "requests --follow", "requests --json"]);
}

async function list({ limit, after, json, ...options }: Options, io: Io): Promise<void> {
  const page = await readPage(clientFor(options), limit, after);
  if (json) return io.printJson(page);
  if (page.data.length === 0) io.print(t`No requests.`);
  for (const request of page.data) io.print(renderRequest(request, io.colour));
  return sayMore(io, page);
}

/** What there is, and whatever comes: each once, though the stream is listened to before the list is read. */
async function follow({ limit, after, json, ...options }: Options, io: Io): Promise<void> {
  const client = clientFor(options);
  const stopping = new AbortController();
  const stopListening = io.onSignal(() => stopping.abort());
  io.unread.addEventListener("abort", () => stopping.abort());
  let seen = 0;
  const show = (request: WireRequest): void => {
    const number = Number(request.id.slice("req_".length));
    if (number <= seen) return;
    seen = number;
    if (json) io.printJson(request);
    else io.print(renderRequest(request, io.colour));
  };
  try {
    for await (const { event, data } of client.events({ since: undefined }, stopping.signal)) {
      if (event === "connected") {
        io.say(t`Connected to ${client.url}; waiting for requests. Ctrl-C stops.`);
        for await (const request of readAll(client, limit, after)) show(request);
      }
      if (event === "request") show(JSON.parse(data) as WireRequest);
    }
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  } finally {
    stopListening();
  }
}

/** Page by page: what is left out would be a gap before those that come. */
async function* readAll(
  client: Client,
  limit: number,
  after?: string,
): AsyncGenerator<WireRequest> {
  for (let place: string | null | undefined = after; place !== null;) {
    const page: Page<WireRequest> = await readPage(client, limit, place);
    yield* page.data;
    place = page.next;
  }
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
