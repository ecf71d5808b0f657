import { readdir, readFile, realpath, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach } from "vitest";
import { openStateFile } from "../../../src/store/file/state-file.ts";
import { createFolder } from "../../support/folder.ts";
import { delivery, payin, payout } from "../../support/core.ts";
import { isLock } from "../../support/lock.ts";

export const JOURNAL = "state.json.2.journal";

/** What `state check --json` and `state repair --json` print. */
export interface Report {
  readonly file: string;
  readonly sound: boolean;
  readonly payins: number;
  readonly payouts: number;
  readonly deliveries: number;
  readonly commits: number;
  readonly damages: readonly {
    readonly file: string;
    readonly line: number;
    readonly reason: string;
  }[];
  readonly torn_tail: { readonly file: string; readonly line: number } | null;
  readonly aside: readonly string[];
}

let folder: Awaited<ReturnType<typeof createFolder>>;

/** The folder as the operating system calls it. */
export let home: string;
export let file: string;

/** A state file of one commit and a journal of three more, as a process leaves them that dies. */
export async function leaveState(into: string, name = "state.json"): Promise<void> {
  await using elsewhere = await createFolder();
  const original = elsewhere.at(name);
  const first = await openStateFile(original);
  first.commit({ payins: [payin({ id: "in 1" })] });
  await first.close();
  const second = await openStateFile(original);
  second.commit({
    payins: [payin({ id: "in 2", ordinal: 2, idempotencyKey: "2", eventNumber: 2 })],
  });
  second.commit({ payouts: [payout({ ordinal: 3, idempotencyKey: "3", eventNumber: 3 })] });
  second.commit({ deliveries: [delivery({ eventNumber: 4 })] });
  await second.durable();
  for (const one of (await readdir(elsewhere.path)).filter((each) => !isLock(each)))
    await writeFile(path.join(into, one), await readFile(elsewhere.at(one)));
  await second.close();
}

export async function leaveJournalAlone(): Promise<void> {
  await using elsewhere = await createFolder();
  const store = await openStateFile(elsewhere.at("state.json"));
  store.commit({ payins: [payin()] });
  await store.durable();
  await writeFile(
    path.join(home, "state.json.1.journal"),
    await readFile(elsewhere.at("state.json.1.journal")),
  );
  await store.close();
}

export async function change(name: string, how: (bytes: Buffer) => Buffer): Promise<void> {
  await writeFile(name, how(await readFile(name)));
}

/** Writes over a letter of a line, counted from 0. */
export async function damage(name: string, index: number): Promise<void> {
  await change(name, (bytes) => {
    const lines = bytes.toString().split("\n");
    lines[index] = lines[index]?.replace("change", "chance") ?? "";
    return Buffer.from(lines.join("\n"));
  });
}

export async function filesIn(from: string): Promise<readonly (readonly [string, string])[]> {
  const entries = await readdir(from, { withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .toSorted()
      .map(async (name) => [name, await readFile(path.join(from, name), "latin1")] as const),
  );
}

/** The set-up of each test. */
export function useFolder(): void {
  beforeEach(async () => {
    folder = await createFolder();
    home = await realpath(folder.path);
    file = path.join(home, "state.json");
  });
  afterEach(() => folder[Symbol.asyncDispose]());
}

export function replaceFile(value: string): void {
  file = value;
}
