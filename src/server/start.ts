import { listen } from "../http/faces/listen.ts";
import { type AssemblySettings, assembleSandbox } from "./start-up/assemble.ts";
import type { describeSandbox } from "./activity/about.ts";
import type { earliestRealMs, settingOf } from "./start-up/clock-setting.ts";
import type { refuseOpenControl } from "./options/open-control.ts";
import { openState } from "./start-up/open-state.ts";
import type { SandboxOptions, Settings, Unread } from "./options/options.ts";
import { type Report, reportTo } from "./activity/report.ts";
import type { Sandbox } from "./activity/sandbox.ts";
import {
  type acceptedHosts,
  type createFixtureLoader,
  type listCredentials,
  listenOptions,
  locationBaseOf,
} from "./start-up/startup.ts";
import { isShared } from "./options/state-kinds.ts";
import type { MemberSettings } from "./team/member.ts";
import { validateOptions } from "./options/validate-options.ts";

export type { SandboxOptions } from "./options/options.ts";
export type { Sandbox } from "./activity/sandbox.ts";

/**
 * Starts a sandbox. With a state that several processes share, it resolves when this process leads.
 * @param report receives problems in both languages; default: in English to `options.report`
 * @throws OptionError (a TypeError) for an unknown option, an invalid value, or one that cannot be used, Error with the
 * code EADDRINUSE for a busy port, PublicUrlError, NoCredentialsError, FixtureError, StateFileError if the state file
 * cannot be read, StateInUseError if another process uses it, StorageError if it cannot be written.
 */
export async function startSandbox(
  given: SandboxOptions = {},
  report: Report = reportTo(given.report),
): Promise<Sandbox> {
  const settings = validateOptions(given);
  if (isShared(settings.stateFile)) {
    const { startMember } = await import("./team/member.ts");
    return (await startMember(settings, report)).leading();
  }
  const locationBase = locationBaseOf(settings.publicUrl);
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

/** The parts of a sandbox that read options. */
type Read =
  | AssemblySettings
  | MemberSettings
  | Pick<Settings, "report">
  | Parameters<typeof describeSandbox>[1]
  | Parameters<typeof acceptedHosts>[0]
  | Parameters<typeof createFixtureLoader>[0]
  | Parameters<typeof earliestRealMs>[1]
  | Parameters<typeof listCredentials>[1]
  | Parameters<typeof listenOptions>[0]
  | Parameters<typeof openState>[0]
  | Parameters<typeof refuseOpenControl>[0]
  | Parameters<typeof settingOf>[0];
type KeysOf<Union> = Union extends unknown ? keyof Union : never;

/** An option that no part reads does not compile. */
export type UnreadSettings = Unread<Exclude<keyof Settings, KeysOf<Read>>>;
