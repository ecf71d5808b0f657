import { createHash } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { View } from "../client/view.ts";

/** The variable that names the folder of traces to the workers, or turns them off. */
export const TRACES_VARIABLE = "PIX_SANDBOX_TRACES";
const OFF = "off";

/** The file and the name of the test that runs, by the state of `expect`; undefined between tests. */
export function currentTest(state: {
  readonly currentTestName?: string | undefined;
  readonly testPath?: string | undefined;
}): string | undefined {
  const { currentTestName: name, testPath = "" } = state;
  // Files in several folders can have the same name.
  const file = path.relative("", testPath).replaceAll("\\", "/");
  return name === undefined ? undefined : `${file} > ${name}`;
}

/** A longer name of a file is cut: with its hash it has at most 255 bytes, of which a letter takes up to 3. */
const MAX_NAME = 70;

/**
 * The folder for the traces of failed tests: beside the report, in a folder of their own. Undefined if they are off.
 * @param root the project's folder
 * @param report the file of the report, if the tests write one
 */
export function tracesFolder(root: string, report?: string): string | undefined {
  const given = process.env[TRACES_VARIABLE];
  if (given === OFF) return undefined;
  return path.resolve(
    root,
    given || path.join(path.dirname(report ?? "test-results/_"), "pix-sandbox"),
  );
}

/** Removes the traces of an earlier run, except in a folder that the user has given: other suites may use it. */
export async function removeTraces(folder: string | undefined): Promise<void> {
  if (folder !== undefined && !process.env[TRACES_VARIABLE])
    await rm(folder, { recursive: true, force: true });
}

/**
 * Writes the trace of a failed test. That a trace cannot be written must not hide why the test failed.
 * @param view what the test used: its integration, or the whole sandbox
 * @param folder undefined: none is written
 * @returns the file, if it was written
 */
export async function writeTrace(
  view: Pick<View, "trace">,
  folder: string | undefined,
  test: string,
): Promise<string | undefined> {
  if (folder === undefined) return undefined;
  const file = path.join(folder, `${toFileName(test)}.trace.html`);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(file, await view.trace());
  } catch (error) {
    process.stderr.write(`pix-sandbox could not write ${file}: ${(error as Error).message}\n`);
    return undefined;
  }
  process.stderr.write(`pix-sandbox: the trace is ${path.relative("", file)}\n`);
  return file;
}

/** The same for each attempt of a test. The hash tells names apart that differ in other characters. */
function toFileName(test: string): string {
  const plain = test.replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-+|-+$/g, "");
  const hash = createHash("sha256").update(test).digest("hex").slice(0, 8);
  return `${plain.slice(-MAX_NAME).replace(/^-/, "")}-${hash}`;
}
