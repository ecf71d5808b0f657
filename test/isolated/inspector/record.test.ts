import { beforeEach, describe, expect, it, vi } from "vitest";
import { signal } from "@preact/signals";
import type { Rows } from "../../../src/inspector/state/rows.ts";

/** One component: its state, and the effects of its last render. */
const component = vi.hoisted(() => ({
  state: {} as object,
  effects: [] as (() => (() => void) | undefined)[],
}));
vi.mock("preact/hooks", () => ({
  useMemo: (make: () => unknown) => make(),
  useState: () => [component.state, (next: object) => (component.state = next)],
  useEffect: (effect: () => (() => void) | undefined) => component.effects.push(effect),
}));
const calls = vi.hoisted(() => ({ paths: [] as string[], answer: Promise.resolve({}) }));
vi.mock("../../../src/inspector/state/control.ts", () => ({
  control: (method: string, path: string) => {
    calls.paths.push(`${method} ${path}`);
    return calls.answer;
  },
}));
vi.mock("../../../src/inspector/state/sandbox.ts", () => ({ loads: { value: 0 } }));

interface Row {
  readonly id: string;
}

/** Imported by a computed name: its types would bring those of a browser into every test. */
const RECORD: string = "../../../src/inspector/state/record.ts";
const { useRecord } = (await import(RECORD)) as {
  useRecord: (name: string, id: string, rows: Rows<Row>) => object;
};

beforeEach(() => {
  component.state = {};
  calls.paths.length = 0;
});

/** Renders the component once; its effect runs afterwards. @returns what it shows, and what ends the effect */
function render(id: string, held: readonly Row[]) {
  component.effects.length = 0;
  const rows = {
    version: signal(0),
    get: (wanted: string) => held.find((row) => row.id === wanted),
  } as unknown as Rows<Row>;
  const found = useRecord("payins", id, rows);
  return { found, end: component.effects[0]?.() };
}

describe("a record that is open", () => {
  it("is the row that the page has, without a call", () => {
    expect(render("a", [{ id: "a" }]).found).toEqual({ row: { id: "a" } });
    expect(calls.paths).toEqual([]);
  });

  it("is loaded from the sandbox if the page does not have it", async () => {
    calls.answer = Promise.resolve({ id: "a/b" });
    expect(render("a/b", []).found).toEqual({});
    expect(calls.paths).toEqual(["GET /payins/a%2Fb"]);
    await calls.answer;
    expect(render("a/b", []).found).toEqual({ row: { id: "a/b" } });
  });

  it("has the sandbox's message if the sandbox does not have it either", async () => {
    calls.answer = Promise.reject(new Error("There is none."));
    render("a", []);
    await expect(calls.answer).rejects.toThrow("There is none.");
    expect(render("a", []).found).toEqual({ message: "There is none." });
  });

  it.each([
    ["a record", () => Promise.resolve({ id: "a" })],
    ["an error", () => Promise.reject(new Error("gone"))],
  ])("shows no answer to a call of before it was left: %s", async (_what, answer) => {
    calls.answer = answer();
    const { end } = render("a", []);
    end?.();
    await calls.answer.catch(() => undefined);
    expect(component.state).toEqual({});
  });
});
