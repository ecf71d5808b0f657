// Takes pictures of the pages: `npm run screenshots -- [folder]`, or `npm run screenshots -- --readme`.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: { readme: { type: "boolean", default: false } },
  allowPositionals: true,
});
const folder = path.resolve(positionals[0] ?? "screenshots");

const { status } = spawnSync(
  process.execPath,
  [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--config",
    "test/screenshots/vitest.config.js",
    "--root",
    ".",
  ],
  {
    stdio: "inherit",
    env: {
      ...process.env,
      SCREENSHOTS_FOLDER: folder,
      ...(values.readme && { SCREENSHOTS_README: "1" }),
    },
  },
);
if (status === 0)
  process.stdout.write(`The pictures are in ${values.readme ? "docs/images" : folder}.\n`);
process.exitCode = status ?? 1;
