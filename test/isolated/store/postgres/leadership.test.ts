import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LeaseTable } from "../../../../src/store/postgres/lease-table.ts";
import { Leadership } from "../../../../src/store/postgres/leadership.ts";

/** How much later than the timers the monotonic clock is: timers count from the beginning of a turn. */
const clock = vi.hoisted(() => ({ lateMs: 0 }));
vi.mock("../../../../src/platform/real-time.ts", async () => ({
  ...(await import("../../../support/fakeable-time.ts")),
  monotonicNowMs: () => performance.now() - clock.lateMs,
}));

const LEASE_MS = 1000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});

afterEach(() => {
  vi.useRealTimers();
  clock.lateMs = 0;
});

/** A lease that is free, and a database that does not respond once it is taken. */
function tableOf(): LeaseTable {
  const never = (): Promise<never> => new Promise(() => undefined);
  return {
    look: async () => ({ address: null, remainingMs: -1, endsAt: "" }),
    take: async () => true,
    renew: never,
    release: async () => undefined,
    close: () => undefined,
  };
}

it("ends calls when the lease has run out, also if its timer rings early", async () => {
  const led = vi.fn<() => void>();
  const leadership = new Leadership({
    table: tableOf(),
    leaseMs: LEASE_MS,
    address: () => "http://127.0.0.1:7490",
    onLead: led,
    onLost: () => undefined,
    onSeen: () => undefined,
    report: () => undefined,
  });
  leadership.start();
  leadership.stand();
  await vi.advanceTimersByTimeAsync(LEASE_MS / 4);
  expect(led).toHaveBeenCalledOnce();
  expect(leadership.isHeld).toBe(true);
  clock.lateMs = 5;
  const answered = leadership.guard(() => new Promise(() => undefined)).catch(String);
  await vi.advanceTimersByTimeAsync(LEASE_MS);
  expect(leadership.isHeld).toBe(false);
  expect(await Promise.race([answered, Promise.resolve("no response")])).toContain(
    "does not lead now",
  );
});

it("reports a database that it cannot reach once, and again after it has been reached", async () => {
  const report = vi.fn<(text: unknown) => void>();
  let isReachable = false;
  const leadership = new Leadership({
    table: {
      ...tableOf(),
      look: async () => {
        if (!isReachable) throw new Error("connect ECONNREFUSED");
        return { address: null, remainingMs: LEASE_MS, endsAt: "" };
      },
    },
    leaseMs: LEASE_MS,
    address: () => "http://127.0.0.1:7490",
    onLead: () => undefined,
    onLost: () => undefined,
    onSeen: () => undefined,
    report,
  });
  leadership.start();
  await vi.advanceTimersByTimeAsync(LEASE_MS);
  expect(report).toHaveBeenCalledOnce();
  isReachable = true;
  await vi.advanceTimersByTimeAsync(LEASE_MS);
  isReachable = false;
  await vi.advanceTimersByTimeAsync(LEASE_MS);
  expect(report).toHaveBeenCalledTimes(2);
  await leadership.close();
});
