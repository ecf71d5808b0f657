/*
 * Three parties must agree on each damaged state: what these tests expect, which it works out from
 * the place of the damage and the changes that were committed; `readStateFiles`, which is asked about every
 * byte and every bit; and `openStateFile` on the machine's disk, which is asked about every kind of damage and
 * about a sample of the places.
 */

import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect } from "vitest";
import type { Store } from "../../src/core/state/ports.ts";
import type { Change } from "../../src/core/state/records.ts";
import { type Disk, realDisk } from "../../src/store/file/disk/disk.ts";
import { StateFileError } from "../../src/store/errors.ts";
import { StateNames } from "../../src/store/file/disk/names.ts";
import { readStateFiles, type StateFiles } from "../../src/store/file/journal/state-files.ts";
import { openStateFile } from "../../src/store/file/state-file.ts";
import {
  attempt,
  deferred,
  delivery,
  FakeAlarm,
  payin,
  payout,
  START_MS,
} from "../support/core.ts";
import { isLock } from "../support/lock.ts";
import { ReadOnlyDisk } from "./read-only-disk.ts";
import { english } from "../../src/text/languages.ts";

/** The files of a state, by their names. */
export type Files = ReadonlyMap<string, Buffer>;

export interface Scene {
  readonly files: Files;
  /** How many commits the state file holds. */
  readonly base: number;
  /** The files of the journal that have lines, oldest first. */
  readonly journals: readonly string[];
}

/** What is to become of a damaged state, and how many of its commits are there then. */
export type Outcome =
  | { readonly kind: "starts"; readonly commits: number; readonly torn?: Place | undefined }
  | { readonly kind: "refused"; readonly commits: number; readonly at: Place };

/** A line of a file. */
interface Place {
  readonly file: string;
  readonly line: number;
  /** How many bytes stand before it, where that matters. */
  readonly offset?: number;
}

export const STATE = "state.json";

/** Short texts, since every bit of them is flipped. */
const SHORT = {
  valueCents: 1,
  webhookUrl: "http://h/",
  buyerCpf: "1",
  buyerName: "José 😀",
  buyerEmail: "b",
  pixId: "p",
  acquirerId: "a",
  qrCode: "q",
  createdAtMs: 1,
  expiresAtMs: 9,
};
const WAITING = payin({
  ...SHORT,
  id: "in 2",
  ordinal: 2,
  idempotencyKey: "__proto__",
  eventNumber: 2,
});
const PENDING = delivery({
  id: "evt_1",
  transactionId: "out 1",
  url: "http://h/",
  body: '{"é":1}',
  nextAttemptAtMs: 1,
  createdAtMs: 1,
  eventNumber: 4,
});

