import { setImmediate as nextTurn } from "node:timers/promises";
import type { WireAttemptEvent, WireResetEvent } from "../../core/state/wire.ts";
import { defineOwnCommand, type Run } from "../definition/define-command.ts";
import type { StreamPlace } from "../client/command-client.ts";
import type { ServerSentEvent } from "../../wire/server-sent-events.ts";
import { followEvents, type Follower, stopSignal } from "../records/following.ts";
import { createForwarder, type Forwarder } from "../webhooks/forwarder.ts";
import { flag, type Given, freeText } from "../definition/parameters.ts";
import { renderAttempt, renderForwarded } from "../output/render.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { FILTER } from "./webhooks-filter.ts";
import { say } from "../../text/message.ts";

const FLAGS = {
  forward_to: freeText("url", say`also send the same bytes and headers to this URL`),
  ...FILTER,
  exit_with_sandbox: flag(say`exit when the sandbox stops, instead of reconnecting`),
};

type Options = Given<unknown, typeof FLAGS>;

/** After a lost connection, continues after the last event: without a gap or a repeat. */
export const tail = defineOwnCommand("webhooks tail", {
  summary: say`print each webhook attempt as it ends, until Ctrl-C`,
  flags: FLAGS,
  async run(given, run) {
    const { io, client } = run;
    using stopping = stopSignal(io);
    const { signal } = stopping;
    const forwarder =
      given.forward_to === undefined ? undefined : await createForwarder(given.forward_to, signal);
    const tailing = new Tail({ run, options: given, forwarder });
    await followEvents(client, tailing, { io, signal, exitWithSandbox: given.exit_with_sandbox });
    stopping.throwIfInterrupted();
  },
  examples: [
    "webhooks tail",
    "webhooks tail --forward-to http://localhost:3000/pix",
    "webhooks tail --status failed",
    "webhooks tail --json | jq .type",
  ],
});

interface Tailing {
  readonly run: Run;
  readonly options: Options;
  readonly forwarder: Forwarder | undefined;
}

class Tail implements Follower {
  readonly #of: Tailing;
  /** The forwarded webhooks that can be retried. */
  readonly #forwarded = new Set<string>();
  #place: StreamPlace | undefined;
  #hasConnected = false;

  constructor(of: Tailing) {
    this.#of = of;
  }

  from(): StreamPlace | { readonly since: undefined } {
    return this.#place ?? { since: undefined };
  }

  async take({ id, event, data }: ServerSentEvent, signal: AbortSignal): Promise<void> {
    const payload = JSON.parse(data) as unknown;
    if (event === "connected")
      return this.#connected({ stream: (payload as { stream: string }).stream, after: Number(id) });
    if (event === "missed") {
      const { after, up_to: upTo } = payload as { after: number; up_to: number };
      this.#of.run.io.printError(
        say`Events ${after + 1} to ${upTo} are no longer in the log; the command rebuilds them from the records where possible.`,
      );
    }
    if (event === "reset") {
      const { integration } = payload as WireResetEvent;
      this.#of.run.io.printError(
        integration === null
          ? say`The sandbox was reset: earlier events are gone.`
          : say`The sandbox was reset for ${toSafeLine(integration)}: earlier events are gone.`,
      );
    }
    if (event === "attempt") await this.#show(payload as WireAttemptEvent, signal);
    if (id !== undefined && this.#place) this.#place = { ...this.#place, after: Number(id) };
  }

  #connected(place: StreamPlace): void {
    if (this.#place && this.#place.stream !== place.stream)
      this.#of.run.io.printError(
        say`This is another sandbox, or a new run: starting with its first event.`,
      );
    this.#place = place;
    this.#of.run.io.printError(
      this.#hasConnected
        ? say`Reconnected.`
        : say`Connected to ${toSafeLine(this.#of.run.client.url)}; waiting for webhooks. Press Ctrl-C to stop.`,
    );
    this.#hasConnected = true;
  }

  async #show(event: WireAttemptEvent, signal: AbortSignal): Promise<void> {
    for (const name of ["type", "transaction_id", "status"] as const)
      if (this.#of.options[name] !== undefined && event[name] !== this.#of.options[name]) return;
    const { json, io } = this.#of.run;
    if (json) io.printJson(event);
    else io.print(renderAttempt(event, io.color));
    if (!this.#of.forwarder || !this.#isToForward(event)) return this.#untilRead();
    const outcome = await this.#of.forwarder.send(event.body, event.attempt.headers);
    if (outcome.status === null) signal.throwIfAborted();
    if (event.status === "pending") this.#forwarded.add(event.id);
    else this.#forwarded.delete(event.id);
    if (json) {
      io.printJson({
        forwarded_to: this.#of.forwarder.url,
        id: event.id,
        status: outcome.status,
        error: outcome.error,
        duration_ms: outcome.durationMs,
        response: outcome.response,
      });
    } else io.print(renderForwarded(this.#of.forwarder.url, outcome, io.color));
    await this.#untilRead();
  }

  /**
   * Forwards a webhook once, and again after a resend. The sandbox's retries are for its own address only. With a
   * filter by status, this is the attempt that ends the delivery.
   */
  #isToForward({ id, status, attempt }: WireAttemptEvent): boolean {
    if (attempt.resend) return true;
    if (this.#of.options.status === "delivered" || this.#of.options.status === "failed")
      return true;
    const wasForwarded = this.#forwarded.has(id);
    if (status !== "pending") this.#forwarded.delete(id);
    return !wasForwarded;
  }

  /** A write without a reader fails a moment later: then the event was not printed. */
  async #untilRead(): Promise<void> {
    await nextTurn();
    this.#of.run.io.unread.throwIfAborted();
  }
}
