/** The state file cannot be read; nothing of it is overwritten. */
export class StateFileError extends Error {
  override readonly name = "StateFileError";
}
