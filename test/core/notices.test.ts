import { describe, expect, it } from "vitest";
import type { Assumptions } from "../../src/core/assumptions/table.ts";
import { isNoticeOf, type Notice } from "../../src/core/state/event-log.ts";
import { StorageError } from "../../src/core/state/ports.ts";
import { createGateway, HeldStore, payinCall, START_MS, turns } from "../support/core.ts";
import { say } from "../../src/text/message.ts";

const ERROR = { on: "payins.create", effect: "error=EXTERNAL_ERROR" } as const;
const FULL = new StorageError(say`The disk is full.`);

describe("a notice of a change", () => {
  it("comes when the change is durable, before its caller continues", async () => {
    const { gateway, store, kinds } = create();
    store.hold();
    const creating = gateway.faults.create("shop", ERROR).then(() => kinds.push("created"));
    const changing = gateway
      .changeAssumptions(null, { "payout.rival": "allow" })
      .then(() => kinds.push("changed"));
    await turns();
    expect(kinds).toEqual([]);
    store.letGo();
    await Promise.all([creating, changing]);
    expect(kinds).toEqual(["fault", "created", "assumptions", "changed"]);
  });

  it("never comes for a change that is rolled back", async () => {
    const { gateway, clock, store, kinds } = create();
    const fault = await gateway.faults.create("shop", { ...ERROR, times: 1 });
    kinds.length = 0;
    store.hold();
    clock.moveTo(START_MS + 1000);
    const lost = [
      gateway.faults.create("shop", ERROR),
      gateway.faults.remove("shop", fault.id),
      gateway.changeAssumptions("shop", { "payout.rival": "allow" }),
      gateway.storeClock(),
      gateway.replace(null, () => [["clock", clock.setting]]),
    ];
    const settled = Promise.allSettled(lost);
    await turns();
    store.fail(FULL);
    expect((await settled).map(({ status }) => status)).toEqual(lost.map(() => "rejected"));
    await turns();
    expect(kinds).toEqual([]);
  });

  it("never comes for a change that is refused", async () => {
    const { gateway, store, kinds } = create();
    store.commit = () => {
      throw FULL;
    };
    await expect(gateway.faults.create("shop", ERROR)).rejects.toThrow("full");
    await expect(gateway.changeAssumptions(null, {})).rejects.toThrow("full");
    await turns();
    expect(kinds).toEqual([]);
  });

  it("comes for a fault's use that the call itself commits, and for no draw without a use", async () => {
    const { gateway, notices } = create();
    await gateway.faults.create("shop", { ...ERROR, times: 1 });
    await gateway.faults.create("shop", {
      on: "webhook",
      effect: "duplicate",
      probability: 1e-9,
    });
    await gateway.faults.create("shop", { on: "webhook", effect: "duplicate" });
    const call = payinCall();
    const { key, request } = call;
    const fault = gateway.faults.take({
      operation: "payins.create",
      integration: "shop",
      key,
      request,
    });
    await expect(gateway.createPayin({ ...call, fault })).rejects.toThrow(/fault/);
    const { record } = await gateway.createPayin(payinCall());
    await gateway.movePayin("shop", record.id, "pay");
    const changes = notices.flatMap((one) =>
      one.kind === "fault" ? [[one.change, one.fault.ordinal, one.fault.used]] : [],
    );
    expect(changes).toEqual([
      ["created", 1, 0],
      ["created", 2, 0],
      ["created", 3, 0],
      ["used", 1, 1],
      ["used", 3, 1],
    ]);
  });

  it("comes for a fault that due work uses", async () => {
    const { gateway, clock, notices } = create({ "payin.expiry_event": "webhook" });
    await gateway.createPayin(payinCall());
    await gateway.faults.create(null, { on: "webhook", effect: "duplicate" });
    clock.moveTo(START_MS + 366 * 86_400_000);
    gateway.catchUp.run();
    await turns();
    expect(notices.at(-1)).toMatchObject({ kind: "fault", change: "used", fault: { used: 1 } });
  });

  it("stays away after a reset, but for the clock's", async () => {
    const { gateway, clock, kinds } = create();
    await gateway.faults.create("shop", ERROR);
    kinds.length = 0;
    await gateway.replace("shop", () => []);
    expect(kinds).toEqual([]);
    await gateway.replace(null, () => [["clock", clock.start]]);
    expect(kinds).toEqual(["clock"]);
  });
});

describe("the fault of a call that requests a hold", () => {
  it("has a notice when it is created and when its call ends", async () => {
    const { gateway, notices } = create();
    const call = { operation: "payins.create", integration: "shop", key: "order-1" } as const;
    const requested = "hold" as const;
    const fault = gateway.faults.take({ ...call, request: "{}", requested });
    const held = gateway.faults.wait(call, fault?.id ?? "");
    held.end(new Error("The client left."));
    held.end();
    await expect(held.turn).rejects.toThrow("The client left.");
    await turns();
    expect(
      notices.map((one) => [one.kind, "change" in one ? one.change : one.integration]),
    ).toEqual([
      ["fault", "created"],
      ["held", "shop"],
      ["released", "shop"],
      ["fault", "removed"],
    ]);
  });
});

describe("a notice", () => {
  it.each([
    ["shop", "shop", true],
    ["shop", "other", false],
    ["shop", null, true],
    [null, "shop", true],
    [null, null, true],
  ] as const)("of %s concerns %s: %s", (integration, reader, concerns) => {
    const notice: Notice = { kind: "assumptions", integration, changes: {} };
    expect(isNoticeOf(notice, reader)).toBe(concerns);
  });

  it("of a request without a token concerns no integration", () => {
    const notice = { kind: "request", integration: null, toWire: () => [] } as unknown as Notice;
    expect(isNoticeOf(notice, "shop")).toBe(false);
    expect(isNoticeOf(notice, null)).toBe(true);
  });
});

function create(assumptions: Partial<Assumptions> = {}) {
  const store = new HeldStore();
  const parts = createGateway({ store, assumptions });
  const notices: Notice[] = [];
  const kinds: string[] = [];
  parts.gateway.notices.listen((notice) => {
    notices.push(notice);
    kinds.push(notice.kind);
  });
  return { ...parts, store, notices, kinds };
}
