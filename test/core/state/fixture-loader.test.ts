import { describe, expect, it } from "vitest";
import type { Assumptions } from "../../../src/core/assumptions/table.ts";
import { BrCodeFactory } from "../../../src/core/records/br-code.ts";
import { FixtureError } from "../../../src/core/records/errors.ts";
import {
  type FaultFixture,
  type Fixtures,
  type RecordFixture,
  FixtureLoader,
} from "../../../src/core/state/fixture-loader.ts";
import { Ids } from "../../../src/core/records/ids.ts";
import type { PayinDraft, PayinStatus } from "../../../src/core/records/payin.ts";
import type { PayoutDraft, PayoutStatus } from "../../../src/core/records/payout.ts";
import { Records } from "../../../src/core/state/records.ts";
import {
  assume,
  fakeDigest,
  payin,
  payinDraft,
  payout,
  payoutDraft,
  START_MS,
} from "../../support/core.ts";
import { say, verbatim } from "../../../src/text/message.ts";

/** Another day than that of the other tests' START_MS. */
const NOW_MS = START_MS + 36 * 3_600_000 + 59_000;
const MINUTE = "202611230000";
const END_TO_END = new RegExp(`^E12345678${MINUTE}[0-9a-f]{11}$`);

let count = 0;

function payinFixture(
  members: Partial<RecordFixture<PayinDraft, PayinStatus>> = {},
): RecordFixture<PayinDraft, PayinStatus> {
  const name = `payin ${++count}`;
  return {
    name,
    place: verbatim(name),
    integration: "shop",
    status: "waiting",
    draft: payinDraft(),
    ...members,
  };
}

function payoutFixture(
  members: Partial<RecordFixture<PayoutDraft, PayoutStatus>> = {},
): RecordFixture<PayoutDraft, PayoutStatus> {
  const name = `payout ${++count}`;
  return {
    name,
    place: verbatim(name),
    integration: "shop",
    status: "waiting",
    draft: payoutDraft(),
    ...members,
  };
}

function faultFixture(members: Partial<FaultFixture> = {}): FaultFixture {
  const name = `fault ${++count}`;
  const draft = { on: "webhook", effect: { kind: "duplicate" } } as const;
  return { name, place: verbatim(name), integration: "shop", draft, ...members };
}

function createSeeds(
  fixtures: Partial<Fixtures>,
  {
    records = new Records(),
    assumptions = {},
    of = {},
  }: {
    records?: Records;
    assumptions?: Partial<Assumptions>;
    of?: Readonly<Record<string, Partial<Assumptions>>>;
  } = {},
): { seeds: FixtureLoader; records: Records; ids: Ids } {
  const ids = new Ids(fakeDigest, "seed");
  const seeds = new FixtureLoader({
    fixtures: { payins: [], payouts: [], faults: [], ...fixtures },
    records,
    ids,
    codes: new BrCodeFactory({ locationBase: "pix-sandbox.example", city: "" }),
    start: assume(assumptions),
    assumptionsOf: (integration) => assume({ ...assumptions, ...of[integration] }),
  });
  return { seeds, records, ids };
}

