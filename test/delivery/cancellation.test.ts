import { expect, it, vi } from "vitest";
import { Cancellation } from "../../src/delivery/cancellation.ts";

it("calls each listener once, but none that was removed", () => {
  const cancellation = new Cancellation();
  const [listener, other, removed] = [
    vi.fn<() => void>(),
    vi.fn<() => void>(),
    vi.fn<() => void>(),
  ];
  for (const each of [listener, other, removed]) cancellation.on(each);
  cancellation.off(removed);
  expect(cancellation.isCanceled).toBe(false);
  cancellation.cancel();
  cancellation.cancel();

  expect(cancellation.isCanceled).toBe(true);
  expect([listener, other, removed].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0]);
});
