import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { loadSystem, type System } from "../simulation/system.ts";
import { EXPORT_FORMATS, runExport, runVitestFiles } from "../support/exports.ts";
import { startServe } from "../support/cli.ts";
import { createFolder } from "../support/folder.ts";
import { runMainJson, serveMain } from "../support/main.ts";
import { liveShopDay } from "../support/shop-day.ts";
import { serveSimulated } from "../support/simulated-state.ts";

const { PIX_EXPORT_SEEDS, PIX_TEST_LONG } = process.env;
/** PIX_EXPORT_SEEDS=n exports n runs. */
const RUNS = Number(PIX_EXPORT_SEEDS ?? (PIX_TEST_LONG === "short" ? 5 : 50));

describe("the exports of simulated runs", { timeout: 60_000 + RUNS * 60_000 }, () => {
  let system: System;
  beforeAll(async () => {
    system = await loadSystem();
  });

  it("pass as they stand in a fresh sandbox", async () => {
    const files: Record<string, string> = {};
    let transactions = 0;
    for (let seed = 1, runs = 0; runs < RUNS; seed++) {
      await using simulated = await serveSimulated(system, seed);
      // A reset can leave nothing.
      if (simulated.transactions === 0) continue;
      runs += 1;
      transactions += simulated.transactions;
      for (const format of EXPORT_FORMATS) {
        const { url } = simulated.sandbox;
        const args = ["export", "--as", format, "--url", url];
        const { text, notes } = await runMainJson<{ text: string; notes: readonly string[] }>(args);
        const left = notes.filter((note) => note.startsWith("Steps that do not pass"));
        expect(left, `seed ${seed}`).toEqual([]);
        if (format === "vitest") {
          files[`seed-${seed}.test.js`] = text;
          continue;
        }
        await using fresh = await serveMain(["--memory"]);
        const { passes, output } = await runExport(format, text, fresh.url);
        expect(passes ? "" : output, `seed ${seed} as ${format}`).toBe("");
      }
    }
    const { passes, output } = await runVitestFiles(files);
    expect(passes ? "" : output).toBe("");
    expect(output).toMatch(new RegExp(`Tests .*\\b${RUNS} passed`));
    expect(transactions).toBeGreaterThan(RUNS);
  });
});

const HTTPYAC = fileURLToPath(new URL("node_modules/httpyac/bin/httpyac.js", import.meta.url));

it(
  "an export as http passes in httpYac, and fails when it is changed",
  { timeout: 300_000 },
  async () => {
    await using sandbox = await serveMain(["--memory", "--clock", "frozen"]);
    await liveShopDay(sandbox.url, `${sandbox.url}/_sandbox/sink/shop`);
    const args = ["export", "--as", "http", "--url", sandbox.url];
    const { text } = await runMainJson<{ text: string }>(args);
    await using folder = await createFolder();
    for (const [wanted, fails] of [
      ["DUPLICATED_VALUE", false],
      ["NOT_PROCESSABLE", true],
    ] as const) {
      // A process of its own: this one waits for the client.
      await using fresh = await startServe(["--memory"]);
      const located = text
        .replace("http://127.0.0.1:7490", fresh.url)
        .replaceAll("DUPLICATED_VALUE", wanted);
      await writeFile(folder.at("export.http"), located);
      const { status, stdout } = spawnSync(
        process.execPath,
        [HTTPYAC, "send", "export.http", "--all", "--output", "none"],
        { cwd: folder.path, encoding: "utf8" },
      );
      expect({ fails: status !== 0, stdout }).toMatchObject({ fails });
    }
  },
);
