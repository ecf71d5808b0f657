import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { Place } from "../../src/delivery/concurrency-limiter.ts";
import { AttemptLimiter } from "../../src/delivery/limiter.ts";
import { turns } from "../support/core.ts";

describe("attempts of one integration", () => {
  it("go to each address a few at a time, more as they are slow, up to a number", async () => {
    const { enter, entered, makeWay } = limiterWith();
    for (let count = 0; count < 40; count++) enter("http://a.test/hook");
    enter("http://a.test/other");
    for (const count of [2, 4, 6, 8, 10, 12, 14, 16, 16]) {
      await turns(1);
      expect(entered("http://a.test/hook")).toBe(count);
      makeWay("http://a.test/hook");
    }
    expect(entered("http://a.test/other")).toBe(1);
  });

  it("go to many paths of an origin, and a full origin delays no other", async () => {
    const { enter, entered, makeWay } = limiterWith();
    for (let path = 0; path < 100; path++) enter(`http://a.test/${path}`);
    enter("http://b.test/");
    for (const count of [32, 64, 64]) {
      await turns(1);
      expect(entered("http://a.test/")).toBe(count);
      makeWay("http://a.test/");
    }
    expect(entered("http://b.test/")).toBe(1);
  });

  it("go to 2,048 addresses at once, and beyond them to those that answered last time", async () => {
    const { enter, entered, leave } = limiterWith();
    for (const url of ["http://answers.test/", "http://fails.test/"]) {
      enter(url);
      await turns(1);
      leave(url, true);
    }
    enter("http://fails.test/");
    await turns(1);
    leave("http://fails.test/", false);
    for (let host = 0; host < 2048; host++) enter(`http://hangs-${host}.test/`);
    for (const name of ["answers", "fails", "new"]) enter(`http://${name}.test/`);
    await turns(1);

    expect(entered("http://hangs-")).toBe(2048);
    expect(["answers", "fails", "new"].map((name) => entered(`http://${name}.test/`))).toEqual([
      1, 0, 0,
    ]);
    leave("http://hangs-0.test/", false);
    await turns(1);
    expect(entered("http://fails.test/")).toBe(1);
  });

  it("wait for none of another's, at the same addresses", async () => {
    const { enter, entered } = limiterWith();
    for (let count = 0; count < 3000; count++) {
      enter(`http://hangs-${count}.test/`, "other");
      enter("http://a.test/hook", "other");
    }
    enter("http://a.test/hook", "shop");
    await turns(1);

    expect(entered("http://a.test/hook", "shop")).toBe(1);
  });
});

describe("what is remembered of addresses", () => {
  it("is 4,096 of those that answered last, and none with a text beyond 2,048 characters", async () => {
    const { enter, entered, leave } = limiterWith();
    // With the integration, as " shop", they have 2,048 and 2,049 characters.
    const longest = "http://longest.test/".padEnd(2048 - " shop".length, "x");
    const tooLong = "http://too-long.test/".padEnd(2049 - " shop".length, "x");
    const answers = async (url: string): Promise<void> => {
      enter(url);
      await turns(1);
      leave(url, true);
    };
    await answers("http://oldest.test/");
    await answers("http://again.test/");
    for (let host = 0; host < 4093; host++) await answers(`http://${host}.test/`);
    await answers("http://again.test/");
    await answers("http://newest.test/");
    await answers(longest);
    await answers(tooLong);

    for (let host = 0; host < 2048; host++) enter(`http://hangs-${host}.test/`);
    const urls = ["http://oldest.test/", "http://again.test/", "http://0.test/", longest, tooLong];
    for (const url of urls) enter(url);
    await turns(1);
    expect(urls.map((url) => entered(url))).toEqual([0, 1, 1, 1, 0]);
  });
});

describe("integrations whose attempts have ended", () => {
  it("leave nothing behind, 20,000 of them", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const limiter = new AttemptLimiter();
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let shop = 0; shop < 20_000; shop++) {
      const place = await limiter.enter({ url: "http://a.test/", integration: `shop ${shop}` });
      place.leave({ isAnswered: false });
    }
    collectGarbage();

    // A gate for each would take 15 MB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(3_000_000);
    // It is in use until here, and so is what it holds.
    await limiter.enter({ url: "http://a.test/", integration: "shop" });
  });
});

interface TestLimiter {
  enter(url: string, integration?: string): void;
  /** How many are inside, of those whose address begins so. */
  entered(prefix: string, integration?: string): number;
  makeWay(prefix: string): void;
  leave(prefix: string, isAnswered: boolean): void;
}

function limiterWith(): TestLimiter {
  const limiter = new AttemptLimiter();
  const inside = new Map<Place, { url: string; integration: string }>();
  const placesTo = (prefix: string): Place[] =>
    [...inside].flatMap(([place, { url }]) => (url.startsWith(prefix) ? [place] : []));
  return {
    enter: (url, integration = "shop") => {
      void limiter.enter({ url, integration }).then((place) => {
        inside.set(place, { url, integration });
      });
    },
    entered: (prefix, integration = "shop") =>
      [...inside.values()].filter(
        (one) => one.url.startsWith(prefix) && one.integration === integration,
      ).length,
    makeWay: (prefix) => {
      for (const place of placesTo(prefix)) place.makeWay();
    },
    leave: (prefix, isAnswered) => {
      for (const place of placesTo(prefix)) {
        place.leave({ isAnswered });
        inside.delete(place);
      }
    },
  };
}
