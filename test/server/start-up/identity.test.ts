import { describe, expect, it } from "vitest";
import { createHeaders, identify, idsOf } from "../../../src/server/start-up/identity.ts";
import { MemoryStore } from "../../../src/store/memory.ts";

/** A store in which a sandbox has started before. */
function startedStore(givenSeed?: string) {
  const store = new MemoryStore();
  store.commit([["identity", identify(store, givenSeed)]]);
  return store;
}

describe("the identity of a sandbox", () => {
  it("is the same from the same seed", () => {
    const [one, two] = [identify(new MemoryStore(), "1"), identify(new MemoryStore(), "1")];
    expect(one).toMatchObject({ seed: "1", isSeedGiven: true });
    expect(one.secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(two.secret).toBe(one.secret);
    expect(identify(new MemoryStore(), "2").secret).not.toBe(one.secret);
  });

  it("is another one in each sandbox without a seed", () => {
    const [one, two] = [
      identify(new MemoryStore(), undefined),
      identify(new MemoryStore(), undefined),
    ];
    expect(one.seed).toMatch(/^[0-9a-f]{16}$/);
    expect(one).not.toHaveProperty("isSeedGiven");
    expect(two.seed).not.toBe(one.seed);
    expect(two.secret).not.toBe(one.secret);
  });

  it("stays in a state; another seed changes the ids, not the secret", () => {
    const store = startedStore("1");
    const first = store.records.identity;
    expect(identify(store, undefined)).toEqual(first);
    expect(identify(store, "2")).toEqual({ ...first, seed: "2" });
    expect(identify(startedStore(), undefined)).not.toHaveProperty("isSeedGiven");
  });
});

describe("the idempotency keys that a sandbox draws", () => {
  const ids = idsOf(new MemoryStore(), identify(new MemoryStore(), "1"));
  const drawerOf = (state: { isPersistent: boolean }) => {
    const headersOf = createHeaders(ids, { credentials: new Map(), ...state });
    return (token: string) => headersOf(token)["x-idempotency-key"];
  };

  it("are new at each call, and the same in each run without a state", () => {
    const draw = drawerOf({ isPersistent: false });
    const keys = [draw("shop"), draw("shop"), draw("other")];
    expect(new Set(keys).size).toBe(3);
    const again = drawerOf({ isPersistent: false });
    expect([again("shop"), again("shop"), again("other")]).toEqual(keys);
  });

  it("are new in each run with a state", () => {
    const draw = () => drawerOf({ isPersistent: true })("shop");
    expect(draw()).not.toBe(draw());
  });
});
