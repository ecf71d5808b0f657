import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll } from "vitest";
import { runMain, type ServingMain, serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { type Ended } from "../../support/process.ts";
import { RULE_IDS } from "../../../src/review/rules.ts";

/** The stories that the package brings: the usual ones, then one for each rule of the reviewer. */
export const STORIES = [
  "duplicate-webhook",
  "expired",
  "lost-answer-and-retry",
  "paid",
  "paid-at-the-last-second",
  "payout-canceled-by-a-rival",
  "payout-completed",
  "provider-down-then-up",
  ...RULE_IDS.map((id) => id.replaceAll("_", "-")),
];

export let sandbox: ServingMain;
export let folder: Awaited<ReturnType<typeof createFolder>>;

/** Plays a story from a file with that name, on the sandbox of these tests. */
export const run = async (
  steps: readonly object[] | string | object,
  ...args: string[]
): Promise<Ended> => {
  const story = Array.isArray(steps) ? { about: "A story of this test.", steps } : steps;
  const text = typeof story === "string" ? story : JSON.stringify(story);
  await writeFile(folder.at("story.json"), text);
  const options = { cwd: folder.path, env: { PIX_SANDBOX_URL: sandbox.url } };
  return await runMain(["scenario", "run", "story.json", ...args], options);
};

export function useSandbox(): void {
  beforeAll(async () => {
    folder = await createFolder();
    sandbox = await serveMain(["--memory", "--clock", "frozen", "--seed", "42"]);
  });
  afterAll(async () => {
    await sandbox[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });
}
