import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { type Store } from "../../../src/core/state/ports.ts";
import { openStateFile } from "../../../src/store/file/state-file.ts";
import { delivery, payin, payout } from "../../support/core.ts";

export const STATE = "state.json";
export const JOURNAL = "state.json.2.journal";
export const NEXT_JOURNAL = "state.json.5.journal";

type Files = ReadonlyMap<string, Buffer>;

export let folder: string;
export let file: string;
let count = 0;
export const open: Store[] = [];

/** States of every kind, and how many of their commits can be read. */
export const KINDS: readonly (readonly [
  string,
  (files: Map<string, Buffer>) => void,
  number,
  boolean,
])[] = [
  ["sound", () => undefined, 6, true],
  [
    "with a last line that was not finished",
    (files) => change(files, NEXT_JOURNAL, (bytes) => bytes.subarray(0, -9)),
    5,
    true,
  ],
  ["with a damaged line", (files) => change(files, JOURNAL, (bytes) => garble(bytes, 1)), 2, false],
  [
    "with a damaged line in a later journal",
    (files) => change(files, NEXT_JOURNAL, (bytes) => garble(bytes, 0)),
    4,
    false,
  ],
  ["with a garbled record", (files) => change(files, STATE, (bytes) => garble(bytes, 6)), 6, false],
  [
    "with a garbled record and a damaged line",
    (files) => {
      change(files, STATE, (bytes) => garble(bytes, 6));
      change(files, JOURNAL, (bytes) => garble(bytes, 1));
    },
    2,
    false,
  ],
  [
    "without a line of the journal",
    (files) => change(files, JOURNAL, (bytes) => without(bytes, 1)),
    2,
    false,
  ],
  ["without the first of its journals", (files) => files.delete(JOURNAL), 1, false],
];

/** What two processes leave that die one after the other: a state file of one commit, and two journals. */
export let sound: Files = new Map();

async function soundFiles(): Promise<Files> {
  if (sound.size > 0) return sound;
  const first = await newFolder(new Map());
  const begun = await openStateFile(path.join(first, STATE));
  begun.commit({
    identity: { seed: "42", secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
    payins: [payin({ id: "in 1" }), payin({ id: "in 0", idempotencyKey: "0" })],
  });
  await begun.close();
  const died = await openStateFile(path.join(first, STATE));
  open.push(died);
  died.commit({ payins: [payin({ id: "in 2", ordinal: 2, idempotencyKey: "2", eventNumber: 2 })] });
  died.commit({ payouts: [payout({ ordinal: 3, idempotencyKey: "3", eventNumber: 3 })] });
  died.commit({ deliveries: [delivery({ eventNumber: 4 })] });
  await died.durable();
  const second = await newFolder(await filesIn(first));
  const diedToo = await openStateFile(path.join(second, STATE));
  open.push(diedToo);
  diedToo.commit({
    payins: [payin({ id: "in 3", ordinal: 4, idempotencyKey: "4", eventNumber: 5 })],
  });
  diedToo.commit({ clock: { mode: "real", offsetMs: 1 } });
  await diedToo.durable();
  sound = await filesIn(second);
  expect([...sound.keys()]).toEqual([STATE, JOURNAL, NEXT_JOURNAL]);
  return sound;
}

export async function filesOf(damage: (files: Map<string, Buffer>) => void): Promise<Files> {
  const files = new Map(await soundFiles());
  damage(files);
  return files;
}

/** What the damage leaves, as the first so many commits of a sound state tell it, less what was garbled. */
export async function expectedAfter(
  damage: (files: Map<string, Buffer>) => void,
  commits: number,
): Promise<unknown> {
  const files = new Map(await soundFiles());
  const lines = [JOURNAL, NEXT_JOURNAL].flatMap((name) => linesOf(files.get(name)));
  const kept = lines.slice(0, commits - 1);
  files.delete(NEXT_JOURNAL);
  files.set(JOURNAL, Buffer.concat(kept));
  const own = await newFolder(files);
  const known = JSON.parse(await knownIn(path.join(own, STATE))) as { payins: { id: string }[] };
  const damaged = new Map(await soundFiles());
  damage(damaged);
  const isGarbled = !damaged.get(STATE)?.includes('"id":"in 1"');
  if (isGarbled) known.payins = known.payins.filter(({ id }) => id !== "in 1");
  return JSON.stringify(known);
}

export function change(
  files: Map<string, Buffer>,
  name: string,
  how: (bytes: Buffer) => Buffer,
): void {
  files.set(name, how(files.get(name) ?? Buffer.alloc(0)));
}

/** One line of it, counted from 0, is written over. */
export function garble(bytes: Buffer, index: number): Buffer {
  return Buffer.concat(
    linesOf(bytes).map((line, number) =>
      number === index ? Buffer.from(`${"#".repeat(line.length - 1)}\n`) : line,
    ),
  );
}

function without(bytes: Buffer, index: number): Buffer {
  return Buffer.concat(linesOf(bytes).toSpliced(index, 1));
}

function linesOf(bytes: Buffer | undefined): Buffer[] {
  const texts = (bytes?.toString("latin1") ?? "").split(/(?<=\n)/);
  return texts.map((text) => Buffer.from(text, "latin1"));
}

export async function knownIn(state: string): Promise<string> {
  const store = await openStateFile(state);
  const known = JSON.stringify(store.records.toChange());
  await store.close();
  return known;
}

export async function newFolder(files: Files): Promise<string> {
  const own = path.join(folder, `own ${++count}`);
  await mkdir(own);
  await place(own, files);
  return own;
}

export async function place(into: string, files: Files): Promise<void> {
  for (const [name, bytes] of files) await writeFile(path.join(into, name), bytes);
}

export async function filesIn(from: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.isFile()) files.set(entry.name, await readFile(path.join(from, entry.name)));
  }
  return new Map([...files].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** All that a change would show in: the bytes, the times, the permissions and which file it is. */
export async function look(at: string): Promise<unknown> {
  const seen: Record<string, unknown> = {};
  for (const name of ["", ...(await readdir(at)).toSorted()]) {
    const { mtimeMs, ctimeMs, mode, ino } = await stat(path.join(at, name));
    // A lock that comes and goes changes the times of the folder.
    seen[name] = name === "" ? { mode, ino } : { mtimeMs, ctimeMs, mode, ino };
  }
  const texts = [...(await filesIn(at))].map(([name, bytes]) => [name, bytes.toString("latin1")]);
  return { seen, texts };
}

/** The set-up of each test. */
export function useFolder(): void {
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "pix-sandbox-repair-"));
    file = path.join(folder, STATE);
  });
  afterEach(async () => {
    for (const store of open.splice(0)) await store.close().catch(() => undefined);
    await chmod(folder, 0o700);
    await rm(folder, { recursive: true, force: true });
  });
}
