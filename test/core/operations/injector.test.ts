import { describe, expect, it } from "vitest";
import { createGateway } from "../../support/core.ts";

const CALL = { operation: "payins.create", integration: "shop", key: "order-1" } as const;

describe("the fault of a call that requests a hold", () => {
  it("ends when it is removed, even if the call never runs", async () => {
    const { gateway } = createGateway();
    const fault = gateway.faults.take({
      ...CALL,
      request: "{}",
      requested: { kind: "hold" },
    });
    const id = fault?.id ?? "";
    gateway.faults.hold(id, CALL);
    const listed = () => gateway.read("shop", (view) => view.faults().map((one) => one.id));
    expect(await listed()).toEqual([id]);
    expect(await gateway.faults.remove("shop", id)).toHaveLength(1);
    expect(await listed()).toEqual([]);
  });

  it("is reported when it holds the call, and once when it no longer does", async () => {
    const { gateway } = createGateway();
    const events: unknown[] = [];
    const stop = gateway.notices.listen((event) => events.push(event));
    const held = gateway.faults.hold("flt_1", CALL);
    gateway.faults.dropCalls("other");
    await gateway.faults.remove("shop", "flt_1");
    held.drop(new Error("The client left."));
    await expect(held.turn).rejects.toThrow("The client left.");
    held.drop(new Error("again"));
    const event = { ...CALL, faultId: "flt_1" };
    expect(events).toEqual([
      { ...event, kind: "held", held: 1 },
      { ...event, kind: "released", held: 0 },
    ]);
    stop();
    gateway.faults.hold("flt_2", CALL);
    expect(events).toHaveLength(2);
  });
});
