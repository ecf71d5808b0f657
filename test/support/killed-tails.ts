import { describe, expect, it } from "vitest";
import { callsTo } from "./calls.ts";
import { type Serving, startServe } from "./cli.ts";
import { turns } from "./core.ts";
import { createFolder } from "./folder.ts";
import {
  createPayins,
  eachAtOnce,
  eventNumbersIn,
  isConnected,
  payWhoeverIsThere,
  startTail,
  startTarget,
} from "./forwarding.ts";
import { serveMain } from "./main.ts";
import { startMerchant } from "./merchant.ts";
import { freePort } from "./process.ts";

/** No retry is left after so long. */
const LONG_SECONDS = 60;

/** Describes `webhooks tail` while it, or its sandbox, is killed again and again. */
export function describeKilledTails({
  deliveries,
  kills,
}: {
  readonly deliveries: number;
  readonly kills: number;
}): void {
  const timeout = 60_000 + deliveries * 200;

  describe("webhooks tail that is killed in mid-stream and started again", () => {
    it.each([
      ["the merchant's own address answers", true],
      ["nobody listens at the merchant's own address", false],
    ])(
      "forwards each webhook, and at most one a kill twice, where %s",
      { timeout },
      async (_title, isAnswered) => {
        await using folder = await createFolder();
        await using merchant = await startMerchant();
        await using target = await startTarget();
        const url = isAnswered ? merchant.url : `http://127.0.0.1:${await freePort()}/hook`;
        // Time stands still, so that all retries come when the test lets them.
        await using sandbox = await serveMain(["--memory", "--clock", "frozen"]);
        const calls = callsTo(sandbox.url);
        const ids = await createPayins(calls, url, deliveries);
        const args = ["--forward-to", target.merchant.url, "--cursor", folder.at("cursor")];

        let paid: Promise<void> | undefined;
        for (let kill = 1; kill <= kills; kill++) {
          await using tail = startTail(sandbox.url, ...args);
          await tail.lines("stderr", 1, isConnected);
          paid ??= eachAtOnce(ids, (id) => calls.simulate("payin", id));
          await target.arrivals(Math.floor((kill * deliveries) / (kills + 1)));
          // Before the answer, while it is on its way, when it is there.
          await turns(kill % 3);
          await tail.stop("SIGKILL");
        }
        await paid;
        await using tail = startTail(sandbox.url, ...args, "--exit-with-sandbox");
        await target.distinct(deliveries);
        await calls.advance(LONG_SECONDS);
        const sent = await calls.deliveries();
        // The end of the stream comes after all that was in it.
        await sandbox.stop();
        expect(await tail.ended).toMatchObject({ code: 0 });

        expect(new Set(target.ids)).toEqual(new Set(sent.map(({ id }) => id)));
        expect(target.ids.length - deliveries).toBeLessThanOrEqual(kills);
        expect(new Set(sent.map(({ attempts }) => attempts.length))).toEqual(
          new Set([isAnswered ? 1 : 4]),
        );
      },
    );
  });

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
          expect(await tail.stop()).toMatchObject({ code: 0 });
          const numbers = eventNumbersIn(tail.stdout);
          expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
        } finally {
          for (const sandbox of running) await sandbox[Symbol.asyncDispose]();
        }
      },
    );
  });
}
