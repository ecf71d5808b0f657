/** The lists of a state file whose rows have ids. */
export type RecordList = "payins" | "payouts" | "deliveries";

/** A line of a state's files that cannot be understood. */
export interface Damage {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
}

/** The state file cannot be read; nothing of it is overwritten. */
export class StateFileError extends Error {
  override readonly name = "StateFileError";
}

/** Another process keeps its state in that file. */
export class StateInUseError extends Error {
  override readonly name = "StateInUseError";
}