describe("what fixtures make", () => {
  it.each([
    ["waiting", null, null],
    ["paid", NOW_MS, END_TO_END],
    ["completed", NOW_MS, END_TO_END],
    ["canceled", NOW_MS, null],
    ["expired", NOW_MS, null],
  ] as const)(
    "a payin that is %s, as a call would have made it now",
    (status, settledAtMs, paid) => {
      const fixture = payinFixture({ status });
      const { seeds, ids } = createSeeds({ payins: [fixture] });
      const { payins: [made] = [], deliveries } = seeds.afresh(null, NOW_MS);
      expect(deliveries).toBeUndefined();
      expect(made).toMatchObject({
        ...fixture.draft,
        ...ids.payin("shop", 1),
        integration: "shop",
        ordinal: 1,
        status,
        createdAtMs: NOW_MS,
        expiresAtMs: NOW_MS + 240_000,
        settledAtMs,
        endToEndId: paid ? ids.endToEnd("shop", 1, NOW_MS) : null,
        fixture: fixture.name,
      });
      if (paid) expect(made?.endToEndId).toMatch(paid);
      expect(made?.qrCode).toContain(made?.pixId);
    },
  );

  it.each([
    ["waiting", null, null],
    ["completed", NOW_MS, END_TO_END],
    ["canceled", NOW_MS, null],
  ] as const)(
    "a payout that is %s, as a call would have made it now",
    (status, settledAtMs, paid) => {
      const fixture = payoutFixture({ status });
      const { seeds, ids } = createSeeds(
        { payouts: [fixture] },
        { assumptions: { "payout.auto": "complete_after:5" } },
      );
      const { payouts: [made] = [], deliveries } = seeds.afresh(null, NOW_MS);
      expect(deliveries).toBeUndefined();
      expect(made).toMatchObject({
        ...fixture.draft,
        id: ids.payout("shop", 1),
        integration: "shop",
        ordinal: 1,
        status,
        createdAtMs: NOW_MS,
        completesAtMs: NOW_MS + 5000,
        settledAtMs,
        endToEndId: paid ? ids.endToEnd("shop", 1, NOW_MS) : null,
        fixture: fixture.name,
      });
      if (paid) expect(made?.endToEndId).toMatch(paid);
    },
  );

  it("counts the records and the faults of each integration, one after the other", () => {
    const { seeds, ids } = createSeeds({
      payins: [payinFixture(), payinFixture({ integration: "kiosk" }), payinFixture()],
      payouts: [payoutFixture({ integration: "kiosk" }), payoutFixture()],
      faults: [faultFixture(), faultFixture({ integration: null }), faultFixture()],
    });
    const { payins = [], payouts = [], faults = [] } = seeds.afresh(null, NOW_MS);
    const placeOf = (row: { integration: string | null; ordinal: number }) => [
      row.integration,
      row.ordinal,
    ];
    expect([...payins, ...payouts].map(placeOf)).toEqual([
      ["shop", 1],
      ["kiosk", 1],
      ["shop", 2],
      ["kiosk", 2],
      ["shop", 3],
    ]);
    expect(faults.map(placeOf)).toEqual([
      ["shop", 1],
      [null, 1],
      ["shop", 2],
    ]);
    expect(faults[1]).toMatchObject({ id: ids.fault(null, 1), used: 0, drawn: 0 });
    expect([...payins, ...payouts].map(({ eventNumber }) => eventNumber)).toEqual([1, 2, 3, 4, 5]);
  });

  it("loads one integration's after its own reset, under the choices for all", () => {
    const { seeds, records } = createSeeds(
      {
        payins: [payinFixture(), payinFixture({ integration: "kiosk" })],
        payouts: [payoutFixture({ integration: "kiosk" })],
        faults: [faultFixture({ integration: null }), faultFixture({ integration: "kiosk" })],
      },
      { assumptions: { "payout.auto": "complete_after:5" } },
    );
    records.apply({
      changedAssumptions: [
        { integration: null, changes: { "payout.auto": "complete_after:7" } },
        { integration: "kiosk", changes: { "payout.auto": "complete_after:9" } },
      ],
    });
    const { payins, payouts, faults } = seeds.afresh("kiosk", NOW_MS);
    for (const rows of [payins, payouts, faults])
      expect(rows?.map(({ integration }) => integration)).toEqual(["kiosk"]);
    expect(payouts?.[0]?.completesAtMs).toBe(NOW_MS + 7000);
    // After a reset of all nothing is changed any more.
    expect(seeds.afresh(null, NOW_MS).payouts?.[0]?.completesAtMs).toBe(NOW_MS + 5000);
  });
});

