import { setTimeout as wait } from "node:timers/promises";
import type { CommandClient } from "./command-client.ts";
import type { StreamPlace } from "./cursor.ts";
import { CliError, EXIT } from "./errors.ts";
import type { ServerSentEvent } from "./event-stream.ts";
import type { Io } from "./io.ts";
import { localize } from "./language.ts";

/** How long to wait before a broken connection is opened again. */
const PAUSE_MS = 500;

/** What a command does with the event stream. */
export interface Follower {
  /** Where the next connection begins. */
  from(): StreamPlace | { readonly since: string | undefined };
  /** Handles one event; the first of each connection is `connected`. */
  take(event: ServerSentEvent, signal: AbortSignal): Promise<void>;
}

/** Aborts when the command should stop: at a signal, or when its output has no reader any more. */
export function stopSignal(io: Io): Disposable & { readonly signal: AbortSignal } {
  const stopping = new AbortController();
  const stopListening = io.onSignal(() => stopping.abort());
  io.unread.addEventListener("abort", () => stopping.abort());
  return { signal: stopping.signal, [Symbol.dispose]: stopListening };
}

/**
 * Follows the event stream until `signal` aborts. A connection that breaks is opened again, unless
 * the command is to end with the sandbox.
 * @throws CliError if no sandbox answers the first connection, or if the sandbox refuses one.
 */
export async function followEvents(
  client: CommandClient,
  follower: Follower,
  { io, signal, exitWithSandbox = false }: FollowOptions,
): Promise<void> {
  let hasConnected = false;
  while (!signal.aborted) {
    let isConnected = false;
    try {
      for await (const event of client.events(follower.from(), signal)) {
        // One chunk may hold more than the event that the command was stopped at.
        signal.throwIfAborted();
        isConnected = hasConnected = true;
        await follower.take(event, signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      const isDisconnected = error instanceof CliError && error.exitCode === EXIT.noSandbox;
      if (!isDisconnected || !hasConnected) throw error;
    }
    if (isConnected && !signal.aborted && !exitWithSandbox)
      io.printError(
        localize({
          en: "The sandbox closed the connection; reconnecting…",
          pt: "O sandbox fechou a conexão; reconectando…",
        }),
      );
    if (exitWithSandbox) return;
    await wait(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
}

interface FollowOptions {
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly exitWithSandbox?: boolean | undefined;
}
