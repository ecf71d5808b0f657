import { setImmediate } from "./real-time.ts";

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
