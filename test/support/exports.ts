import { spawn } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createFolder } from "./folder.ts";
import { runHttpFile } from "./http-file.ts";
import { runMain } from "./main.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export const EXPORT_FORMATS = ["vitest", "http", "curl", "scenario"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** An export's outcome. */
export interface Outcome {
  readonly passes: boolean;
  readonly output: string;
}

/** Runs an export against the sandbox at a URL; a vitest file starts sandboxes of its own. */
export async function runExport(format: ExportFormat, text: string, url: string): Promise<Outcome> {
  await using folder = await createFolder();
  switch (format) {
    case "http": {
      const failures = await runHttpFile(text, url);
      return { passes: failures.length === 0, output: failures.join("\n") };
    }
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
    case "vitest":
      return await runVitestFiles({ "export.test.js": text });
  }
}

/** Runs vitest over files that import the built package. */
export async function runVitestFiles(files: Readonly<Record<string, string>>): Promise<Outcome> {
  await using folder = await createFolder();
  await mkdir(folder.at("node_modules"));
  await symlink(ROOT, folder.at("node_modules/pix-sandbox"), "dir");
  await symlink(path.join(ROOT, "node_modules/vitest"), folder.at("node_modules/vitest"), "dir");
  await writeFile(folder.at("package.json"), JSON.stringify({ type: "module" }));
  for (const [name, text] of Object.entries(files)) await writeFile(folder.at(name), text);
  const program = path.join(ROOT, "node_modules/vitest/vitest.mjs");
  return await run(process.execPath, [program, "run", "--root", folder.path], {
    CI: "1",
    NO_COLOR: "1",
    FORCE_COLOR: "0",
  });
}

function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const { VITEST: _test, VITEST_MODE: _mode, ...outer } = process.env;
    const child = spawn(command, args, {
      cwd: ROOT,
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
