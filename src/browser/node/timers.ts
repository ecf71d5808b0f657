/** A timer of a tab: nothing ends while it is set, so that it has nothing to let go. */
interface TabTimer {
  readonly id: unknown;
  ref(): this;
  unref(): this;
}

function toTimer(id: unknown): TabTimer {
  return {
    id,
    ref() {
      return this;
    },
    unref() {
      return this;
    },
  };
}

const immediates = new MessageChannel() as unknown as Record<
  "port1" | "port2",
  {
    addEventListener(type: "message", listener: (event: { readonly data: number }) => void): void;
    postMessage(number: number): void;
    start(): void;
  }
>;
const waiting = new Map<number, () => void>();
let drawn = 0;
immediates.port1.addEventListener("message", ({ data }) => {
  const run = waiting.get(data);
  waiting.delete(data);
  run?.();
});
immediates.port1.start();

const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;

export default {
  setTimeout: (run: (...values: unknown[]) => void, delayMs?: number, ...values: unknown[]) =>
    toTimer(setTimeout(run, delayMs, ...values)),
  clearTimeout: (timer?: TabTimer) => clearTimeout(timer?.id as undefined),
  setInterval: (run: (...values: unknown[]) => void, delayMs?: number, ...values: unknown[]) =>
    toTimer(setInterval(run, delayMs, ...values)),
  clearInterval: (timer?: TabTimer) => clearInterval(timer?.id as undefined),
  /** A message runs in the next turn; a timer of a tab would wait for some milliseconds. */
  setImmediate: (run: (...values: unknown[]) => void, ...values: unknown[]) => {
    waiting.set(++drawn, () => run(...values));
    immediates.port2.postMessage(drawn);
    return drawn;
  },
  clearImmediate: (number?: number) => void waiting.delete(number ?? 0),
};
