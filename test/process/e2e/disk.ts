import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, type TestContext } from "vitest";
import type { Ended } from "../../support/process.ts";
import { type Calls, type Shown } from "../../support/calls.ts";
import { lacks } from "../../support/lacks.ts";

export const webhook_url = "http://127.0.0.1:9/hook";
export const IS_ROOT = process.getuid?.() === 0;

/** Much of this is waiting: for a pause of the sandbox, for a start. */
export const AT_ONCE = { concurrent: true, timeout: 120_000 };

/** What a change is answered that cannot be kept. */
export const REFUSED = {
  status: 503,
  body: { message: expect.stringMatching(/\.$/) as string, code: "EXTERNAL_ERROR", errors: [] },
};

/** Somewhere to keep a state where there is not much room. */
export interface Room extends AsyncDisposable {
  readonly path: string;
  /** The state file. */
  readonly file: string;
  /** What the program is to be started by. */
  readonly wrapper: readonly string[];
  /**
   * So many payins fit with a compaction, and twice as many do not: into 256 KiB, of which each takes one in the
   * state file, one in the new one and one in the journal, where what came during a compaction stands until the next.
   */
  readonly share: number;
  /** From the next start on, if not at once. */
  makeRoom(): Promise<void>;
}

interface SmallDisk extends Room {
  /** Leaves no room at all. */
  fill(): Promise<void>;
  /** Makes it read-only. */
  lock(): Promise<void>;
}

const mounted = new Set<string>();
const unmountAll = (): void => {
  for (const folder of mounted) {
    execFileSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true, force: true });
    mounted.delete(folder);
  }
};

/** A file system of its own, in memory. */
export async function smallDisk(context: TestContext, kibibytes: number): Promise<SmallDisk> {
  if (lacks("tmpfs")) context.skip();
  const folder = mkdtempSync(path.join(tmpdir(), "pix-sandbox-disk-"));
  const mount = (options: string): void => {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder], { stdio: "pipe" });
  };
  mount(`size=${kibibytes}k`);
  mounted.add(folder);
  return {
    path: folder,
    file: path.join(folder, "state.json"),
    wrapper: [],
    share: 75,
    makeRoom: async () => mount("remount,size=4m"),
    fill: async () => {
      const ballast = Buffer.alloc(kibibytes * 1024);
      await writeFile(path.join(folder, "ballast"), ballast).catch(() => undefined);
    },
    lock: async () => mount("remount,ro"),
    [Symbol.asyncDispose]: async () => {
      mounted.delete(folder);
      execFileSync("umount", ["-l", folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function createMany(calls: Calls, count: number): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: count }, () => calls.createPayin({ webhook_url })),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
}

export async function listed(calls: Calls, nouns: "payins" | "payouts"): Promise<readonly Shown[]> {
  const { data } = await calls.control<{ data: readonly Shown[] }>("GET", `/${nouns}?limit=1000`);
  return data;
}

export async function readState(file: string): Promise<StoredState> {
  return JSON.parse(await readFile(file, "utf8")) as StoredState;
}

export interface StoredState {
  readonly transactions: readonly { readonly record: { readonly id: string } }[];
}

export function sentences({ stderr }: { readonly stderr: string }): readonly string[] {
  return stderr.split("\n").filter((line) => line !== "");
}

/** Plain words: which file, what is wrong, what can be done. */
export function expectRefusedStart({ code, stdout, stderr }: Ended, file: string): void {
  expect({ code, stdout, stderr }).toMatchObject({ code: 9, stdout: "" });
  expect(stderr).toMatch(/^error: .+\.$/m);
  expect(stderr).toContain(file);
  expect(stderr).toContain("--state");
  expect(stderr).not.toMatch(/^ {4}at /m);
}

/** The set-up of each test. */
export function unmountAfterwards(): void {
  // Whatever becomes of the tests, nothing stays mounted.
  process.once("exit", unmountAll);
  afterAll(unmountAll);
}
