import { setImmediate as nextTurn } from "node:timers/promises";
import type { Command } from "commander";
import type { WireAttemptEvent, WireResetEvent } from "../../core/state/wire.ts";
import type { ClientOptions } from "../command-client.ts";
import { CursorFile, type StreamPlace } from "../cursor.ts";
import type { ServerSentEvent } from "../../wire/server-sent-events.ts";
import { usageError } from "../errors.ts";
import { followEvents, type Follower, stopSignal } from "../following.ts";
import { createForwarder, type Forwarder } from "../forwarder.ts";
import { type Io, pathIn } from "../io.ts";
import { localize } from "../language.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";
import { renderAttempt, renderForwarded } from "../render.ts";
import { toSafeLine } from "../../text/safe-text.ts";
import { resolveFilter, withFilter } from "./webhooks-filter.ts";
import { resolveId } from "../resolve-id.ts";
import { arg } from "../placeholders.ts";

interface TailOptions extends ClientOptions {
  readonly forwardTo?: string;
  readonly type?: string;
  readonly transaction?: string;
  readonly status?: string;
  readonly since?: string | undefined;
  readonly cursor?: string;
  readonly exitWithSandbox?: boolean;
  readonly json?: boolean;
}

export function tailCommand(io: Io): Command {
  const command = withFilter(
    clientCommand("tail")
      .description(
        localize({
          en: "print each webhook attempt as it ends, until Ctrl-C",
          pt: "imprime cada tentativa de webhook quando termina, até Ctrl-C",
        }),
      )
      .option(
        "--forward-to <url>",
        localize({
          en: "also send the same bytes and headers to this URL",
          pt: "envia os mesmos bytes e cabeçalhos também para esta URL",
        }),
      ),
  )
    .option(
      "--since <id>",
      localize({
        en: "start after this webhook id or event number, or with all (default: now)",
        pt: "começa depois deste id de webhook ou número de evento, ou com all (padrão: agora)",
      }),
    )
    .option(
      `--cursor ${arg("file")}`,
      localize({
        en: "store the position in this file, and continue from it in the next run",
        pt: "grava a posição neste arquivo e continua dela na próxima execução",
      }),
    )
    .option(
      "--exit-with-sandbox",
      localize({
        en: "exit when the sandbox stops, instead of reconnecting",
        pt: "termina quando o sandbox para, em vez de reconectar",
      }),
    )
    .action((options: TailOptions) => tail(options, io));
  return withExamples(command, [
    "webhooks tail",
    "webhooks tail --forward-to http://localhost:3000/pix",
    "webhooks tail --cursor .pix-cursor",
    "webhooks tail --since all --status failed",
    "webhooks tail --json | jq .type",
  ]);
}

/** After a lost connection, continues after the last event: without a gap or a repeat. */
async function tail(options: TailOptions, io: Io): Promise<void> {
  const given = options.since?.toLowerCase();
  if (given !== undefined && !/^(all|last|evt_\w+|\d{1,15})$/.test(given)) {
    throw usageError(
      localize({
        en: `Invalid --since ${JSON.stringify(options.since)}.`,
        pt: `--since inválido: ${JSON.stringify(options.since)}.`,
      }),
      localize({
        en: "Use a webhook id (evt_…) or its beginning, last, an event number, or all.",
        pt: "Use um id de webhook (evt_…) ou o começo dele, last, um número de evento, ou all.",
      }),
    );
  }
  const cursor =
    options.cursor === undefined ? undefined : new CursorFile(pathIn(io, options.cursor));
  const forwarder =
    options.forwardTo === undefined ? undefined : await createForwarder(options.forwardTo);
  using stopping = stopSignal(io);
  const { signal } = stopping;
  signal.addEventListener("abort", () => forwarder?.abort());
  const client = clientFor(options);
  const filter = await resolveFilter(client, options);
  const isId = given !== undefined && /^(?:evt_|last$)/.test(given);
  const since = isId ? await resolveId(client, "webhook", given) : given;
  const tailing = new Tail(
    { ...filter, since },
    await cursor?.read(),
    cursor,
    forwarder,
    client.url,
    io,
  );
  try {
    await followEvents(client, tailing, { io, signal, exitWithSandbox: options.exitWithSandbox });
  } finally {
    forwarder?.close();
  }
}

/** One run of the command. */
class Tail implements Follower {
  readonly #options: TailOptions;
  readonly #cursor: CursorFile | undefined;
  readonly #forwarder: Forwarder | undefined;
  readonly #url: string;
  readonly #io: Io;
  /** Whether an earlier run has stored its position. */
  readonly #goesOn: boolean;
  /** The forwarded webhooks that can be retried. */
  readonly #forwarded = new Set<string>();
  #place: StreamPlace | undefined;
  #hasConnected = false;

