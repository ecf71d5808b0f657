import type { Lease, Store } from "../../../src/core/state/ports.ts";
import type { Leadership } from "../../../src/store/postgres/leadership.ts";
import type { PostgresJournal } from "../../../src/store/postgres/postgres-journal.ts";
import type { SharedState } from "../../../src/store/postgres/shared-state.ts";
import { loadBundle, type Planting, REAL_TIME } from "../system.ts";
import type * as parts from "./parts.ts";

type Callbacks = Omit<ConstructorParameters<typeof Leadership>[0], "table" | "leaseMs">;

/** What the code of a process finds outside itself. */
export interface TeamOutside {
  nowMs(): number;
  monotonicNowMs(): number;
  setTimeout(act: () => void, delayMs?: number): unknown;
  setImmediate(act: () => void): unknown;
  clear(timer: unknown): void;
  randomUUID(): string;
  openSharedState(
    classes: {
      readonly Leadership: typeof Leadership;
      readonly PostgresJournal: typeof PostgresJournal;
    },
    callbacks: Callbacks,
  ): Promise<SharedState>;
  /** Begins to answer as the leader. */
  assembleSandbox(store: Store, lease: Lease): Promise<{ close(): Promise<void> }>;
}

/** The code of the processes of a team. */
export interface TeamSystem {
  readonly parts: typeof parts;
  enter(outside: TeamOutside): void;
}

/** Loads it as it stands in src, except for what is planted. */
export function loadTeam(plantings: readonly Planting[] = []): Promise<TeamSystem> {
  return loadBundle<TeamSystem["parts"], TeamOutside>(
    { entry: new URL("parts.ts", import.meta.url), replaced: REPLACED },
    plantings,
  );
}

/** The database is the model's; the sockets, and everything above the store, are left out. */
const REPLACED: Readonly<Record<string, string>> = {
  "platform/real-time.ts": `${REAL_TIME}
export const setInterval = () => { throw new Error("not simulated"); };
export const clearInterval = setInterval;
export const monotonicNowMs = () => world.outside.monotonicNowMs();
`,
  "store/postgres/shared-state.ts": `
import { Leadership } from "./leadership.ts";
import { PostgresJournal } from "./postgres-journal.ts";
export const openSharedState = (_address, callbacks) =>
  world.outside.openSharedState({ Leadership, PostgresJournal }, callbacks);
`,
  "server/start-up/assemble.ts": `
export const assembleSandbox = ({ store }, { lease }) => world.outside.assembleSandbox(store, lease);
`,
  "server/team/door.ts": `
const close = async () => {};
export const Door = { open: async () => ({ listening: { url: "http://simulated", port: 0, close } }) };
`,
  "http/faces/standby.ts": "export const standbyListenerOf = () => undefined;",
  "server/activity/about.ts": "export const networkUrls = () => [];",
  "server/options/open-control.ts": "export const refuseOpenControl = async () => undefined;",
  "server/start-up/startup.ts": `
export const acceptedHosts = () => [];
export const listenOptions = async () => ({});
export const locationBaseOf = () => "";
`,
  "server/options/validate-options.ts": `
export const validateOptions = (options) => ({ keepDeliveries: Infinity, assumptions: {}, ...options });
`,
};
