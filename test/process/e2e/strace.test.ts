import { appendFile, cp, mkdir, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Serving, startServe } from "../../support/cli.ts";
import { createFolder } from "../../support/folder.ts";
import type { Ended } from "../../support/process.ts";
import { callsTo, type Shown } from "../../support/calls.ts";
import { startMerchant } from "../../support/merchant.ts";
import {
  readTrace,
  serveUnder,
  type StatePart,
  startUnder,
  TRACED,
  type TracedCall,
  type TracedName,
  tracing,
  untilReady,
  untilRenewed,
} from "../../support/traced.ts";
import { isLock } from "../../support/lock.ts";
import { Book, knownBy, type Settlement } from "./book.ts";
import { lacks } from "../../support/lacks.ts";
import type { StoredState } from "./disk.ts";

/** Every point of a run takes minutes: that is done when it is asked for, otherwise a few of them are enough. */
const HAS_ALL_ROUNDS = process.env["PIX_CRASH_ROUNDS"] !== undefined;
const AT_ONCE = { concurrent: true, timeout: HAS_ALL_ROUNDS ? 3_600_000 : 120_000 };

/** Each with a part of the state that is of interest where one point has to do. */
const ERRORS: readonly (readonly [TracedName, string, StatePart])[] = [
  ["pwrite64", "EIO", "journal"],
  ["pwrite64", "ENOSPC", "journal"],
  ["fdatasync", "EIO", "new state file"],
  ["fsync", "EIO", "folder"],
  ["rename", "EACCES", "new state file"],
  ["openat", "EMFILE", "new state file"],
  ["fchmod", "EPERM", "journal"],
  ["unlink", "EACCES", "journal"],
];

/** A state whose last process was killed in the middle of a line, and what it had acknowledged. */
let base: Awaited<ReturnType<typeof createBase>>;

/** How a run is brought to its end: as a user does it, or without a chance to merge anything. */
type End = "SIGINT" | "SIGKILL";

/** The calls of a run in which nothing interferes, by how it ends. */
const undisturbed = new Map<End, readonly TracedCall[]>();
const hits = new Map<string, number>();

beforeEach((context) => {
  if (lacks("strace")) context.skip();
});

beforeAll(async () => {
  if (lacks("strace")) return;
  base = await createBase();
  for (const end of ["SIGINT", "SIGKILL"] as const) {
    await inRun({ end }, async (run) => {
      expectUndisturbed(run, end);
      await expectAllKept(run);
      undisturbed.set(end, run.calls);
    });
  }
}, 60_000);

afterAll(async () => {
  await base?.merchant.close();
  await base?.folder[Symbol.asyncDispose]();
  if (!HAS_ALL_ROUNDS || lacks("strace")) return;
  const kinds = [...hits].toSorted(([one], [other]) => one.localeCompare(other));
  const counts = kinds.map(([kind, count]) => `${count} ${kind}`).join(", ");
  process.stderr.write(`Interfered with ${runs} runs: ${counts}.\n`);
});

describe("a sandbox that is killed", AT_ONCE, () => {
  it.each(TRACED.filter((name) => HAS_ALL_ROUNDS || !/^(open|fch|ftr)/.test(name)))(
    `loses nothing and halves nothing, be it at ${HAS_ALL_ROUNDS ? "any" : "one"} %s`,
    async (name) => {
      await interfere({ name, how: "signal=KILL" }, async (run) => {
        expect(run.ended.code).toBe(run.isHit ? null : 0);
        await expectAllKept(run);
      });
    },
  );
});

describe("a sandbox whose disk fails once", AT_ONCE, () => {
  it.each(HAS_ALL_ROUNDS ? ERRORS : ERRORS.slice(0, 5))(
    `goes on, says so and loses nothing, be it at ${HAS_ALL_ROUNDS ? "any" : "one"} %s (%s)`,
    async (name, error, part) => {
      await interfere({ name, how: `error=${error}`, part }, async (run, hit) => {
        // Not reported: a journal that is not needed any more, which the next start removes, a disk that keeps no
        // file modes, and files that are not part of the state.
        expectSaid(run, name !== "unlink" && name !== "fchmod" && hit !== undefined);
        await expectAllKept(run);
      });
    },
  );

  it.each(HAS_ALL_ROUNDS ? ERRORS : ERRORS.filter(([name]) => /^f(chmod|sync)$/.test(name)))(
    `loses nothing to a kill afterwards, be it at ${HAS_ALL_ROUNDS ? "any" : "one"} %s (%s)`,
    async (name, error, part) => {
      await interfere({ name, how: `error=${error}`, part, end: "SIGKILL" }, expectAllKept);
    },
  );

  it("can be stopped although it failed later than a pause would have been over", async () => {
    const how = "error=EIO:delay_enter=1500000";
    await interfere({ name: "pwrite64", how, part: "journal", isOnce: true }, async (run) => {
      expectSaid(run, true);
      await expectAllKept(run);
    });
  });
});

