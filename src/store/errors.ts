/** The state file cannot be read; nothing of it is overwritten. */
export class StateFileError extends Error {
  override readonly name = "StateFileError";
}

/** Another process keeps its state in that file. */
export class StateInUseError extends Error {
  override readonly name = "StateInUseError";
}
