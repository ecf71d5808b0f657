import type { RequestListener } from "node:http";
import { listen, type Listening, type ListenOptions } from "../http/faces/listen.ts";
import { assembleSandbox } from "./start-up/assemble.ts";
import { openState } from "./start-up/open-state.ts";
import type { SandboxOptions } from "./options/options.ts";
import { type Report, reportTo } from "./activity/report.ts";
import type { Sandbox } from "./activity/sandbox.ts";
import { listenOptions, locationBaseOf, readSources } from "./start-up/startup.ts";
import { isShared } from "./options/state-kinds.ts";
import { validateOptions } from "./options/validate-options.ts";

export type { SandboxOptions } from "./options/options.ts";
export type { Sandbox } from "./activity/sandbox.ts";

/**
 * Starts a sandbox. With a state in a database, it waits until no other process uses that; its port answers 503 until
 * then.
 * @param report receives problems in both languages; default: in English to `options.report`
 * @throws OptionError (a TypeError) for an unknown option, an invalid value, or one that cannot be used, Error with the
 * code EADDRINUSE for a busy port, NoCredentialsError, FixtureError, StateFileError if the state file
 * cannot be read, StateInUseError if another process uses it, StorageError if it cannot be written.
 */
export async function startSandbox(
  given: SandboxOptions = {},
  report: Report = reportTo(given.report),
): Promise<Sandbox> {
  const settings = validateOptions(given);
  const locationBase = locationBaseOf(settings.publicUrl, report);
  // Before a state in a database is waited for.
  const fixtureSources = await readSources(settings.fixtures);
  const listening = await listenOptions(settings);
  const door = isShared(settings.stateFile) ? await openDoor(listening) : undefined;
  try {
    const state = await openState(settings, report);
    try {
      const attach = door?.attach ?? ((handler: RequestListener) => listen(handler, listening));
      return await assembleSandbox(state, attach, {
        settings,
        locationBase,
        fixtureSources,
        report,
      });
    } catch (error) {
      await state.store.close();
      throw error;
    }
  } catch (error) {
    await door?.close();
    throw error;
  }
}

/** Listens before there is a sandbox: calls are answered by what is attached, once it is. */
async function openDoor(options: ListenOptions): Promise<{
  readonly attach: (handler: RequestListener) => Promise<Listening>;
  readonly close: () => Promise<void>;
}> {
  const { answerWaiting } = await import("../http/faces/node.ts");
  let handle: RequestListener = answerWaiting;
  const listening = await listen((request, response) => handle(request, response), options);
  return {
    attach: async (handler) => {
      handle = handler;
      return listening;
    },
    close: () => listening.close(0),
  };
}
