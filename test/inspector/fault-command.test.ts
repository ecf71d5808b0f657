import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  emptyFaultForm,
  type FaultForm,
  readFaultForm,
  withKind,
  withPlace,
} from "../../src/inspector/state/fault-form.ts";
import { runMainJson, type ServingMain, serveMain } from "../support/main.ts";

const empty = emptyFaultForm(null);
const FORMS: readonly FaultForm[] = [
  empty,
  { ...withKind(empty, "patch_body"), value: '{"a": "it\'s", "b": null}', times: "2" },
  { ...withPlace(empty, "webhook"), kind: "delay_ms", value: "500", probability: "0." },
  {
    ...withKind(withPlace(empty, "payouts.simulate"), "hold"),
    probability: ".25",
    match: [
      { name: "status", value: "a=b:=c", isJson: false },
      { name: "-x", value: "", isJson: false },
      { name: "y", value: ' {"z": [1.50, "á"]}', isJson: true },
    ],
  },
];

describe("the command of a fault form", { timeout: 60_000 }, () => {
  let sandbox: ServingMain;
  beforeAll(async () => {
    sandbox = await serveMain(["--memory"]);
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  it.each(FORMS)("adds the same fault as its call: $on $kind", async (form) => {
    const reading = readFaultForm(form);
    if (!("body" in reading) || !reading.command) throw new Error("The form is not valid.");
    const response = await fetch(`${sandbox.url}/_sandbox/faults`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(reading.body),
    });
    expect(response.status).toBe(200);
    const { id: _id, ...called } = (await response.json()) as { readonly id: string };
    const { id, ...added } = await runMainJson<{ readonly id: string }>([
      ...reading.command,
      "--url",
      sandbox.url,
    ]);
    expect(id).toMatch(/^flt_/);
    expect(added).toEqual(called);
  });
});
