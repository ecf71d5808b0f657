import { afterEach, beforeEach } from "vitest";
import { type Integration, type Sandbox, startSandbox } from "../../src/index.ts";
import { START_MS } from "../support/core.ts";
import { Tab } from "./page.ts";

export let sandbox: Sandbox;
export let shop: Integration;
export let tab: Tab;

/** The set-up of each test. */
export function useTab(): void {
  beforeEach(async () => {
    sandbox = await startSandbox({ seed: "1", port: 0, clock: "frozen", now: new Date(START_MS) });
    shop = sandbox.integration("shop");
    tab = new Tab(sandbox);
  });
  afterEach(async () => {
    tab.close();
    await sandbox.close();
  });
}

export function replaceSandbox(value: Sandbox): void {
  sandbox = value;
}

export function replaceTab(value: Tab): void {
  tab = value;
}
