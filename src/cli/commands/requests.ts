import type { ChalkInstance } from "chalk";
import type { Command } from "commander";
import type { WireRequest } from "../../core/wire.ts";
import type { CommandClient, ClientOptions } from "../command-client.ts";
import type { ServerSentEvent } from "../event-stream.ts";
import { followEvents, stopSignal } from "../following.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";
import { afterOption, limitOption, clientCommand, clientFor, withExamples } from "../options.ts";
import { toSafeLine } from "../../core/safe-text.ts";
import { reportMore } from "./records.ts";
import { type Page } from "../../api/wire-client.ts";

interface Options extends ClientOptions {
  readonly follow?: boolean;
  readonly limit: number;
  readonly after?: string;
  readonly exitWithSandbox?: boolean;
  readonly json?: boolean;
}

export function requestsCommand(io: Io): Command {
  const command = clientCommand("requests")
    .option(
      "--follow",
      localize({
        en: "continue with new requests, until Ctrl-C",
        pt: "continua com as novas requisições, até Ctrl-C",
      }),
    )
    .addOption(
      limitOption({
        en: "the maximum number of requests; with --follow, of a page",
        pt: "o número máximo de requisições; com --follow, de uma página",
      }),
    )
    .addOption(afterOption())
    .option(
      "--exit-with-sandbox",
      localize({
        en: "exit when the sandbox stops, instead of reconnecting",
        pt: "termina quando o sandbox para, em vez de reconectar",
      }),
    )
    .action((options: Options) => (options.follow ? follow(options, io) : list(options, io)));
  return withExamples(command, ["requests", "requests --follow", "requests --json"]);
}

async function list({ limit, after, json, ...options }: Options, io: Io): Promise<void> {
  const page = await readPage(clientFor(options), limit, after);
  if (json) return io.printJson(page);
  if (page.data.length === 0) io.print(localize({ en: "No requests.", pt: "Nenhuma requisição." }));
  for (const request of page.data) io.print(renderRequest(request, io.color));
  return reportMore(io, page);
}

/**
 * Prints the logged requests, then new ones. Prints each once, although the stream opens before the list is read
 * and a new connection reads the list again.
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
    else io.print(renderRequest(request, io.color));
  };
  let hasConnected = false;
  const connected = async (): Promise<void> => {
    io.printError(
      hasConnected
        ? localize({ en: "Reconnected.", pt: "Reconectado." })
        : localize({
            en: `Connected to ${client.url}; waiting for requests. Press Ctrl-C to stop.`,
            pt: `Conectado a ${client.url}; aguardando requisições. Ctrl-C para sair.`,
          }),
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
async function readAll(
  client: CommandClient,
  limit: number,
  after?: string,
): Promise<WireRequest[]> {
  const all: WireRequest[] = [];
  for (let place: string | null | undefined = after; place !== null;) {
    const page: Page<WireRequest> = await readPage(client, limit, place);
    all.push(...page.data);
    place = page.next;
  }
  return all;
}

function readPage(
  client: CommandClient,
  limit: number,
  after?: string,
): Promise<Page<WireRequest>> {
  const place = after === undefined ? "" : `&after=${encodeURIComponent(after)}`;
  return client.control("GET", `/requests?limit=${limit}${place}`);
}

function renderRequest(request: WireRequest, color: ChalkInstance): string {
  const { at, method, path, body, status, response, lost, duration_ms } = request;
  const fate = lost
    ? `  ${localize({ en: "client disconnected", pt: "cliente desconectado" })}`
    : "";
  return [
    `${color.dim(at)}  -->  ${color.bold(toSafeLine(method))}  ${toSafeLine(path)}  ${toSafeLine(body ?? "")}`.trimEnd(),
    `${" ".repeat(at.length)}  <--  ${(status < 400 ? color.green : color.red)(String(status))}  ${duration_ms} ms${fate}  ${toSafeLine(response ?? "")}`.trimEnd(),
  ].join("\n");
}