  constructor(
    options: TailOptions,
    place: StreamPlace | undefined,
    cursor: CursorFile | undefined,
    forwarder: Forwarder | undefined,
    url: string,
    io: Io,
  ) {
    this.#options = options;
    this.#place = place;
    this.#goesOn = place !== undefined;
    this.#cursor = cursor;
    this.#forwarder = forwarder;
    this.#url = url;
    this.#io = io;
  }

  from(): StreamPlace | { readonly since: string | undefined } {
    return this.#place ?? { since: this.#options.since };
  }

  async take({ id, event, data }: ServerSentEvent, signal: AbortSignal): Promise<void> {
    const payload = JSON.parse(data) as unknown;
    if (event === "connected")
      return this.#connected({ stream: (payload as { stream: string }).stream, after: Number(id) });
    if (event === "missed") {
      const { after, up_to: upTo } = payload as { after: number; up_to: number };
      this.#io.printError(
        localize({
          en: `Events ${after + 1} to ${upTo} are no longer in the log; the command rebuilds them from the records where possible.`,
          pt: `Os eventos ${after + 1} a ${upTo} não estão mais no log; o comando os reconstrói a partir dos registros onde possível.`,
        }),
      );
    }
    if (event === "reset") {
      const { integration } = payload as WireResetEvent;
      this.#io.printError(
        integration === null
          ? localize({
              en: "The sandbox was reset: earlier events are gone.",
              pt: "Houve um reset do sandbox: os eventos anteriores se perderam.",
            })
          : localize({
              en: `The sandbox was reset for ${toSafeLine(integration)}: earlier events are gone.`,
              pt: `Houve um reset de ${toSafeLine(integration)}: os eventos anteriores se perderam.`,
            }),
      );
    }
    if (event === "attempt") await this.#show(payload as WireAttemptEvent, signal);
    if (id === undefined || !this.#place) return;
    this.#place = { ...this.#place, after: Number(id) };
    // After the event is handled: a run that is killed before handles it again.
    if (event === "attempt") await this.#cursor?.write(this.#place);
  }

  /** Reports the connection after the position is stored: no later event is missed, not even by a later run. */
  async #connected(place: StreamPlace): Promise<void> {
    if (this.#place && this.#place.stream !== place.stream)
      this.#io.printError(
        localize({
          en: "This is another sandbox, or a new run: starting with its first event.",
          pt: "Este é outro sandbox, ou uma nova execução: começando pelo primeiro evento.",
        }),
      );
    this.#place = place;
    await this.#cursor?.write(place);
    this.#io.printError(
      this.#hasConnected
        ? localize({ en: "Reconnected.", pt: "Reconectado." })
        : localize({
            en: `Connected to ${this.#url}; waiting for webhooks. Press Ctrl-C to stop.`,
            pt: `Conectado a ${this.#url}; aguardando webhooks. Ctrl-C para sair.`,
          }),
    );
    this.#hasConnected = true;
  }

  async #show(event: WireAttemptEvent, signal: AbortSignal): Promise<void> {
    const { type, transaction, status } = this.#options;
    if (type !== undefined && event.type !== type) return;
    if (transaction !== undefined && event.transaction_id !== transaction) return;
    if (status !== undefined && event.status !== status) return;
    const { json } = this.#options;
    if (json) this.#io.printJson(event);
    else this.#io.print(renderAttempt(event, this.#io.color));
    if (!this.#forwarder || !this.#isToForward(event)) return this.#untilRead();
    const outcome = await this.#forwarder.send(event.body, event.attempt.headers);
    // An aborted request is repeated in the next run.
    if (outcome.status === null) signal.throwIfAborted();
    if (event.status === "pending") this.#forwarded.add(event.id);
    else this.#forwarded.delete(event.id);
    if (json) {
      this.#io.printJson({
        forwarded_to: this.#forwarder.url,
        id: event.id,
        status: outcome.status,
        error: outcome.error,
        duration_ms: outcome.durationMs,
        response: outcome.response,
      });
    } else this.#io.print(renderForwarded(this.#forwarder.url, outcome, this.#io.color));
    await this.#untilRead();
  }

  /**
   * Forwards a webhook once, and again after a resend. The sandbox's retries are for its own address only. With a
   * filter by status, this is the attempt that ends the delivery.
   */
  #isToForward({ id, status, attempt, attempts }: WireAttemptEvent): boolean {
    if (attempt.resend) return true;
    if (this.#options.status === "delivered" || this.#options.status === "failed") return true;
    const hasRetries = attempts.filter(({ resend }) => !resend).length > 1;
    const wasForwarded = this.#forwarded.has(id) || (hasRetries && this.#goesOn);
    if (status !== "pending") this.#forwarded.delete(id);
    return !wasForwarded;
  }

  /** A write without a reader fails a moment later: then the event was not printed. */
  async #untilRead(): Promise<void> {
    await nextTurn();
    this.#io.unread.throwIfAborted();
  }
}
