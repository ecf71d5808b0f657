import { setImmediate as nextTurn } from "node:timers/promises";
import type { WireAttemptEvent, WireDelivery } from "../../core/state/wire.ts";
import { defineOwnCommand, type Run } from "../definition/define-command.ts";
import type { ServerSentEvent } from "../../wire/server-sent-events.ts";
import { followEvents } from "../../client/events.ts";
import { SandboxError } from "../../client/calls.ts";
import { stopSignal } from "../records/following.ts";
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

/**
 * After a lost connection, continues after the last event: without a gap or a repeat. If events are gone, as after a
 * restart of the sandbox, it prints the deliveries since.
 */
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
    const lost = (): number => {
      if (given.exit_with_sandbox) return 0;
      io.printError(say`The sandbox closed the connection; reconnecting…`);
      return Number.POSITIVE_INFINITY;
    };
    try {
      for await (const event of followEvents(client, signal, { lost }))
        await tailing.take(event, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
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

/** A delivery whose attempts may be read again. */
interface Recent {
  /** How many attempts were shown, or left out by a filter. */
  shown: number;
  isOver: boolean;
}

/** More are not remembered, even if the oldest one is still pending. */
const MAX_RECENT = 10_000;

class Tail {
  readonly #of: Tailing;
  /** The forwarded webhooks that can be retried. */
  readonly #forwarded = new Set<string>();
  /** The deliveries from the oldest pending one on, by their ids, in the order of creation. */
  readonly #recent = new Map<string, Recent>();
  /** The delivery before them. */
  #before: string | undefined;
  #hasConnected = false;

  constructor(of: Tailing) {
    this.#of = of;
  }

  async take({ event, data }: ServerSentEvent, signal: AbortSignal): Promise<void> {
    const payload = JSON.parse(data) as unknown;
    if (event === "connected") await this.#connected();
    if (event === "missed") await this.#showMissed(signal);
    if (event === "reset") await this.#wasReset(payload as Reset);
    if (event === "delivery") this.#remember((payload as WireDelivery).id);
    if (event === "attempt") await this.#show(payload as WireAttemptEvent, signal);
  }

  async #connected(): Promise<void> {
    const { client, io } = this.#of.run;
    if (this.#hasConnected) return io.printError(say`Reconnected.`);
    this.#hasConnected = true;
    this.#before = await this.#newest();
    io.printError(
      say`Connected to ${toSafeLine(client.url)}; waiting for webhooks. Press Ctrl-C to stop.`,
    );
  }

  async #wasReset({ integration }: Reset): Promise<void> {
    this.#recent.clear();
    this.#before = await this.#newest();
    this.#of.run.io.printError(
      integration === null
        ? say`The sandbox was reset: earlier events are gone.`
        : say`The sandbox was reset for ${toSafeLine(integration)}: earlier events are gone.`,
    );
  }

  async #newest(): Promise<string | undefined> {
    const newest = { order: "desc", limit: "1" };
    const { data } = await this.#of.run.client.call("GET /deliveries", newest);
    return data[0]?.id;
  }

  async #showMissed(signal: AbortSignal): Promise<void> {
    const { client, io } = this.#of.run;
    io.printError(
      say`Some events were missed. These are the attempts of the deliveries since then.`,
    );
    const place = { after: this.#before };
    const since = await client.list("GET /deliveries", place).catch((error: unknown) => {
      // The sandbox has started empty, and does not know the delivery.
      if (!(error instanceof SandboxError) || error.code !== "VALIDATION_ERROR") throw error;
      return client.list("GET /deliveries");
    });
    for (const delivery of since) {
      if (!this.#recent.has(delivery.id))
        this.#recent.set(delivery.id, { shown: 0, isOver: false });
      for (const [index, attempt] of delivery.attempts.entries()) {
        const isLast = index === delivery.attempts.length - 1;
        const status = isLast ? delivery.status : "pending";
        await this.#show({ ...delivery, status, attempt_number: index + 1, attempt }, signal);
      }
    }
  }

  /** Forgets the deliveries that are over, up to the first pending one: a new one comes after all repeats. */
  #remember(id: string): void {
    if (this.#recent.has(id)) return;
    for (const [oldest, { isOver }] of this.#recent) {
      if (!isOver && this.#recent.size < MAX_RECENT) break;
      this.#recent.delete(oldest);
      this.#before = oldest;
    }
    this.#recent.set(id, { shown: 0, isOver: false });
  }

  /** Whether an attempt was not read before. */
  #isNew({ id, status, attempt_number }: WireAttemptEvent): boolean {
    const recent = this.#recent.get(id);
    if (!recent) return true;
    if (attempt_number <= recent.shown) return false;
    recent.shown = attempt_number;
    recent.isOver = status !== "pending";
    return true;
  }

  async #show(event: WireAttemptEvent, signal: AbortSignal): Promise<void> {
    if (!this.#isNew(event)) return;
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

type Reset = { readonly integration: string | null };
