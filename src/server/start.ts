import { listen } from "../http/faces/listen.ts";
import { assembleSandbox } from "./start-up/assemble.ts";
import { openState } from "./start-up/open-state.ts";
import type { SandboxOptions } from "./options/options.ts";
import { type Report, reportTo } from "./activity/report.ts";
import type { Sandbox } from "./activity/sandbox.ts";
import { listenOptions, locationBaseOf } from "./start-up/startup.ts";
import { isShared } from "./options/state-kinds.ts";
import { validateOptions } from "./options/validate-options.ts";
import { noteOwnSandbox } from "../platform/own-sandbox.ts";

export type { SandboxOptions } from "./options/options.ts";
export type { Sandbox } from "./activity/sandbox.ts";

/**
 * Starts a sandbox. With a state that several processes share, it resolves when this process leads.
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
  noteOwnSandbox();
  if (isShared(settings.stateFile)) {
    const { startMember } = await import("./team/member.ts");
    return (await startMember(settings, report)).leading();
  }
  const locationBase = locationBaseOf(settings.publicUrl, report);
  const listening = await listenOptions(settings);
  const state = await openState(settings, report);
  try {
    const attach = (handler: Parameters<typeof listen>[0]) => listen(handler, listening);
    return await assembleSandbox(state, { attach }, { settings, locationBase, report });
  } catch (error) {
    await state.store.close();
    throw error;
  }
}
