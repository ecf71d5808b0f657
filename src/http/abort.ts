/**
 * Calls `listener` when a signal aborts, at once if it has already; the returned function removes it.
 *
 * A listener added with the option `signal` stays in memory as long as its target does, removed or not
 * (Node 20 to 24): on a signal that lives as long as the sandbox, that is a leak.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}
