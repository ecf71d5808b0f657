import { setTimeout as wait } from "node:timers/promises";
import { Command, Option } from "commander";
import type { WireAttemptEvent, WireDelivery } from "../../core/wire.ts";
import type { Client, ClientOptions } from "../client.ts";
import { CliError, EXIT, usageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { clientCommand, clientFor, wholeNumber, withExamples } from "../options.ts";
import { renderAttempt, renderDeliveries, renderForwarded } from "../render.ts";
import { type Page, sayMore, toQuery } from "./records.ts";

interface TailOptions extends ClientOptions {
  readonly forwardTo?: string;
  readonly json?: boolean;
}

interface ListOptions extends ClientOptions {
  readonly type?: string;
  readonly transaction?: string;
  readonly status?: string;
  readonly limit: number;
  readonly after?: string;
  readonly json?: boolean;
}

/** How soon a connection that broke is tried again. */
const PAUSE_MS = 500;
/** How long a forwarded webhook waits for its answer. */
const FORWARD_TIMEOUT_MS = 10_000;

export function webhooksCommand(io: Io): Command {
  const command = new Command("webhooks")
    .description("watch and list webhooks")
    .addCommand(tailCommand(io))
    .addCommand(listCommand(io));
  return withExamples(command, ["webhooks tail", "webhooks list --status failed"]);
}

function tailCommand(io: Io): Command {
  const command = clientCommand("tail")
    .description("print each webhook as it is sent and answered, until Ctrl-C")
    .option("--forward-to <url>", "send the same bytes and headers there too")
    .action((options: TailOptions) => tail(options, io));
  return withExamples(command, [
    "webhooks tail",
    "webhooks tail --forward-to http://localhost:3000/webhooks/pix",
    "webhooks tail --json | jq .type",
  ]);
}

function listCommand(io: Io): Command {
  const command = clientCommand("list")
    .description("list webhooks, oldest first")
    .option("--type <type>", "only those of this event type, such as payin.paid")
    .option("--transaction <id>", "only those of this payin or payout")
    .addOption(
      new Option("--status <status>", "only those with this status").choices([
        "pending",
        "delivered",
        "failed",
      ]),
    )
    .option("--limit <number>", "at most so many", wholeNumber(1, 1000), 100)
    .option("--after <id>", "only those behind this one")
    .action(async ({ type, transaction, status, limit, after, json, ...options }: ListOptions) => {
      const query = toQuery({ type, transaction_id: transaction, status, limit, after });
      const page = await clientFor(options).control<Page<WireDelivery>>(
        "GET",
        `/deliveries${query}`,
      );
      if (json) return io.printJson(page);
      io.print(renderDeliveries(page.data, io.colour));
      return sayMore(io, page);
    });
  return withExamples(command, ["webhooks list", "webhooks list --status failed --json"]);
}

/** A connection that breaks is taken up again behind the last event seen: no gap, no repeat. */
async function tail({ forwardTo, json, ...options }: TailOptions, io: Io): Promise<void> {
  if (forwardTo !== undefined && !/^https?:\/\/[^\s/]/i.test(forwardTo)) {
    throw usageError(
      `--forward-to does not take ${JSON.stringify(forwardTo)}.`,
      "Write it like http://localhost:3000/webhooks/pix.",
    );
  }
  const client = clientFor(options);
  const stopping = new AbortController();
  const stopListening = io.onSignal(() => stopping.abort());
  io.unread.addEventListener("abort", () => stopping.abort());
  const forward = forwardTo === undefined ? undefined : await createForwarder(forwardTo, io);
  const place: Place = { after: undefined, hasConnected: false };
  try {
    while (!stopping.signal.aborted) {
      await follow(client, place, stopping.signal, io, async (event) => {
        if (json) io.printJson(event);
        else io.print(renderAttempt(event, io.colour));
        await forward?.send(event, json === true);
      });
      if (!stopping.signal.aborted)
        await wait(PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  } finally {
    stopListening();
    forward?.close();
  }
}

/** Where a tail is in the stream. */
interface Place {
  after: string | undefined;
  hasConnected: boolean;
}

async function follow(
  client: Client,
  place: Place,
  signal: AbortSignal,
  io: Io,
  onAttempt: (event: WireAttemptEvent) => Promise<void>,
): Promise<void> {
  const onConnect = (): void => {
    io.say(
      place.hasConnected
        ? "Connected again."
        : `Connected to ${client.url}; waiting for webhooks. Ctrl-C stops.`,
    );
    place.hasConnected = true;
  };
  try {
    for await (const { id, event, data } of client.events(place.after, signal, onConnect)) {
      if (event === "attempt") await onAttempt(JSON.parse(data) as WireAttemptEvent);
      place.after = id ?? place.after;
    }
    if (!signal.aborted) io.say("The sandbox closed the connection; trying again…");
  } catch (error) {
    if (signal.aborted) return;
    const isGone = !(error instanceof CliError) || error.exitCode === EXIT.noSandbox;
    if (!isGone || !place.hasConnected) throw error;
  }
}

async function createForwarder(url: string, io: Io) {
  const { Sender } = await import("../../sandbox.ts");
  const sender = new Sender();
  return {
    async send({ body, attempt }: WireAttemptEvent, json: boolean): Promise<void> {
      const outcome = await sender.post({
        url,
        body,
        headers: attempt.headers,
        timeoutMs: FORWARD_TIMEOUT_MS,
      });
      if (json)
        io.printJson({
          forwarded_to: url,
          status: outcome.status,
          error: outcome.error,
          duration_ms: outcome.durationMs,
        });
      else io.print(renderForwarded(url, outcome, io.colour));
    },
    close: () => sender.close(),
  };
}
