/**
 * Calls `listener` when a signal aborts, at once if it has already; the returned function removes it.
 *
 * The option `signal` of addEventListener cannot remove the listener reliably: Node holds its removal callback
 * weakly, and only one for each target, so of several listeners all but the last may stay.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}
