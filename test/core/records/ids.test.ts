import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Ids } from "../../../src/core/records/ids.ts";
import { START_MS } from "../../support/core.ts";

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const digest = (text: string): string => createHash("sha512").update(text).digest("hex");

/** Everything random about one record. */
function drawAll(ids: Ids, integration: string, ordinal: number): string[] {
  const { id, pix_id, acquirer_id } = ids.payin(integration, ordinal);
  return [
    id,
    pix_id,
    acquirer_id,
    ids.payout(integration, ordinal).id,
    ids.key(integration, ordinal),
    ids.event(integration, ordinal, "payin.paid"),
    ids.event(integration, ordinal, "payment.received"),
    ids.endToEnd(integration, ordinal, START_MS),
  ];
}

describe("ids", () => {
  it("are the same for the same seed, integration and ordinal", () => {
    expect(drawAll(new Ids(digest, "42"), "shop", 7)).toEqual(
      drawAll(new Ids(digest, "42"), "shop", 7),
    );
  });

  it.each([
    ["seed", new Ids(digest, "43"), "shop", 7],
    ["integration", new Ids(digest, "42"), "shop-2", 7],
    ["ordinal", new Ids(digest, "42"), "shop", 8],
  ])("all differ for another %s", (_what, others, integration, ordinal) => {
    const mine = drawAll(new Ids(digest, "42"), "shop", 7);
    const theirs = drawAll(others, integration, ordinal);

    for (const [index, id] of theirs.entries()) expect(id).not.toBe(mine[index]);
  });

  it("never meet, over integrations, ordinals and purposes", () => {
    const ids = new Ids(digest, "42");
    const all = new Set<string>();
    for (const integration of ["shop", "shop1", "1", "11", ""])
      for (let ordinal = 1; ordinal <= 200; ordinal++)
        for (const id of drawAll(ids, integration, ordinal)) all.add(id);

    expect(all.size).toBe(5 * 200 * 8);
  });

  it("never repeat in another generation; with a given seed they do", () => {
    let nonce = 0;
    const ids = new Ids(digest, "42", () => String(++nonce));
    const given = new Ids(digest, "42");
    const first = [...drawAll(given, "shop", 7), given.fault("shop", 7)];
    const all = new Set<string>();
    for (let generation = 0; generation < 20; generation++) {
      const drawn = [...drawAll(ids, "shop", 7), ids.fault("shop", 7)];
      if (generation === 0) expect(drawn).toEqual(first);
      for (const id of drawn) all.add(id);
      ids.startGeneration();
      given.startGeneration();
    }
    expect(all.size).toBe(20 * first.length);
    expect(drawAll(given, "shop", 7)).toEqual(first.slice(0, -1));
  });

  it("have the shape of version 4 UUIDs", () => {
    const ids = new Ids(digest, "42");
    for (let ordinal = 1; ordinal <= 200; ordinal++) {
      const { id, acquirer_id } = ids.payin("shop", ordinal);
      for (const uuid of [
        id,
        acquirer_id,
        ids.payout("shop", ordinal).id,
        ids.key("shop", ordinal),
      ])
        expect(uuid).toMatch(UUID_V4);
    }
  });

  it.each([
    ["2026-11-21T12:00:00.000Z", "202611211200"],
    ["2026-11-21T23:59:59.999Z", "202611212359"],
    ["2027-01-01T00:00:00.000Z", "202701010000"],
    ["2028-02-29T09:05:30.500-03:00", "202802291205"],
  ])("make an end-to-end id of 32 characters that carries the UTC minute of %s", (at, minute) => {
    const id = new Ids(digest, "42").endToEnd("shop", 1, Date.parse(at));

    expect(id).toMatch(/^E\d{8}\d{12}[0-9a-zA-Z]{11}$/);
    expect(id).toHaveLength(32);
    expect(id.slice(9, 21)).toBe(minute);
  });
});