describe("a response", AT_ONCE, () => {
  it("is sent when the write of its journal line has returned, to a file whose writes are synced", async () => {
    await using folder = await createFolder();
    const log = folder.at("log");
    const wrapper = `strace -D -f -qq -y -s 12 -e trace=openat,pwrite64,write,writev -o ${log}`;
    await using sandbox = await serveUnder(wrapper.split(" "), ["--state", folder.at("s.json")]);
    const calls = callsTo(sandbox.url);
    expect((await calls.createPayin({ webhook_url: "http://127.0.0.1:9/hook" })).status).toBe(200);
    await sandbox.stop("SIGKILL");

    const lines = (await readFile(log, "utf8")).split("\n");
    const opened = lines.filter((line) => /openat\(.*O_CREAT.*\.journal>/.test(line));
    expect(opened).toEqual([expect.stringContaining("|O_DSYNC")]);
    const responseAt = lines.findIndex((line) => line.includes('"HTTP/1.1 200'));
    const written = lines.flatMap((line, at) =>
      /pwrite64\(.*\.journal>/.test(line) ? [[at, endOf(lines, at)]] : [],
    );
    expect(written.flat()).not.toEqual([]);
    for (const at of written.flat()) expect(at).toBeLessThan(responseAt);
  });
});

/** Where strace wrote down that a call had ended: in the same line, unless other calls came in between. */
function endOf(lines: readonly string[], at: number): number {
  const line = lines[at] ?? "";
  if (!line.endsWith("<unfinished ...>")) return at;
  const thread = /^\d+ /.exec(line)?.[0] ?? "";
  const end = lines.findIndex((later, place) => place > at && later.startsWith(thread));
  expect(lines[end]).toContain("pwrite64 resumed");
  return end;
}

interface Interference {
  readonly name: TracedName;
  readonly how: string;
  readonly part?: StatePart;
  /** Default `SIGINT`. */
  readonly end?: End;
  /** At one point, even where all are asked for. */
  readonly isOnce?: boolean;
}

/** Interferes with run after run, each at a later point, until one has no such point any more. */
async function interfere(
  { name, how, part, end = "SIGINT", isOnce = !HAS_ALL_ROUNDS }: Interference,
  look: (run: Run, hit: StatePart | undefined) => Promise<void>,
): Promise<void> {
  const reached = new Set<string>();
  const failures: string[] = [];
  const points = pointsIn(name, end);
  for (const nth of isOnce ? pointsNear(points, part) : pointsFrom(points)) {
    let run: Run | undefined;
    try {
      await inRun({ injection: `${name}:${how}:when=${nth}`, end }, async (one) => {
        run = one;
        await look(one, firstOf(one.calls, name, nth)?.part);
      });
    } catch (error) {
      failures.push((error as Error).message);
    }
    if (!run?.isHit) {
      if (isOnce) continue;
      break;
    }
    const hit = firstOf(run.calls, name, nth)?.part ?? "elsewhere";
    reached.add(hit);
    const title = `${how} at ${name} (${hit})`;
    hits.set(title, (hits.get(title) ?? 0) + 1);
    if (isOnce && (part === undefined ? hit !== "elsewhere" : hit === part))
      return expectNone(failures);
  }
  expectNone(failures);
  // Where everything was to be hit, nothing that a run does to the state was left out.
  if (isOnce) expect([...reached]).toContain(part ?? "a part of the state");
  else for (const wanted of partsIn(name, end)) expect(reached).toContain(wanted);
}

function expectNone(failures: readonly string[]): void {
  expect(failures).toEqual([]);
}

function expectUndisturbed({ ended, book }: Run, end: End): void {
  const expected = end === "SIGKILL" ? { code: null, signal: end } : { code: 0, signal: null };
  expect(ended).toMatchObject(expected);
  expect(book.hasRefusals).toBe(false);
}

/** What a run that is interfered with at the `nth` call of a name is interfered with at: strace counts for each thread. */
function firstOf(calls: readonly TracedCall[], name: TracedName, nth: number) {
  return calls.find((call) => call.name === name && call.nth === nth);
}

/** The calls of a name that are about the state, and that can be interfered with, in a run with such an end. */
function pointsIn(name: TracedName, end: End): readonly TracedCall[] {
  const calls = undisturbed.get(end) ?? [];
  const points = calls.filter(
    (call) => call.name === name && call.part && firstOf(calls, name, call.nth) === call,
  );
  if (points.length === 0) throw new Error(`The store does not call ${name}.`);
  return points;
}

/** The parts of the state that calls of a name are about in every run with such an end. */
function partsIn(name: TracedName, end: End): readonly string[] {
  if (name === "write") return ["journal", "new state file"];
  return pointsIn(name, end).flatMap(({ part }) => part ?? []);
}

/** All points, and those that a run may have beyond the last. */
function* pointsFrom(points: readonly TracedCall[]): Generator<number> {
  for (const { nth } of points) yield nth;
  for (let nth = (points.at(-1)?.nth ?? 0) + 1; ; nth++) yield nth;
}

/**
 * Some in the middle of a run: of its start and its end there is only one each. No two runs make all their
 * calls alike, nor in the same threads: one point may be about something else, and a late one may not be there.
 */
function pointsNear(all: readonly TracedCall[], part: StatePart | undefined): readonly number[] {
  const points = all.filter((call) => part === undefined || call.part === part);
  const middle = points.length >> 1;
  const nearest = [...points.slice(0, middle + 1).toReversed(), ...points.slice(middle + 1)];
  return [...new Set(nearest.map(({ nth }) => nth))].slice(0, MAX_TRIES);
}

const MAX_TRIES = 10;

interface Run {
  /** Whether it was interfered with. */
  readonly isHit: boolean;
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
  readonly webhookUrl: string;
  readonly book: Book;
  readonly wasReady: boolean;
  readonly ended: Ended;
  readonly calls: readonly TracedCall[];
}

/** A state whose last process was killed in the middle of a line, and what it had acknowledged. */
async function createBase() {
  const folder = await createFolder();
  const merchant = await startMerchant();
  const file = folder.at("state/state.json");
  await using sandbox = await startServe(["--state", file], { env: { TMPDIR: folder.path } });
  const { url } = sandbox;
  const book = new Book();
  await book.create(url, "payin", "base payin 1", membersFor(merchant.url, 0));
  await untilRenewed(file);
  await book.create(url, "payin", "base payin 2", membersFor(merchant.url, 0));
  await book.create(url, "payout", "base payout", membersFor(merchant.url, 0));
  await book.settle(url, "base payin 1");
  await callsTo(url).advance(0);
  await sandbox.stop("SIGKILL");
  const names = await readdir(folder.at("state"));
  const journal = names.find((name) => name.endsWith(".journal")) ?? "";
  await appendFile(folder.at(`state/${journal}`), '{"crc32":"01234567","sequence":');
  return { folder, book, merchant };
}

let runs = 0;

/** One run on a copy of the base: as much as happens until it ends, by itself or because it is asked to. */
async function inRun<Result>(
  { injection, end = "SIGINT" }: { readonly injection?: string; readonly end?: End },
  look: (run: Run) => Promise<Result>,
): Promise<Result> {
  await using folder = await createFolder();
  // What was killed has left its lock, which is no file that can be copied.
  const filter = (name: string): boolean => !isLock(name);
  await cp(base.folder.at("state"), folder.at("state"), { recursive: true, filter });
  await mkdir(folder.at("tmp"));
  const file = folder.at("state/state.json");
  const webhookUrl = base.merchant.at(`/${++runs}`);
  const book = new Book(base.book.creations, base.book.settlements);
  const { wrapper, env } = tracing(folder.at("log"), injection);
  const surroundings = { TMPDIR: folder.at("tmp") };
  await using program = startUnder(wrapper, ["--json", "--state", file], {
    env: { ...env, ...surroundings },
  });
  try {
    const serving = await untilReady(program);
    if (serving) {
      // A kill is one of its ends, and whatever was asked by then is still open in the book.
      await act(serving, file, book, webhookUrl).catch((error: Error) => {
        if (!isUnanswered(error)) throw error;
      });
      program.process.kill(end);
    }
    const ended = await program.ended;
    const log = await readFile(folder.at("log"), "utf8");
    return await look({
      isHit: log.includes("(INJECTED)") || (ended.signal === "SIGKILL" && end !== "SIGKILL"),
      file,
      env: surroundings,
      webhookUrl,
      book,
      wasReady: serving !== undefined,
      ended,
      calls: readTrace(log, folder.at("state")),
    });
  } catch (error) {
    if (error instanceof Error)
      error.message = `With ${injection}: ${error.message}\n${program.stderr}`;
    throw error;
  }
}

/**
 * What a merchant does: one by one, then after a pause that is long enough for a compaction all at once.
 * Not before, since what comes at once is not written in the same pieces each time.
 */
async function act(serving: Serving, file: string, book: Book, webhookUrl: string): Promise<void> {
  const { url } = serving;
  await book.create(url, "payin", "payin 1", membersFor(webhookUrl, 1));
  await book.create(url, "payin", "payin 2", membersFor(webhookUrl, 2));
  await book.settle(url, "payin 1");
  await untilTold(url);
  await book.create(url, "payout", "payout 3", membersFor(webhookUrl, 3));
  await book.create(url, "payout", "rival of payout 3", membersFor(webhookUrl, 3));
  await untilTold(url);

  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  serving.ended.then(interrupt, interrupt);
  serving.lines("stderr", 1, (line) => /merged|refused/.test(line)).then(interrupt, interrupt);
  await untilRenewed(file, interrupted.signal);

  await Promise.all([
    book.settle(url, "payin 2"),
    book.settle(url, "payout 3"),
    book.settle(url, "base payin 2"),
    book.create(url, "payin", "payin 4", membersFor(webhookUrl, 4)),
    book.create(url, "payout", "payout 5", membersFor(webhookUrl, 5)),
    book.create(url, "payin", "payin 6", membersFor(webhookUrl, 6)),
  ]);
  await untilTold(url);
  await book.create(url, "payin", "last payin", membersFor(webhookUrl, 9));
  expectAsInBook(await readRecords(url), book, "is known");
}

/** No two go to the same receiver, but for rivals. */
function membersFor(webhook_url: string, number: number): Readonly<Record<string, unknown>> {
  const receiver_cpf = `5299822472${number}`;
  return { webhook_url, expiration: 172_800, receiver_cpf, pix_key: receiver_cpf };
}

/** Lets the attempts of webhooks end. */
async function untilTold(url: string): Promise<void> {
  const answer = await callsTo(url).gateway("POST", "/_sandbox/clock/advance", { seconds: 0 });
  knownBy(answer);
}

/** What `fetch` throws where a connection ends, or cannot be made. */
function isUnanswered(error: Error): boolean {
  return error instanceof TypeError && error.message === "fetch failed";
}

/** One sentence for whoever looks after the machine, and whatever cannot be kept is refused. */
function expectSaid({ isHit, ended, wasReady, book }: Run, isOfConcern: boolean): void {
  expect(ended.stderr).not.toMatch(/^ {4}at |unexpected/im);
  if (!wasReady) {
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 9, stdout: "" });
    const { error } = JSON.parse(ended.stderr.trim().split("\n").at(-1) ?? "") as {
      error: { code: string; message: string };
    };
    expect(error.code).toMatch(/^STATE_/);
    expect(error.message).toMatch(/\.$/);
    return;
  }
  expect({ code: ended.code, signal: ended.signal }).toEqual({ code: 0, signal: null });
  if (book.hasRefusals) {
    expect(ended.stderr).toContain("Changes are refused until writing works again");
    const last = book.creations.find(({ description }) => description === "last payin");
    // By then it may have recovered, and says so.
    if (last?.known !== "acknowledged") expect(last?.known).toBe("refused");
    else expect(ended.stderr).toContain("changes are accepted");
  } else if (isHit && isOfConcern) expect(ended.stderr).toContain("could not be merged");
}