/** The first stands in the state file of most scenes, the second to sixth in the only file of its journal. */
export const COMMITS: readonly Change[] = [
  {
    identity: { seed: "42", secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
    payins: [payin({ ...SHORT, id: "in 1", eventNumber: 1 })],
    changedAssumptions: [{ integration: null, changes: { "error.language": "pt" } }],
  },
  { payins: [WAITING] },
  {
    payouts: [
      payout({
        id: "out 1",
        ordinal: 3,
        idempotencyKey: "k3",
        webhookUrl: "http://h/",
        eventNumber: 3,
      }),
    ],
    deliveries: [PENDING],
  },
  {
    deliveries: [
      {
        ...PENDING,
        status: "delivered",
        nextAttemptAtMs: null,
        attempts: [attempt({ eventNumber: 5 })],
      },
    ],
  },
  {
    webhookConfigurations: [
      { integration: "shop", webhookUrl: "http://h/", events: ["payment.failed"] },
    ],
  },
  { clock: { mode: "frozen", nowMs: START_MS } },
  {
    payins: [{ ...WAITING, status: "paid", settledAtMs: 2, endToEndId: "E1", eventNumber: 8 }],
    clock: { mode: "frozen", nowMs: 5 },
  },
  { changedAssumptions: [{ integration: "shop", changes: { "webhook.timeout_seconds": 3 } }] },
  { clock: { mode: "real", offsetMs: -5 } },
];

/** How many event numbers are taken before each commit that no record shows. */
const TAKEN_BEFORE: readonly number[] = [0, 0, 0, 0, 0, 2, 0, 0, 1];

/** The number of the newest event after so many commits. */
const LAST_EVENT_NUMBERS: readonly number[] = [0, 1, 2, 4, 5, 5, 7, 8, 8, 9];

/** All that is known after so many commits. */
export const KNOWN: readonly string[] = Array.from({ length: COMMITS.length + 1 }, (_, count) =>
  foldChanges(COMMITS.slice(0, count)),
);

export let oneFile: Scene;
export let twoFiles: Scene;
export let compacted: Scene;
export let overlapping: Scene;
export let idle: Scene;
export let fresh: Scene;

/** What the tests put on the machine's disk. */
const folders: string[] = [];

/** Asks about one damaged state after another, and remembers where the answer was not the expected one. */
export class Judge {
  count = 0;
  wrong = 0;
  /** The first few of the wrong answers. */
  readonly failures: string[] = [];

  /** What `readStateFiles` makes of it. `split` is where the files' bytes arrive in two pieces. */
  async ask(title: string, files: Files, outcome: Outcome, split = this.count): Promise<void> {
    this.count++;
    const [found, wanted] = [await outcomeOfRebuild(files, split), tell(outcome)];
    if (found !== wanted) this.#fail(`${title}: ${found}, not: ${wanted}`);
  }

  /** What becomes of it on the machine's disk. */
  async askForReal(title: string, files: Files, outcome: Outcome): Promise<void> {
    this.count++;
    const checked =
      outcome.kind === "starts" ? expectStart(files, outcome) : expectRefusal(files, outcome);
    await checked.catch((error: Error) => this.#fail(`${title}: ${error.message}`));
  }

  #fail(failure: string): void {
    this.wrong++;
    if (this.failures.length < SHOWN_FAILURES) this.failures.push(failure);
  }
}

const SHOWN_FAILURES = 10;

/** Starts on the files: nothing is missing, nothing is too much, and what was torn off is kept. */
async function expectStart(
  files: Files,
  { commits, torn }: Outcome & { kind: "starts" },
): Promise<void> {
  const { file, folder } = await place(files);
  const before = await filesIn(folder);
  const sentences: string[] = [];
  const store = await openStateFile(file, { report: (text) => sentences.push(english(text)) });
  expect(knownIn(store)).toEqual(knownAfter(commits));

  if (torn) {
    expect(sentences).toEqual([
      expect.stringMatching(/^[^\n]+ was incomplete [^\n]+ saved in [^\n]+$/),
    ]);
    expect(sentences[0]).toContain(`Line ${torn.line} of ${path.join(folder, torn.file)} `);
    const asides = [...(await filesIn(folder))].filter(
      ([name]) => !before.has(name) && name.includes(".torn-"),
    );
    const tail = files.get(torn.file)?.subarray(torn.offset);
    expect(asides.map(([, bytes]) => toText(bytes))).toEqual([toText(tail)]);
    expect(sentences[0]).toContain(path.join(folder, asides[0]?.[0] ?? ""));
  } else expect(sentences).toEqual([]);

  // What is written after a damage is found again after a crash, and after an end in good order.
  store.commit({ clock: { mode: "real", offsetMs: 77 } });
  await store.durable();
  const copy = await place(await filesIn(folder));
  const known = knownIn(store);
  await store.close();
  expect((await knownAfterStart(copy.file)).known).toBe(known.known);
  expect((await knownAfterStart(file)).known).toBe(known.known);
}

/** Refuses the files, changes nothing, and starts on what is left if the refusal's advice is followed. */
async function expectRefusal(
  files: Files,
  { commits, at }: Outcome & { kind: "refused" },
): Promise<void> {
  const { file, folder } = await place(files);
  const refusal = await refusalOf(openStateFile(file));
  expect(refusal).toContain(`line ${at.line} of ${path.join(folder, at.file)} is damaged`);
  expect(refusal).toContain(
    at.line === 1
      ? "this journal, delete it and the later ones."
      : "delete this line, all lines after it",
  );
  expect(refusal).toContain(`move ${file} and its journals away`);
  await expectFiles(folder, files);

  const before = linesOf(files.get(at.file) ?? Buffer.alloc(0)).slice(0, at.line - 1);
  for (const name of files.keys())
    if (name.endsWith(".journal") && name >= at.file) await rm(path.join(folder, name));
  if (before.length > 0) await writeFile(path.join(folder, at.file), Buffer.concat(before));
  expect(await knownAfterStart(file)).toEqual(knownAfter(commits));
}

/** What is left of the last file of a journal that ends after so many bytes. */
export function afterCut(scene: Scene, file: string, length: number): Outcome {
  const complete = linesOf(bytesOf(scene, file).subarray(0, length));
  const start = lengthOfLines(complete);
  if (start === length)
    return { kind: "starts", commits: commitsAfter(scene, file, complete.length) };
  return tornAt(scene, file, complete.length, start);
}

/** A damaged byte costs its line where that is the last of all, and the start anywhere else. */
export function afterDamageAt(scene: Scene, file: string, position: number): Outcome {
  const bytes = bytesOf(scene, file);
  const complete = linesOf(bytes.subarray(0, position));
  const isLast = file === scene.journals.at(-1) && complete.length === linesOf(bytes).length - 1;
  if (isLast) return tornAt(scene, file, complete.length, lengthOfLines(complete));
  return {
    kind: "refused",
    commits: commitsAfter(scene, file, complete.length),
    at: { file, line: complete.length + 1 },
  };
}

/** How many commits are known once so many lines of a file are read; the state file may hold more. */
function commitsAfter({ base }: Scene, file: string, lines: number): number {
  return Math.max(base, firstOf(file) - 1 + lines);
}

export function tornAt(scene: Scene, file: string, complete: number, offset: number): Outcome {
  return {
    kind: "starts",
    commits: commitsAfter(scene, file, complete),
    torn: { file, line: complete + 1, offset },
  };
}

/** In a few words, so that tens of thousands are compared fast. */
function tell(outcome: Outcome): string {
  const { kind, commits } = outcome;
  if (kind === "refused")
    return `refused at line ${outcome.at.line} of ${outcome.at.file} behind ${commits} commits`;
  const { torn } = outcome;
  const tail = torn && `, line ${torn.line} of ${torn.file} torn at ${torn.offset}`;
  return `starts behind ${commits} commits${tail ?? ""}`;
}

/** What `readStateFiles` makes of it, in the same words where nothing is wrong with the records. */
async function outcomeOfRebuild(files: Files, split: number): Promise<string> {
  const rebuilt = await rebuildFrom(files, split);
  if (rebuilt instanceof StateFileError) return `refused: ${rebuilt.message}`;
  const { db, damages, tornTail } = rebuilt;
  const { records, sequence: commits } = db.data;
  if (!isDeepStrictEqual(knownIn({ records }), knownAfter(commits)))
    return `records that never were, after ${commits} commits: ${JSON.stringify(records.toChange())}`;
  const [damage, more] = damages.map(({ file, line }) => ({ file: path.basename(file), line }));
  if (more) return `more than one damage: line ${more.line} of ${more.file}`;
  if (damage) return tell({ kind: "refused", commits, at: damage });
  const torn = tornTail && { ...tornTail, file: path.basename(tornTail.file) };
  return tell({ kind: "starts", commits, torn });
}

export async function rebuildFrom(
  files: Files,
  split: number,
): Promise<StateFiles | StateFileError> {
  const disk = new ReadOnlyDisk(files, split);
  try {
    return await readStateFiles(disk, new StateNames(disk.at(STATE)));
  } catch (error) {
    if (error instanceof StateFileError) return error;
    throw error;
  }
}

/** Runs a real state file in a folder of its own, and takes what a process leaves that dies at that moment. */
async function abandon(
  run: (open: (disk?: Disk, timer?: FakeAlarm) => Promise<Store>) => Promise<() => void>,
): Promise<Files> {
  const folder = await newFolder();
  const stores: Store[] = [];
  const letGo = await run(async (disk = realDisk, timer = new FakeAlarm()) => {
    const store = await openStateFile(path.join(folder, STATE), { disk, timer });
    stores.push(store);
    return store;
  });
  const files = await filesIn(folder);
  letGo();
  for (const store of stores) await store.close();
  return files;
}

async function commit(store: Store, from: number, to: number): Promise<void> {
  for (let number = from; number <= to; number++) {
    for (let taken = 0; taken < (TAKEN_BEFORE[number - 1] ?? 0); taken++)
      store.records.takeEventNumber();
    store.commit(COMMITS[number - 1] ?? {});
  }
  await store.durable();
}

const NOTHING_TO_LET_GO = (): void => undefined;

async function abandonedWithOneFile(): Promise<Scene> {
  const files = await abandon(async (open) => {
    const first = await open();
    await commit(first, 1, 1);
    await first.close();
    await commit(await open(), 2, 6);
    return NOTHING_TO_LET_GO;
  });
  return { files, base: 1, journals: ["state.json.2.journal"] };
}

/**
 * Dies before the new state file has its name, or before the old journal is removed.
 * @param isLate whether the new state file was begun after the new journal had its first lines
 */
async function abandonedInRenewal(step: "rename" | "remove", isLate = false): Promise<Scene> {
  const files = await abandon(async (open) => {
    const first = await open();
    await commit(first, 1, 4);
    await first.close();
    const begun = new ConcurrencyLimiter();
    const end = new ConcurrencyLimiter();
    const disk: Disk = {
      ...realDisk,
      syncFolder: async (name) => {
        await begun.pass();
        await realDisk.syncFolder(name);
      },
      rename: async (from, to) => {
        if (step === "rename") await end.pass();
        await realDisk.rename(from, to);
      },
      remove: async (name) => {
        if (step === "remove") await end.pass();
        await realDisk.remove(name);
      },
    };
    const timer = new FakeAlarm();
    begun.open();
    const store = await open(disk, timer);
    await commit(store, 5, 6);
    if (isLate) begun.shut();
    timer.ring();
    if (isLate) {
      await begun.reached();
      const durable = commit(store, 7, 9);
      begun.open();
      await durable;
    }
    await end.reached();
    if (!isLate) await commit(store, 7, 9);
    return () => end.open();
  });
  if (step === "rename")
    return { files, base: 4, journals: ["state.json.5.journal", "state.json.7.journal"] };
  return { files, base: isLate ? 9 : 6, journals: ["state.json.7.journal"] };
}

/** Whoever comes waits while it is shut. */
class ConcurrencyLimiter {
  #came = deferred();
  #opened = deferred();

  async pass(): Promise<void> {
    this.#came.resolve();
    await this.#opened.promise;
  }

  reached(): Promise<void> {
    return this.#came.promise;
  }

  open(): void {
    this.#opened.resolve();
  }

  shut(): void {
    this.#came = deferred();
    this.#opened = deferred();
  }
}

/** Dies, is started again, and dies before anything has happened. */
async function abandonedIdle(): Promise<Scene> {
  const { files: before } = await abandonedWithOneFile();
  const { file, folder } = await place(before);
  const store = await openStateFile(file);
  const files = await filesIn(folder);
  await store.close();
  return { files, base: 1, journals: ["state.json.2.journal"] };
}

async function abandonedAtFirst(): Promise<Scene> {
  const files = await abandon(async (open) => {
    await commit(await open(), 1, 6);
    return NOTHING_TO_LET_GO;
  });
  return { files, base: 0, journals: ["state.json.1.journal"] };
}

/** The rows that changes leave behind, worked out without the code that is tested. */
function foldChanges(changes: readonly Change[]): string {
  const lists = {
    payins: new Map<unknown, unknown>(),
    payouts: new Map<unknown, unknown>(),
    deliveries: new Map<unknown, unknown>(),
    webhookConfigurations: new Map<unknown, unknown>(),
    changedAssumptions: new Map<unknown, unknown>(),
  };
  const settings: Pick<Change, "clock" | "identity"> = {};
  for (const { clock, identity, ...rows } of changes) {
    for (const [name, list] of Object.entries(rows))
      for (const row of list as readonly { id?: string; integration: string | null }[])
        lists[name as keyof typeof lists].set(row.id ?? row.integration, row);
    Object.assign(settings, clock && { clock }, identity && { identity });
  }
  const { clock, identity } = settings;
  const all = Object.entries(lists).map(([name, rows]) => [name, [...rows.values()]]);
  return JSON.stringify({ ...Object.fromEntries(all), clock, identity });
}

export function knownAfter(commits: number) {
  return { known: KNOWN[commits], lastEventNumber: LAST_EVENT_NUMBERS[commits] };
}

export function knownIn({ records }: Pick<Store, "records">) {
  return { known: JSON.stringify(records.toChange()), lastEventNumber: records.lastEventNumber };
}

export async function knownAfterStart(file: string) {
  const sentences: string[] = [];
  const store = await openStateFile(file, { report: (text) => sentences.push(english(text)) });
  const known = knownIn(store);
  await store.close();
  expect(sentences).toEqual([]);
  return known;
}

export async function refusalOf(refused: Promise<unknown>): Promise<string> {
  const error = await refused.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StateFileError);
  return (error as Error).message;
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "pix-sandbox-damage-"));
  folders.push(folder);
  return folder;
}

