/** A call of a register: when it began and ended, what it asked, and what the response was. */
export interface Operation<Input, Output> {
  readonly startMs: number;
  /** Infinity if the response is unknown: it may take effect at any later time, or never. */
  readonly endMs: number;
  readonly input: Input;
  /** Undefined if the response is unknown. */
  readonly output: Output | undefined;
}

/** A register, which does one operation at a time. */
export interface Register<State extends string, Input, Output> {
  readonly initial: State;
  /**
   * The state after an operation.
   * @param output undefined if the response is unknown
   * @returns undefined if the register cannot give this response in this state
   */
  step(state: State, input: Input, output: Output | undefined): State | undefined;
}

/**
 * Whether a history is linearizable: whether each operation can take effect at one moment between its start and its
 * end, so that the register gives the same responses. It is the search of Wing and Gong, with Lowe's memory of the
 * configurations that were reached before.
 */
export function isLinearizable<State extends string, Input, Output>(
  history: readonly Operation<Input, Output>[],
  { initial, step }: Register<State, Input, Output>,
): boolean {
  const operations = history.toSorted((one, other) => one.startMs - other.startMs);
  const done = new Set<number>();
  const reached = new Set<string>();
  const known = operations.filter(({ endMs }) => endMs !== Number.POSITIVE_INFINITY).length;
  const search = (state: State, knownDone: number): boolean => {
    if (knownDone === known) return true;
    const configuration = `${state} ${[...done].toSorted((one, other) => one - other).join()}`;
    if (reached.has(configuration)) return false;
    reached.add(configuration);
    // The next one to take effect began before any that has not yet taken effect has ended.
    let earliestEndMs = Number.POSITIVE_INFINITY;
    for (const [index, { endMs }] of operations.entries())
      if (!done.has(index)) earliestEndMs = Math.min(earliestEndMs, endMs);
    for (const [index, { startMs, endMs, input, output }] of operations.entries()) {
      if (startMs > earliestEndMs) break;
      if (done.has(index)) continue;
      const next = step(state, input, output);
      if (next === undefined) continue;
      // An unknown outcome without an effect may as well never happen: else the configurations double with each.
      if (next === state && endMs === Number.POSITIVE_INFINITY) continue;
      done.add(index);
      if (search(next, knownDone + Number(endMs !== Number.POSITIVE_INFINITY))) return true;
      done.delete(index);
    }
    return false;
  };
  return search(initial, 0);
}