describe("the fixtures that are missing", () => {
  it("loads only entries without a record or fault, and counts on after the existing ones", () => {
    const fixtures = {
      payins: [payinFixture(), payinFixture()],
      payouts: [payoutFixture({ status: "canceled" }), payoutFixture()],
      faults: [faultFixture(), faultFixture()],
    } as const;
    const { seeds, records } = createSeeds(fixtures, {
      of: { shop: { "payout.auto": "complete_after:9" } },
    });
    const first = {
      payins: fixtures.payins.slice(0, 1),
      payouts: fixtures.payouts.slice(0, 1),
      faults: fixtures.faults.slice(0, 1),
    };
    records.apply(createSeeds(first, { records }).seeds.missing(NOW_MS));
    const { payins, payouts, faults } = seeds.missing(NOW_MS);
    expect(payins).toMatchObject([{ fixture: fixtures.payins[1].name, ordinal: 3 }]);
    expect(payouts).toMatchObject([
      { fixture: fixtures.payouts[1].name, ordinal: 4, completesAtMs: NOW_MS + 9000 },
    ]);
    expect(faults).toMatchObject([{ fixture: fixtures.faults[1].name, ordinal: 2 }]);
    records.apply({ payins, payouts, faults } as Parameters<Records["apply"]>[0]);
    expect(seeds.missing(NOW_MS)).toEqual({ payins: [], payouts: [] });
  });

  it("is a fault that was taken away, with another id", () => {
    const { seeds, records, ids } = createSeeds({ faults: [faultFixture()] });
    records.apply(seeds.missing(NOW_MS));
    records.apply({ removedFaults: [ids.fault("shop", 1)] });
    expect(seeds.missing(NOW_MS).faults).toMatchObject([{ id: ids.fault("shop", 2) }]);
  });
});

describe("two payouts in progress to one receiver", () => {
  const rivals = () => [payoutFixture(), payoutFixture({ place: say`second` })];

  it("are refused, with the place of the second", () => {
    const create = () => createSeeds({ payouts: rivals() });
    expect(create).toThrow(FixtureError);
    expect(create).toThrow("second.receiver_cpf: this receiver has another payout in progress");
  });

  it.each([
    ["are of two integrations", [{}, { integration: "kiosk" }], {}],
    ["are not both in progress", [{}, { status: "completed" }], {}],
    ["may be", [{}, {}], { "payout.rival": "allow" }],
    [
      "have two keys, which make two receivers",
      [{}, { draft: payoutDraft({ pixKey: "12345678909" }) }],
      { "payout.recipient": "pix_key" },
    ],
  ] as const)("are there where they %s", (_why, members, assumptions) => {
    const payouts = members.map((each) => payoutFixture(each));
    const { seeds } = createSeeds({ payouts }, { assumptions });
    expect(seeds.afresh(null, NOW_MS).payouts).toHaveLength(2);
  });

  it("are refused if one exists already, by CPF or by a key in any case", () => {
    const records = new Records();
    const draft = payoutDraft({ pixKeyType: "email", pixKey: "Jose@Example.com" });
    records.apply({
      payouts: [payout({ ...draft, receiverCpf: "98765432100" })],
      payins: [payin()],
    });
    const missing = (fixture: Partial<PayoutDraft>, assumptions: Partial<Assumptions>) => {
      const payouts = [payoutFixture({ place: say`one`, draft: payoutDraft(fixture) })];
      return createSeeds({ payouts }, { records, assumptions }).seeds.missing(NOW_MS);
    };
    const pixKey = "jose@example.COM";
    expect(missing({ pixKeyType: "email", pixKey }, {}).payouts).toHaveLength(1);
    expect(() => missing({ receiverCpf: "98765432100" }, {})).toThrow("one.receiver_cpf");
    expect(() => missing({ pixKey }, { "payout.recipient": "pix_key" })).toThrow("one.pix_key");
  });
});
