// Only types: the compiler holds the table of options to its readers.
import type { describeSandbox } from "./activity/about.ts";
import type { AssemblySettings } from "./start-up/assemble.ts";
import type { earliestRealMs, settingOf } from "./start-up/clock-setting.ts";
import type { openState } from "./start-up/open-state.ts";
import type { Settings, Unread } from "./options/options.ts";
import type {
  acceptedHosts,
  createFixtureLoader,
  listCredentials,
  listenOptions,
} from "./start-up/startup.ts";

/** The parts of a sandbox that read options. */
type Read =
  | AssemblySettings
  | Pick<Settings, "report">
  | Parameters<typeof describeSandbox>[1]
  | Parameters<typeof acceptedHosts>[0]
  | Parameters<typeof createFixtureLoader>[0]
  | Parameters<typeof earliestRealMs>[1]
  | Parameters<typeof listCredentials>[1]
  | Parameters<typeof listenOptions>[0]
  | Parameters<typeof openState>[0]
  | Parameters<typeof settingOf>[0];
type KeysOf<Union> = Union extends unknown ? keyof Union : never;

/** An option that no part reads does not compile. */
export type UnreadSettings = Unread<Exclude<keyof Settings, KeysOf<Read>>>;
