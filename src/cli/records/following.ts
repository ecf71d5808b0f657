import { setTimeout as wait } from "node:timers/promises";
import type { CommandClient } from "../client/command-client.ts";
import { CliError, EXIT, ExitCode } from "../terminal/errors.ts";
import type { ServerSentEvent } from "../../wire/server-sent-events.ts";
import type { Io } from "../terminal/io.ts";
import { say } from "../../text/message.ts";

const PAUSE_MS = 500;

interface Stopping extends Disposable {
  readonly signal: AbortSignal;
  /** @throws ExitCode after SIGINT, the end of a command that has no end of its own. */
  throwIfInterrupted(): void;
}

/** Aborts when the command should stop: on a signal, or when its output has no reader. */
export function stopSignal(io: Io): Stopping {
  const stopping = new AbortController();
  let isInterrupted = false;
  const stopListening = io.onSignal((signal) => {
    isInterrupted ||= signal === "SIGINT";
    stopping.abort();
  });
  io.unread.addEventListener("abort", () => stopping.abort());
  return {
    signal: stopping.signal,
    throwIfInterrupted() {
      if (isInterrupted) throw new ExitCode(EXIT.interrupted);
    },
    [Symbol.dispose]: stopListening,
  };
}

/**
 * Follows the event stream until `signal` aborts: `take` handles one event after another, the first of each
 * connection is `connected`. After a lost connection it continues after the last event, unless the command exits with
 * the sandbox.
 * @throws CliError if no sandbox responds at first, or if the sandbox refuses one.
 */
export async function followEvents(
  client: CommandClient,
  take: (event: ServerSentEvent) => Promise<void>,
  { io, signal, exitWithSandbox = false }: FollowOptions,
): Promise<void> {
  let hasConnected = false;
  let lastId: string | undefined;
  while (!signal.aborted) {
    let isConnected = false;
    try {
      for await (const event of client.events(lastId, signal)) {
        // A chunk can contain more events after the one that stopped the command.
        signal.throwIfAborted();
        isConnected = hasConnected = true;
        await take(event);
        lastId = event.id;
      }
    } catch (error) {
      if (signal.aborted) return;
      const isDisconnected = error instanceof CliError && error.exitCode === EXIT.noSandbox;
      if (!isDisconnected || !hasConnected) throw error;
    }
    if (isConnected && !signal.aborted && !exitWithSandbox)
      io.printError(say`The sandbox closed the connection; reconnecting…`);
    if (exitWithSandbox) return;
    await wait(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
}

interface FollowOptions {
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly exitWithSandbox?: boolean | undefined;
}
