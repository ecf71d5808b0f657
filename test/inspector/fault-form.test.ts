import { describe, expect, it } from "vitest";
import {
  effectKindsOn,
  FAULT_PLACES,
  isEffectOn,
  readEffect,
} from "../../src/core/faults/effects.ts";
import {
  emptyFaultForm,
  type FaultForm,
  isArmed,
  membersOf,
  readFaultForm,
  textOf,
  withKind,
  withMatch,
  withName,
  withPlace,
} from "../../src/inspector/state/fault-form.ts";
import { inWords } from "../support/words.ts";

const words = (text: string): readonly string[] => text.split(" ");
const empty = emptyFaultForm(null);
const withRows = (...match: FaultForm["match"]): FaultForm => ({ ...empty, match });
const errorsOf = (form: FaultForm): readonly string[] => {
  const reading = readFaultForm(form);
  return "errors" in reading ? Object.keys(reading.errors) : [];
};

describe("the fault form", () => {
  it("is valid at once", () => {
    expect(readFaultForm(empty)).toEqual({
      body: { on: "payins.create", effect: "error=VALIDATION_ERROR" },
      command: ["faults", "add", "payins.create", "error=VALIDATION_ERROR"],
    });
  });

  it.each(FAULT_PLACES)("has a valid effect after a change to %s", (on) => {
    for (const from of FAULT_PLACES) {
      const { kind } = withPlace(withPlace(empty, from), on);
      expect(isEffectOn(kind, on)).toBe(true);
    }
  });

  it("keeps the effect and its value at another place that allows them", () => {
    const form = { ...withKind(empty, "latency_ms"), value: "300" };
    expect(withPlace(form, "payouts.simulate")).toEqual({ ...form, on: "payouts.simulate" });
    expect(withPlace(form, "webhook")).toMatchObject({ kind: "duplicate", value: "" });
  });

  it("acts on the integration that it was opened for", () => {
    expect([emptyFaultForm("shop").integration, empty.integration]).toEqual(["shop", null]);
  });

  it("changes one row of members, and knows which values are text", () => {
    const rows = ["a", "b", "c"].map((name) => ({ name, value: "1", isJson: false }));
    const form = withRows(...rows);
    expect(withMatch(form, 1, { value: "2" }).match).toEqual([
      rows[0],
      { name: "b", value: "2", isJson: false },
      rows[2],
    ]);
    expect(withName(form, 2, "value").match[2]).toEqual({
      name: "value",
      value: "1",
      isJson: true,
    });
    expect(withName(form, 0, "other").match).toEqual([
      { name: "other", value: "1", isJson: false },
      rows[1],
      rows[2],
    ]);
  });

  it("offers the members that a request or an event has", () => {
    expect(membersOf("payins.simulate")).toEqual(["transaction_id", "status"]);
    expect(membersOf("payouts.simulate")).toEqual(["transaction_id", "status"]);
    expect(membersOf("payins.create")).toEqual([
      "value",
      "description",
      "buyer_cpf",
      "buyer_name",
      "buyer_email",
      "webhook_url",
      "generate_qrcode",
      "expiration",
    ]);
    expect(membersOf("payouts.create")).toEqual([
      "value",
      "description",
      "receiver_cpf",
      "receiver_name",
      "receiver_email",
      "webhook_url",
      "pix_key",
      "pix_key_type",
    ]);
    expect(membersOf("webhook").toSorted()).toEqual(
      [
        ...new Set([
          ...membersOf("payins.create"),
          ...membersOf("payouts.create"),
          "id",
          "status",
          "pix_id",
          "end_to_end_id",
        ]),
      ].toSorted(),
    );
  });

  it("sends all fields, and has them in the command", () => {
    const reading = readFaultForm({
      ...withPlace(empty, "webhook"),
      kind: "delay_ms",
      value: " 500 ",
      times: "2",
      probability: ".5",
      match: [
        { name: "buyer_cpf", value: "12345678909", isJson: false },
        { name: "", value: "", isJson: false },
        { name: "value", value: "10.50", isJson: true },
      ],
    });
    expect(reading).toEqual({
      body: {
        on: "webhook",
        effect: "delay_ms=500",
        times: 2,
        probability: 0.5,
        match: { buyer_cpf: "12345678909", value: 10.5 },
      },
      command: [
        ...words("faults add webhook delay_ms=500 --times 2 --probability 0.5"),
        ...words("--match buyer_cpf=12345678909 --match value:=10.50"),
      ],
    });
  });

  it("sends only effects that the place allows", () => {
    for (const on of FAULT_PLACES)
      for (const kind of effectKindsOn(on)) {
        const form = withKind(withPlace(empty, on), kind);
        for (const value of ["", "1", "{}", "VALIDATION_ERROR", "x"]) {
          const reading = readFaultForm({ ...form, value });
          if ("errors" in reading) continue;
          const effect = readEffect(reading.body.effect);
          expect(effect && isEffectOn(effect, on)).toBe(true);
        }
      }
  });

  it.each(["0", "-1", "1.5", "1000001", "x"])("refuses %s as the number of times", (times) =>
    expect(errorsOf({ ...empty, times })).toEqual(["times"]),
  );

  it.each(["1.1", "-0", "x", ".", "1e-3"])("refuses %s as a probability", (probability) =>
    expect(errorsOf({ ...empty, probability })).toEqual(["probability"]),
  );

  it("refuses rows without a name, with a name twice, and with text in place of JSON", () => {
    expect(errorsOf(withRows({ name: "", value: "1", isJson: false }))).toEqual(["name 0"]);
    expect(errorsOf(withRows({ name: "a", value: "b", isJson: true }))).toEqual(["match 0"]);
    const same = { name: "a", value: "1", isJson: false };
    expect(errorsOf(withRows(same, same))).toEqual(["name 1"]);
  });

  it.each<[string, FaultForm, string]>([
    ["latency_ms of 0", { ...withKind(empty, "latency_ms"), value: "0" }, "a whole number"],
    ["latency_ms of nothing", { ...withKind(empty, "latency_ms"), value: "" }, "a whole number"],
    ["latency_ms of 1.5", { ...withKind(empty, "latency_ms"), value: "1.5" }, "a whole number"],
    ["too much latency_ms", { ...withKind(empty, "latency_ms"), value: "600001" }, "to 600000"],
    ["patch_body of a list", { ...withKind(empty, "patch_body"), value: "[]" }, "an object"],
    ["patch_body of no JSON", { ...withKind(empty, "patch_body"), value: "{" }, "an object"],
    ["patch_body of null", { ...withKind(empty, "patch_body"), value: "null" }, "an object"],
  ])("refuses %s, and says what it takes", (_what, form, taken) => {
    const value = inWords({ en: expect.stringContaining(taken) });
    expect(readFaultForm(form)).toEqual({ errors: { value } });
  });

  it("takes the extremes of every field", () => {
    for (const times of ["", " 1 ", "1000000"]) expect(errorsOf({ ...empty, times })).toEqual([]);
    for (const probability of ["", "0", "1", "1.", "0.25", " .5 "])
      expect(errorsOf({ ...empty, probability })).toEqual([]);
    for (const value of ["1", "600000"])
      expect(errorsOf({ ...withKind(empty, "latency_ms"), value })).toEqual([]);
    expect(readFaultForm({ ...empty, times: "1000000", probability: "0" })).toMatchObject({
      body: { times: 1_000_000, probability: 0 },
      command: [
        ...words("faults add payins.create error=VALIDATION_ERROR"),
        ...words("--times 1000000 --probability 0"),
      ],
    });
  });

  it("reads the text of each field, empty for a row that does not exist", () => {
    const form = {
      ...withRows({ name: "a", value: "b", isJson: false }),
      value: "v",
      times: "2",
      probability: "0.5",
    };
    const fields = ["value", "times", "probability", "name 0", "match 0", "name 1"] as const;
    expect(fields.map((field) => textOf(form, field))).toEqual(["v", "2", "0.5", "a", "b", ""]);
  });

  it("keeps a member that is named __proto__", () => {
    const reading = readFaultForm(withRows({ name: "__proto__", value: "1", isJson: false }));
    expect(JSON.stringify("body" in reading && reading.body.match)).toBe('{"__proto__":"1"}');
  });

  it.each(["a=b", "a:b"])("has no command for the name %s", (name) => {
    const reading = readFaultForm(withRows({ name, value: "1", isJson: false }));
    expect(reading).toMatchObject({ body: { match: { [name]: "1" } }, command: undefined });
  });

  it("takes the value of a known member as text or JSON, and leaves that of any other", () => {
    const row = { name: "", value: "1", isJson: false };
    expect(withName(withRows(row), 0, "value").match[0]).toEqual({
      ...row,
      name: "value",
      isJson: true,
    });
    const json = withMatch(withRows(row), 0, { isJson: true });
    expect(withName(json, 0, "buyer_cpf").match[0]?.isJson).toBe(false);
    expect(withName(json, 0, "other").match[0]?.isJson).toBe(true);
  });
});

describe("a fault", () => {
  it("is armed until its times are used up", () => {
    const fault = {
      on: "webhook",
      effect: "duplicate",
      used: 0,
      id: "",
      integration: null,
    } as const;
    expect(isArmed(fault)).toBe(true);
    expect(isArmed({ ...fault, times: 1 })).toBe(true);
    expect(isArmed({ ...fault, times: 0 })).toBe(false);
  });
});
