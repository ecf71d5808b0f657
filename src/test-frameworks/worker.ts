import { createHash } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ConnectedSandbox } from "../client/connect.ts";
import { type DeliveredOptions, isDelivered } from "../client/delivered.ts";
import {
  type BodySubset,
  type GatewayCall,
  isReceived,
  type ReceivedOptions,
} from "../client/received.ts";
import type { Integration, View } from "../client/view.ts";
import type { EventType } from "../core/records/transaction.ts";

/** The additional matchers of `expect`. */
export interface SandboxMatchers {
  /**
   * Waits for a webhook of the given payin or payout (the record or its id). With `not`, waits until no webhook is in flight
   * or due. Await the result.
   */
  toHaveBeenDelivered(type?: EventType, options?: DeliveredOptions): Promise<void>;
  /**
   * Waits until the gateway has received a request of the given integration or sandbox, such as `POST /v1/payins`,
   * whose JSON body has the given members. With `not`, checks the requests so far. Await the result.
   */
  toHaveReceived(call: GatewayCall, body?: BodySubset, options?: ReceivedOptions): Promise<void>;
}

/** What the matchers get behind the received value, and what a framework binds them to. */
type Given<Name extends keyof SandboxMatchers> = Parameters<SandboxMatchers[Name]>;
type Context = { readonly isNot?: boolean };

/** The matchers for `expect.extend`. */
export const toMatchers = (open: () => Promise<ConnectedSandbox>) => ({
  async toHaveBeenDelivered(
    this: Context,
    received: unknown,
    ...[type, options]: Given<"toHaveBeenDelivered">
  ) {
    const { isNot = false } = this;
    return isDelivered(await open(), received, type, { ...options, isNot });
  },
  async toHaveReceived(
    this: Context,
    received: unknown,
    ...[call, body, options]: Given<"toHaveReceived">
  ) {
    return isReceived(received, call, body, { ...options, isNot: this.isNot ?? false });
  },
});

/** The integration that the newest test has used. */
let used: { readonly test: string | undefined; readonly integration: Integration } | undefined;

/** Notes the integration of a test, for its trace. @param test undefined between tests */
export function useIntegration(test: string | undefined, integration: Integration): Integration {
  used = { test, integration };
  return integration;
}

/** The variable that names the folder of traces to the workers, or turns them off. */
export const TRACES_VARIABLE = "PIX_SANDBOX_TRACES";

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

/**
 * The folder for the traces of failed tests: beside the report, in a folder of their own. Undefined if they are off.
 * @param root the project's folder
 * @param report the file of the report, if the tests write one
 */
export function tracesFolder(root: string, report = "test-results/_"): string | undefined {
  const given = process.env[TRACES_VARIABLE];
  if (given === "off") return undefined;
  return path.resolve(root, given || path.join(path.dirname(report), "pix-sandbox"));
}

/** The same, for a new run: without the traces of an earlier one. A folder that the user has given stays: other suites may use it. */
export async function emptyTracesFolder(root: string, report?: string) {
  const folder = tracesFolder(root, report);
  if (folder !== undefined && !process.env[TRACES_VARIABLE])
    await rm(folder, { recursive: true, force: true });
  return folder;
}

/**
 * Writes the trace of a failed test: of its integration, or of the whole sandbox. That it cannot be written must not
 * hide why the test failed.
 * @returns the file, if it was written
 */
export async function writeTrace(
  sandbox: Pick<View, "trace"> | undefined,
  folder: string | undefined,
  test = "",
): Promise<string | undefined> {
  const view = used?.test === test ? used.integration : sandbox;
  if (!view || folder === undefined) return undefined;
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

/** A longer name of a file is cut: with its hash it has at most 255 bytes, of which a letter takes up to 3. */
const MAX_NAME = 70;

/** The same for each attempt of a test. The hash tells names apart that differ in other characters. */
function toFileName(test: string): string {
  const plain = test.replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-+|-+$/g, "");
  const hash = createHash("sha256").update(test).digest("hex").slice(0, 8);
  return `${plain.slice(-MAX_NAME).replace(/^-/, "")}-${hash}`;
}