interface Recorded extends Shown {
  readonly description: string;
}

interface AllRecords {
  readonly payins: readonly Recorded[];
  readonly payouts: readonly Recorded[];
  readonly deliveries: readonly Shown[];
}

async function readRecords(url: string): Promise<AllRecords> {
  const calls = callsTo(url);
  const list = async (nouns: string): Promise<readonly Recorded[]> =>
    (await calls.control<{ data: readonly Recorded[] }>("GET", `/${nouns}?limit=1000`)).data;
  return {
    payins: await list("payins"),
    payouts: await list("payouts"),
    deliveries: await calls.deliveries(),
  };
}

/** What tells a merchant of a status. */
const EVENTS: Readonly<Record<string, string>> = {
  "payin completed": "payin.paid",
  "payout completed": "payout.completed",
  "payout canceled": "payout.canceled",
};

/**
 * What was acknowledged is there once, nothing is there that was not asked for, and a status and the
 * event that tells of it are there together. What was refused may be there after a kill, since the
 * disk that refused it may have had it, but is not known while the program runs that refused it.
 */
function expectAsInBook(
  { payins, payouts, deliveries }: AllRecords,
  book: Book,
  refused: "is known" | "may have happened",
): void {
  const records = [
    ...payins.map((record) => ({ ...record, noun: "payin" })),
    ...payouts.map((record) => ({ ...record, noun: "payout" })),
  ];
  for (const { description, known, answer } of book.creations) {
    const found = records.filter((record) => record.description === description);
    const ids = found.map(({ id }) => id);
    if (known === "acknowledged") expect(ids).toEqual([answer?.id]);
    else if (known === "refused" && refused === "is known") expect(ids).toEqual([]);
    else expect(ids.length).toBeLessThanOrEqual(1);
    if (answer) expect(found[0]?.qr_code).toBe(answer.qr_code);
  }
  const asked = book.creations.map(({ description }) => description);
  expect(asked).toEqual(expect.arrayContaining(records.map(({ description }) => description)));

  for (const { id, noun, status, description } of records) {
    const settlement = book.settlements.find((one) => one.id === id);
    expect(statusesOf(description, settlement, refused, book)).toContain(status);
    const told = deliveries.filter(({ transaction_id }) => transaction_id === id);
    const event = EVENTS[`${noun} ${status}`];
    expect(told.map(({ type }) => type)).toEqual(event === undefined ? [] : [event]);
  }
}

