/**
 * `node test/mutants/rules.js`: removes each rule of the reviewer in a scratch copy, one at a time, and expects a
 * test to fail.
 *
 *     node test/mutants/rules.js                                  every rule that has a test file below
 *     node test/mutants/rules.js duplicate_refused                these rules only
 *
 * A rule is removed by making the findings ignore what was seen of it, wherever it was seen: in traffic or by a
 * probe. Ends with 1 if the tests of a rule still pass, or if a rule has no test file.
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FINDINGS = "src/review/finding.ts";
const RULES = "src/review/rules.ts";
const UNCHANGED = "export function findingsOf(observed: ReadonlyMap<RuleId, Observed>)";

/** The test files of the rules that traffic shows, and of those that `check-webhook` provokes, with orders or without. */
const TESTS = {
  traffic: "test/http/report.test.ts",
  probe: "test/process/cli/check-webhook.test.ts",
  effect: "test/isolated/cli/check-webhook-orders.test.ts",
};
/** Provoked rules that traffic shows too. */
const SEEN_IN_TRAFFIC = ["duplicate_refused", "bad_signature_accepted"];

const rules = [
  ...readFileSync(path.join(ROOT, RULES), "utf8").matchAll(
    /^ {2}([a-z_0-9]+): \{\n {4}number: \d+,\n {4}severity: "\w+",\n {4}judgedBy: "(\w+)"/gm,
  ),
].map(([, id = "", judgedBy = ""]) => ({
  id,
  test: TESTS[
    SEEN_IN_TRAFFIC.includes(id) ? "traffic" : /** @type {keyof typeof TESTS} */ (judgedBy)
  ],
}));
const wanted = process.argv.slice(2);
const scratch = createScratch();
const source = readFileSync(path.join(scratch, FINDINGS), "utf8");
if (!source.includes(UNCHANGED)) throw new Error(`${FINDINGS} has no line "${UNCHANGED}".`);
let survivors = 0;
/** @type {Record<string, boolean>} */
const sound = {};
try {
  for (const { id, test } of rules.filter(
    (rule) => wanted.length === 0 || wanted.includes(rule.id),
  )) {
    const outcome = existsSync(path.join(scratch, test))
      ? outcomeWithout(id, test)
      : "no test file";
    if (outcome !== "noticed") survivors++;
    process.stdout.write(`${outcome.padEnd(12)}  ${id.padEnd(32)}  ${test}\n`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.exitCode = survivors === 0 ? 0 : 1;

/**
 * @param {string} id
 * @param {string} test
 */
function outcomeWithout(id, test) {
  const without = source
    .replace(UNCHANGED, "export function findingsOf(all: ReadonlyMap<RuleId, Observed>)")
    .replace(
      "  const isBroken =",
      `  const observed = new Map([...all].filter(([one]) => one !== "${id}"));\n  const isBroken =`,
    );
  // Otherwise a test that fails anyway would notice every rule.
  if (!(sound[test] ??= passes(test))) return "fails anyway";
  writeFileSync(path.join(scratch, FINDINGS), without);
  const isSurvivor = passes(test);
  writeFileSync(path.join(scratch, FINDINGS), source);
  return isSurvivor ? "survived" : "noticed";
}

/** @param {string} test */
function passes(test) {
  const vitest = path.join(ROOT, "node_modules/vitest/vitest.mjs");
  const { status } = spawnSync(process.execPath, [vitest, "run", "--bail", "1", test], {
    cwd: scratch,
  });
  return status === 0;
}

/** Copies the repository; packages are linked. */
function createScratch() {
  const folder = mkdtempSync(path.join(tmpdir(), "pix-rules-"));
  const isLeftOut = (/** @type {string} */ file) =>
    ["node_modules", ".git"].includes(path.basename(file));
  cpSync(ROOT, folder, { recursive: true, filter: (file) => !isLeftOut(file) });
  symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"), "junction");
  return folder;
}
