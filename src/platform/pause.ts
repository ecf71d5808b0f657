import { setImmediate, setTimeout } from "./real-time.ts";

/** Waits in real time, for another program: nothing reports when it is done. */
export function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, durationMs);
  });
}

/**
 * Creates a function whose promise resolves in the next turn of the event loop, once for all callers until then: one
 * wake-up for all is faster.
 */
export function createNextTurn(): () => Promise<void> {
  let turn: Promise<void> | undefined;
  return () => {
    turn ??= new Promise((resolve) => {
      setImmediate(() => {
        turn = undefined;
        resolve();
      });
    });
    return turn;
  };
}