function statusesOf(
  description: string,
  settlement: Settlement | undefined,
  refused: "is known" | "may have happened",
  book: Book,
): readonly string[] {
  const isFirstRefused = book.creations.some(
    (creation) => creation.description === "payout 3" && creation.wasRefused,
  );
  // Of two rivals the second is canceled in the commit that creates it. If the first was refused, it may be the second.
  if (description === "rival of payout 3")
    return isFirstRefused ? ["waiting", "canceled"] : ["canceled"];
  if (description === "payout 3" && isFirstRefused) return ["waiting", "canceled"];
  if (settlement?.known === "acknowledged") return ["completed"];
  const isOver = settlement?.known === "refused" && refused === "is known";
  return settlement === undefined || isOver ? ["waiting"] : ["waiting", "completed"];
}

/** A plain start afterwards has all of it, answers repeats, tells what has not been told, and leaves one file. */
async function expectAllKept({ file, env, webhookUrl, book }: Run): Promise<void> {
  await using sandbox = await startServe(["--state", file], { env });
  const { url } = sandbox;
  const before = await readRecords(url);
  expectAsInBook(before, book, "may have happened");

  for (const creation of book.creations) {
    const { known, answer, description } = creation;
    const { status, headers, body } = await book.ask(url, creation);
    expect(status).toBe(200);
    const kept = [...before.payins, ...before.payouts].find(
      (record) => record.description === description,
    );
    expect(headers.get("idempotent-replayed")).toBe(kept ? "true" : null);
    if (kept) expect(body.id).toBe(kept.id);
    if (known === "acknowledged") expect(body).toEqual(answer);
  }
  for (const settlement of book.settlements.filter(({ known }) => known !== "acknowledged")) {
    const { status } = await callsTo(url).simulate(settlement.noun, settlement.id);
    // The second where it had happened already.
    expect([200, 422]).toContain(status);
    settlement.known = "acknowledged";
  }
  await untilTold(url);
  const after = await readRecords(url);
  expectAsInBook(after, book, "is known");

  // Nothing was told that did not happen, and all of it was.
  const received = base.merchant.received.filter(({ path: one }) => webhookUrl.endsWith(one));
  const own = after.deliveries.filter((delivery) => delivery.url === webhookUrl);
  const toldIds = new Set(received.map(({ headers }) => headers["webhook-id"]));
  expect(toldIds).toEqual(new Set(own.map(({ id }) => id)));
  const bodies = new Set(own.map(({ body }) => body));
  for (const { body } of received) expect(bodies).toContain(body);

  expect((await sandbox.stop()).code).toBe(0);
  for (const line of sandbox.stderr.split("\n").filter((one) => one !== ""))
    expect(line).toMatch(/ is incomplete or damaged, as a crash leaves it\. .+\.$/);
  const names = await readdir(path.dirname(file));
  expect(names.filter((name) => !name.includes(".torn-"))).toEqual(["state.json"]);
  const state = JSON.parse(await readFile(file, "utf8")) as StoredState & {
    readonly deliveries: readonly { readonly id: string }[];
  };
  const idsOf = (rows: readonly { readonly id: string }[]): string[] =>
    rows.map(({ id }) => id).toSorted();
  expect(idsOf(state.transactions.map(({ record }) => record))).toEqual(
    idsOf([...after.payins, ...after.payouts]),
  );
  expect(idsOf(state.deliveries)).toEqual(idsOf(after.deliveries));
}
