import { spawnSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runMain, runMainJson, type ServingMain, serveMain } from "../../support/main.ts";
import { RULE_IDS, ruleOf } from "../../../src/review/rules.ts";
import type { WireReview } from "../../../src/review/report.ts";
import { callsTo } from "../../support/calls.ts";
import { STORIES } from "./scenario.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * A slow answer would take five real seconds: its story shows a closed connection instead. How soon a call is
 * repeated depends on the machine. And a run's keys begin with a text of its own: none is made of the body alone.
 */
const NOT_SHOWN: readonly string[] = [
  "webhook_answer_slow",
  "retry_storm",
  "key_reused_for_new_payin",
];

/** Its story ends with the failed webhook delivered. */
const MENDED: readonly string[] = ["webhook_never_received"];
const SHOWN_TO_REVIEWER = RULE_IDS.filter(
  (id) => ruleOf(id).judgedBy === undefined && !NOT_SHOWN.includes(id) && !MENDED.includes(id),
);

describe("the package's scenarios", { timeout: 120_000 }, () => {
  it("are the existing files, the printed list, and part of the package", async () => {
    const files = await readdir(new URL("../../../fixtures/scenarios/", import.meta.url));
    expect(files.toSorted()).toEqual(STORIES.map((name) => `${name}.json`).toSorted());
    const { data } = await runMainJson<{ data: { name: string; about: string }[] }>([
      "scenario",
      "list",
    ]);
    expect(data.map(({ name }) => name)).toEqual(STORIES);
    expect(new Set(data.map(({ about }) => about)).size).toBe(STORIES.length);
    const listed = await runMain(["scenario", "list"]);
    expect(listed).toMatchObject({ code: 0, stderr: "" });
    expect(listed.stdout.match(/^\w+ +SCENARIO$/gm)).toHaveLength(2);
    for (const { name, about } of data)
      expect(listed.stdout).toMatch(new RegExp(`^${name} +${about.replace(/\W/g, ".")}$`, "m"));

    const packing = ["pack", "--dry-run", "--ignore-scripts", "--json"];
    const { stdout } = spawnSync("npm", packing, { cwd: ROOT, encoding: "utf8" });
    const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[];
    const paths = packed?.files.map(({ path }) => path) ?? [];
    for (const name of STORIES) expect(paths).toContain(`fixtures/scenarios/${name}.json`);
  });

  it("describe every step", async () => {
    for (const name of STORIES) {
      const file = new URL(`../../../fixtures/scenarios/${name}.json`, import.meta.url);
      const { steps } = JSON.parse(await readFile(file, "utf8")) as { steps: { says?: string }[] };
      expect(steps.filter(({ says }) => says === undefined)).toEqual([]);
    }
  });

  describe.each(["real", "frozen"])("on a %s clock", (clock) => {
    let sandbox: ServingMain;
    beforeAll(async () => {
      sandbox = await serveMain(["--memory", "--clock", clock]);
    });
    afterAll(() => sandbox[Symbol.asyncDispose]());

    it.each(STORIES)("pass: %s, twice as one integration", async (name) => {
      const options = { env: { PIX_SANDBOX_URL: sandbox.url } };
      const play = ["scenario", "run", name, "--token", `of ${name}`];
      const { code, stdout, stderr } = await runMain(play, options);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const lines = stdout.trimEnd().split("\n");
      const count = lines.length - 1;
      expect(lines.slice(0, -1).map((line) => line.split(/ +/).slice(0, 2))).toEqual(
        Array.from({ length: count }, (_none, index) => ["✓", String(index + 1)]),
      );
      expect(lines.at(-1)).toBe(`${name}: all ${count} steps passed.`);

      expect(await runMainJson(play, options)).toMatchObject({
        scenario: name,
        passed: true,
        seed: sandbox.ready.seed,
        integration: `of ${name}`,
        steps: Array.from({ length: count }, (_none, index) => ({
          number: index + 1,
          passed: true,
        })),
      });
    });

    it.each(SHOWN_TO_REVIEWER)("have shown the reviewer the mistake: %s", async (id) => {
      const report = await fetch(`${sandbox.url}/_sandbox/report?final=true`, {
        headers: { "x-api-token": `of ${id.replaceAll("_", "-")}` },
      });
      const { rules } = (await report.json()) as WireReview;
      const finding = rules.find((one) => one.id === id);
      expect(finding?.verdict).toBe(ruleOf(id).severity === "failure" ? "fail" : "warning");
    });

    it("leave nothing running", async () => {
      const calls = callsTo(sandbox.url);
      expect(await calls.control("GET", "/clock")).toMatchObject({ mode: clock });
      expect(await calls.control("GET", "/faults")).toMatchObject({ data: [] });
      expect(await calls.deliveries("&status=pending")).toEqual([]);
    });
  });
});
