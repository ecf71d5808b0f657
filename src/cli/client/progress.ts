import { clearInterval, monotonicNowMs, setInterval } from "../../platform/real-time.ts";
import type { WireAttemptEvent } from "../../core/state/wire.ts";
import type { CommandClient } from "./command-client.ts";
import type { Io } from "../terminal/io.ts";
import { localize, type Words } from "../terminal/language.ts";
import { plural, say } from "../../text/message.ts";

/** Shorter work shows no progress. */
const FIRST_MS = 1000;
const EACH_MS = 250;

export interface ProgressOptions {
  /** The work, such as `Waiting for payin.paid`. */
  readonly label: Words;
  /** Whether the command prints JSON, or nothing. */
  readonly isSilent?: boolean | undefined;
  /** Reads the state of the work, such as `12 events`. */
  readonly readState?: (() => Promise<Words>) | undefined;
}

/**
 * Does some work. If it takes longer than a second, a terminal's stderr shows a line meanwhile: the
 * work, its duration so far, and its state.
 */
export async function withProgress<Result>(
  io: Pick<Io, "isTerminal" | "showStatus">,
  { label, isSilent = false, readState }: ProgressOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  if (isSilent || !io.isTerminal) return work();
  const startedAt = monotonicNowMs();
  let state = "";
  let reading: Promise<void> | undefined;
  const timer = setInterval(() => {
    const passedMs = monotonicNowMs() - startedAt;
    if (passedMs < FIRST_MS) return;
    reading ??= readState?.().then(
      (text) => {
        state = ` ${localize(text)},`;
        reading = undefined;
      },
      // The work itself fails too, and reports the reason.
      () => undefined,
    );
    io.showStatus(`${localize(label)}…${state} ${Math.floor(passedMs / 1000)} s`);
  }, EACH_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    io.showStatus("");
  }
}

export async function withResentCount<Result>(
  io: Io,
  client: CommandClient,
  options: Pick<ProgressOptions, "label" | "isSilent">,
  work: () => Promise<Result>,
): Promise<Result> {
  if (options.isSilent || !io.isTerminal) return work();
  const resent = new Set<string>();
  const reading = new AbortController();
  const count = async (since: number): Promise<void> => {
    for await (const { event, data } of client.events({ since: `${since}` }, reading.signal)) {
      if (event !== "attempt") continue;
      const { id, attempt } = JSON.parse(data) as WireAttemptEvent;
      if (attempt.resend) resent.add(id);
    }
  };
  // If there is no sandbox, the work reports it.
  const first = await client.lastEventNumber().catch(() => undefined);
  if (first !== undefined) count(first).catch(() => undefined);
  const readState = async () =>
    plural(resent.size, say`${resent.size} webhook`, say`${resent.size} webhooks`);
  return withProgress(io, { ...options, readState }, work).finally(() => reading.abort());
}

export async function withEventCount<Result>(
  io: Io,
  client: CommandClient,
  options: Pick<ProgressOptions, "label" | "isSilent">,
  work: () => Promise<Result>,
): Promise<Result> {
  if (options.isSilent || !io.isTerminal) return work();
  // If there is no sandbox, the work reports it.
  const first = await client.lastEventNumber().catch(() => 0);
  const readState = async () => {
    const count = (await client.lastEventNumber()) - first;
    return plural(count, say`${count} event`, say`${count} events`);
  };
  return withProgress(io, { ...options, readState }, work);
}
