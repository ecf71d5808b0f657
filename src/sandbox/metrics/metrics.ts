import type { Role, Store } from "../../core/ports.ts";
import type { DueQueue } from "../../core/time/due-queue.ts";
import type { CallTally } from "../../http/call-tally.ts";
import type { AttemptTally } from "./attempt-tally.ts";

/** Where metrics are read. A process without a gateway, such as a standby, has only some of them. */
export interface MetricSources {
  readonly calls?: CallTally | undefined;
  readonly attempts?: AttemptTally | undefined;
  readonly store?: Pick<Store, "records" | "isDegraded" | "journal"> | undefined;
  readonly dueQueue?: Pick<DueQueue, "size"> | undefined;
  /** The position of the last commit that the process has read or written. Default: that of the store's journal. */
  readonly position?: (() => number | undefined) | undefined;
  /** Absent in a process that shares its state with no other one: it leads. */
  readonly team?: TeamState | undefined;
}

/** The part of a process in a team. */
export interface TeamState {
  role(): Role;
  /** The time since the process last renewed its lease; undefined if it has none. */
  leaseAgeSeconds(): number | undefined;
}

/** The metrics of one sandbox. */
export interface Metrics {
  /** The metrics as text. The first call loads the library, and begins to measure the event loop. */
  readonly scrape: () => Promise<string>;
  /** Stops measuring. */
  readonly close: () => void;
}

export function createMetrics(sources: MetricSources): Metrics {
  let exposition: Promise<Metrics> | undefined;
  let isClosed = false;
  const load = async (): Promise<Metrics> => {
    const { createExposition } = await import("./exposition.ts");
    const loaded = createExposition(sources);
    if (isClosed) loaded.close();
    return loaded;
  };
  return {
    scrape: async () => {
      exposition ??= load().catch((error: unknown) => {
        exposition = undefined;
        throw error;
      });
      return (await exposition).scrape();
    },
    close: () => {
      isClosed = true;
      exposition?.then(
        (loaded) => loaded.close(),
        () => undefined,
      );
    },
  };
}
