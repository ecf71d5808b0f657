import type { AssumptionName } from "./table.ts";

/** When and how a choice was observed at a gateway. */
export interface Observation {
  /** In ISO 8601. */
  readonly at: string;
  readonly by: (typeof OBSERVERS)[number];
}

export const OBSERVERS = ["probe", "recording"] as const;

/** The choices of one gateway, with their evidence: a file that teams share. */
export interface Profile {
  readonly name: string;
  readonly choices: Readonly<Partial<Record<AssumptionName, string | number>>>;
  readonly observed?: Readonly<Partial<Record<AssumptionName, Observation>>> | undefined;
}