/** Puts files into a folder of their own on the machine's disk. */
export async function place(files: Files): Promise<{ folder: string; file: string }> {
  const folder = await newFolder();
  for (const [name, bytes] of files) await writeFile(path.join(folder, name), bytes);
  return { folder, file: path.join(folder, STATE) };
}

export async function filesIn(folder: string): Promise<Map<string, Buffer>> {
  const names = (await readdir(folder)).filter((name) => !isLock(name)).toSorted();
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, await readFile(path.join(folder, name))] as const),
    ),
  );
}

export async function expectFiles(folder: string, files: Files): Promise<void> {
  const [found, wanted] = [await filesIn(folder), files].map((some) =>
    Object.fromEntries([...some].map(([name, bytes]) => [name, toText(bytes)])),
  );
  expect(found).toEqual(wanted);
}

/** Byte for byte, and compared faster than bytes are. */
export function toText(bytes: Buffer | undefined): string | undefined {
  return bytes?.toString("latin1");
}

export function readAll(paths: readonly string[]): Promise<(string | undefined)[]> {
  return Promise.all(paths.map(async (name) => toText(await readFile(name))));
}

export function withFile({ files }: Scene, name: string, bytes: Buffer | undefined): Files {
  const changed = new Map(files);
  if (bytes) changed.set(name, bytes);
  else changed.delete(name);
  return changed;
}

