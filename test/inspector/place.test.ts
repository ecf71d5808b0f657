import { describe, expect, it } from "vitest";
import { PANES, type Place, readPlace, toFragment } from "../../src/inspector/state/place.ts";

describe("a place as a fragment", () => {
  const places: readonly Place[] = [
    ...PANES.map((pane) => ({ pane })),
    { pane: "payins", id: "0d4f4b57-2bd3-4bb5-9a0a-7a7c40b1b2f1" },
    { pane: "payins", id: "a/b?c#d&é", status: "waiting", q: "Maria & João? #1/2" },
    { pane: "webhooks", q: "100%" },
  ];

  it.each(places.map((place) => [toFragment(place), place] as const))(
    "%s is read back",
    (fragment, place) => {
      expect(readPlace(fragment)).toEqual({
        id: undefined,
        status: undefined,
        q: undefined,
        ...place,
      });
    },
  );

  it.each(["", "#", "#/", "#/nothing", "#/activity/", "#/%E0%A4%A", "#/__proto__"])(
    "%j opens the first pane",
    (fragment) => {
      expect(readPlace(fragment).pane).toBe("activity");
    },
  );

  it("has the search text in the fragment, which no server gets", () => {
    const address = new URL(toFragment({ pane: "payins", q: "12345678909" }), "http://127.0.0.1/");
    expect(address.pathname + address.search).toBe("/");
  });
});
