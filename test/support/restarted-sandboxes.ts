import { describe, expect, it } from "vitest";
import { callsTo } from "./calls.ts";
import { type Serving, startServe } from "./cli.ts";
import { createFolder } from "./folder.ts";
import {
  createPayins,
  eachAtOnce,
  attemptsIn,
  isConnected,
  payWhoeverIsThere,
  startTail,
  startTarget,
} from "./forwarding.ts";
import { startMerchant } from "./merchant.ts";

/** Describes `webhooks tail` while its sandbox is restarted again and again. */
export function describeRestarts(deliveries: number): void {
  const timeout = 60_000 + deliveries * 200;

  describe("a sandbox that is restarted while webhooks tail runs", () => {
    it.each(["SIGTERM", "SIGKILL"] as const)(
      "after a %s has each webhook forwarded once",
      { timeout },
      async (signal) => {
        await using folder = await createFolder();
        await using merchant = await startMerchant();
        await using target = await startTarget();
        const state = ["--state", folder.at("state.json")];
        await using first = await startServe(state);
        const running = new Set<Serving>([first]);
        const ids = await createPayins(callsTo(first.url), merchant.url, deliveries);
        await using tail = startTail(first.url, "--json", "--forward-to", target.merchant.url);
        await tail.lines("stderr", 1, isConnected);

        let current: Promise<Serving> = Promise.resolve(first);
        const startAgain = async (before: Serving): Promise<Serving> => {
          await before.stop(signal);
          const next = await startServe([...state, "--port", String(first.ready.port)]);
          running.add(next);
          return next;
        };
        try {
          const paid = eachAtOnce(ids, (id) => payWhoeverIsThere(id, () => current));
          for (const part of [1 / 4, 2 / 4, 3 / 4]) {
            await target.distinct(Math.floor(deliveries * part));
            current = startAgain(await current);
            await current;
          }
          await paid;
          const calls = callsTo(first.url);
          await calls.control("POST", "/settle");
          await target.distinct(deliveries);
          const sent = await calls.deliveries();
          expect(new Set(target.ids)).toEqual(new Set(sent.map(({ id }) => id)));

          // Whatever would come again had come before this one.
          const [last = ""] = await createPayins(calls, merchant.url, 1);
          await calls.simulate("payin", last);
          await target.distinct(deliveries + 1);
          expect(target.ids).toHaveLength(deliveries + 1);
          expect(await tail.stop()).toMatchObject({ code: 130 });
          const attempts = attemptsIn(tail.stdout);
          expect(attempts).toEqual([...new Set(attempts)]);
        } finally {
          for (const sandbox of running) await sandbox[Symbol.asyncDispose]();
        }
      },
    );
  });
}