export function bytesOf({ files }: Scene, name: string): Buffer {
  const bytes = files.get(name);
  if (!bytes) throw new Error(`There is no ${name}.`);
  return bytes;
}

/** The lines that are complete, each with its line feed. */
export function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (;;) {
    const end = bytes.indexOf("\n", start);
    if (end < 0) break;
    lines.push(bytes.subarray(start, end + 1));
    start = end + 1;
  }
  return lines;
}

export function lengthOfLines(lines: readonly Buffer[]): number {
  return lines.reduce((length, line) => length + line.length, 0);
}

export function lastLineOf(bytes: Buffer): { start: number } {
  return { start: lengthOfLines(linesOf(bytes).slice(0, -1)) };
}

/** The number of the commit that a journal's file begins with. */
export function firstOf(file: string): number {
  return Number(/\.(\d+)\.journal$/.exec(file)?.[1]);
}

/** Creates what the tests of a file damage. */
export function useCorpus(): void {
  beforeAll(async () => {
    [oneFile, twoFiles, compacted, overlapping, idle, fresh] = await Promise.all([
      abandonedWithOneFile(),
      abandonedInRenewal("rename"),
      abandonedInRenewal("remove"),
      abandonedInRenewal("remove", true),
      abandonedIdle(),
      abandonedAtFirst(),
    ]);
  });
  afterAll(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });
}
