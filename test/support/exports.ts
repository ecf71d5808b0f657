import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createFolder } from "./folder.ts";
import { runMain } from "./main.ts";

export const EXPORT_FORMATS = ["scenario", "curl"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface Outcome {
  readonly passes: boolean;
  readonly output: string;
}

/** Runs an export against the sandbox at a URL. */
export async function runExport(format: ExportFormat, text: string, url: string): Promise<Outcome> {
  await using folder = await createFolder();
  switch (format) {
    case "curl": {
      const file = folder.at("export.sh");
      await writeFile(file, text);
      return await run("bash", [file], { PIX_SANDBOX_URL: url });
    }
    case "scenario": {
      const file = folder.at("export.json");
      await writeFile(file, text);
      const { code, stdout, stderr } = await runMain(["scenario", "run", file, "--url", url]);
      return { passes: code === 0, output: stdout + stderr };
    }
  }
}

function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const { VITEST: _test, VITEST_MODE: _mode, ...outer } = process.env;
    const child = spawn(command, args, {
      env: { ...outer, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const add = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on("data", add);
    child.stderr.on("data", add);
    child.once("error", reject);
    child.once("close", (code) => resolve({ passes: code === 0, output }));
  });
}
