import { randomInt } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Serving, startCli, startServe } from "../support/cli.ts";
import { createFolder } from "../support/folder.ts";
import { deferred, randomFrom, turns } from "../support/core.ts";
import {
  type Configuration,
  type Creation,
  Ledger,
  type Listed,
  type Listing,
  nextChanges,
  type Noun,
} from "../support/crash.ts";
import { type Calls, callsTo } from "../support/calls.ts";
import { type Merchant, startMerchant } from "../support/merchant.ts";

/** The figures of a run with PIX_CRASH_ROUNDS=n rounds are printed. */
const { PIX_CRASH_ROUNDS, PIX_CRASH_SEED, PIX_TEST_LONG } = process.env;
const ROUNDS = Number(PIX_CRASH_ROUNDS ?? (PIX_TEST_LONG === "short" ? 10 : 100));
/** Fixes what the writers choose and which moments are meant; the pace is the machine's. */
const SEED = Number(PIX_CRASH_SEED ?? randomInt(2 ** 31));
const WRITERS = 16;
/** So few a round that payouts have rivals. */
const RECEIVERS = 20;
/** Kills come after at most so many answers, */
const MOST_ANSWERS = 120;
/** or when at most so many files have come, gone or been renamed, */
const MOST_CHANGES = 6;
/** and then at most so many turns of the event loop. */
const MOST_TURNS = 20;
/** How long the sandbox may take to begin to tidy up its files once nothing else is left to do; it need not do so at all. */
const TIDY_MS = 3000;
/** A webhook without an answer keeps its place among those in flight: a round has at most so many. */
const MOST_HELD = 2;
/** Longer than all retries take. */
const LONG_SECONDS = 60;

describe("a sandbox that is killed again and again while sixteen writers call it", () => {
  it(
    "forgets nothing that it answered, and does nothing twice",
    { timeout: 60_000 + ROUNDS * 10_000 },
    async () => {
      await using folder = await createFolder();
      await using merchant = await startMerchant();
      const ledger = new Ledger();
      const crash: Crash = { ledger, merchant, folder: folder.path, mayHold: 0, failedStarts: 0 };
      let place = "";
      answerUnreliably(crash);
      try {
        for (let round = 1; round <= ROUNDS; round++) {
          place = `round ${round}`;
          await runRound(crash, round);
        }
        place = "the end";
        await runEnd(crash);
        for (const [what, times] of Object.entries(ledger.seen))
          expect(times, `A run has to see ${what}`).toBeGreaterThan(0);
      } catch (error) {
        const failure = error as Error;
        failure.message = `In ${place} with PIX_CRASH_SEED=${SEED}: ${failure.message}`;
        throw failure;
      } finally {
        if (PIX_CRASH_ROUNDS !== undefined) process.stderr.write(`${summaryOf(crash)}\n`);
      }
    },
  );
});

/** One state file, and all that was ever said about it. */
interface Crash {
  readonly ledger: Ledger;
  readonly merchant: Merchant;
  readonly folder: string;
  /** How many more webhooks the merchant may leave without an answer. */
  mayHold: number;
  failedStarts: number;
}

async function runRound(crash: Crash, round: number): Promise<void> {
  const random = numbers(round);
  const end = endOf(round);
  if (round % 4 === 1) await killDuringStart(crash, random);

  await using sandbox = await start(crash);
  await verify(crash, sandbox);
  const calling = new Calling(crash, sandbox, round);
  // Under load, webhooks are always under way, and time waits for them.
  await advance(calling, 5 + below(random, 10));
  // A stop waits a while for such ones, which takes long and shows nothing.
  crash.mayHold = end === "kill" ? MOST_HELD : 0;
  const isQuiet = round % 6 === 2;
  if (isQuiet) await untilItTidiesUp(crash);
  const unanswered = crash.ledger.unanswered();
  using changes = nextChanges(crash.folder, 1 + below(random, MOST_CHANGES));
  const enough = calling.answers(below(random, MOST_ANSWERS));
  const writers = Promise.all(
    Array.from({ length: WRITERS }, (_, writer) => {
      const own = unanswered.filter((_creation, index) => index % WRITERS === writer);
      return write(calling, writer, own, numbers(round, 1 + writer));
    }),
  );
  await Promise.race(isQuiet ? [enough, changes.seen, writers] : [enough, writers]);
  await turns(below(random, MOST_TURNS));

  calling.isOver = true;
  crash.ledger.seen.callsUnderWayAtAKill += calling.underWay;
  if (end === "stop") expect(await sandbox.stop()).toMatchObject({ code: 0 });
  else if (end === "kill during stop") await killDuringStop(crash, sandbox, random);
  else await sandbox.stop("SIGKILL");
  await writers;
  crash.mayHold = 0;
  crash.ledger.assertClean();
}

/** A stop puts the state to rest. Some come to their end, so that kills come after one too. */
function endOf(round: number): "kill" | "kill during stop" | "stop" {
  if (round % 4 === 3) return "kill during stop";
  return round % 8 === 4 ? "stop" : "kill";
}

/** Resolves as the files begin to be tidied up, so that the writers come in the middle of it. */
async function untilItTidiesUp({ folder }: Crash): Promise<void> {
  using changes = nextChanges(folder, 1);
  const { promise: late, resolve } = deferred();
  const timer = setTimeout(resolve, TIDY_MS);
  await Promise.race([changes.seen, late]);
  clearTimeout(timer);
}

/** All goes well from here on, so that everything comes to its end. */
async function runEnd(crash: Crash): Promise<void> {
  const { ledger, merchant } = crash;
  merchant.answerWith(200);
  await using sandbox = await start(crash);
  await verify(crash, sandbox);
  const calling = new Calling(crash, sandbox, ROUNDS + 1);
  for (const creation of ledger.unanswered()) await create(calling, creation);
  await calling.calls.advance(LONG_SECONDS);
  await verify(crash, sandbox);
  ledger.verifyArrivals();
  ledger.assertClean();
  const pending = await calling.calls.deliveries("&status=pending");
  expect(pending.map(({ id }) => id)).toEqual([]);
  expect(await sandbox.stop()).toMatchObject({ code: 0 });

  const { length } = merchant.received;
  await using again = await start(crash);
  await verify(crash, again);
  await callsTo(again.url).advance(LONG_SECONDS);
  expect(merchant.received).toHaveLength(length);
  expect(await again.stop()).toMatchObject({ code: 0, stderr: "" });
}

/** Time stands still unless a writer moves it: then nothing falls due between two reads of one check. */
function argumentsFor({ folder }: Crash): string[] {
  const state = ["--state", `${folder}/state.json`, "--clock", "frozen"];
  return [...state, "--assume", "payin.expiry_event=webhook"];
}

async function start(crash: Crash): Promise<Serving> {
  try {
    return await startServe(argumentsFor(crash));
  } catch (error) {
    crash.failedStarts++;
    throw error;
  }
}

/** Opening a state writes files too, before anybody can call. */
async function killDuringStart(crash: Crash, random: () => number): Promise<void> {
  using changes = nextChanges(crash.folder, 1 + below(random, MOST_CHANGES));
  await using starting = startCli(["serve", "--json", "--port", "0", ...argumentsFor(crash)]);
  await Promise.race([changes.seen, starting.lines("stdout", 1)]).catch((error: Error) => {
    crash.failedStarts++;
    throw error;
  });
  await turns(below(random, MOST_TURNS));
  await starting.stop("SIGKILL");
}

async function killDuringStop(
  { folder }: Crash,
  sandbox: Serving,
  random: () => number,
): Promise<void> {
  using changes = nextChanges(folder, 1 + below(random, MOST_CHANGES));
  sandbox.process.kill("SIGINT");
  await Promise.race([changes.seen, sandbox.ended]);
  await turns(below(random, MOST_TURNS));
  await sandbox.stop("SIGKILL");
}

/** Some webhooks are refused, and now and then one gets no answer, so that it is under way at the kill. */
function answerUnreliably(crash: Crash): void {
  const random = numbers(0);
  crash.merchant.answerWith(() => {
    const choice = random();
    if (choice < 0.1) return 500;
    return choice < 0.15 && crash.mayHold-- > 0 ? "hold" : 200;
  });
}

async function verify({ ledger, merchant }: Crash, { url, secret }: Serving): Promise<void> {
  // In this order: what came before the lists were read has to stand in them, and what
  // they no longer hold has to have come.
  ledger.heard(merchant.received, secret);
  const listing = await readListing(callsTo(url));
  ledger.heard(merchant.received, secret);
  ledger.verify(listing);
  ledger.assertClean();
}

async function readListing({ gateway, control }: Calls): Promise<Listing> {
  const payins = await readPages<Listed>(control, "/payins");
  const payouts = await readPages<Listed>(control, "/payouts");
  const deliveries = await readPages<{ id: string; body: string }>(control, "/deliveries");
  const configured = await gateway<NonNullable<Configuration>>("GET", "/v1/webhooks");
  const { now } = await control<{ now: string }>("GET", "/clock");
  const configuration = configured.status === 404 ? undefined : configured.body;
  return { payins, payouts, deliveries, configuration, now };
}

async function readPages<Row>(control: Calls["control"], path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let next: string | null = ""; next !== null;) {
    const after: string = next === "" ? "" : `&after=${encodeURIComponent(next)}`;
    const page = await control<{ data: readonly Row[]; next: string | null }>(
      "GET",
      `${path}?limit=1000${after}`,
    );
    rows.push(...page.data);
    next = page.next;
  }
  return rows;
}

/** The calls of one round. */
class Calling {
  readonly calls: Calls;
  readonly ledger: Ledger;
  readonly merchant: Merchant;
  readonly round: number;
  /** From now on a call may die. */
  isOver = false;
  underWay = 0;
  readonly #sandbox: Serving;
  #awaited = 0;
  #enough = (): void => undefined;

  constructor({ ledger, merchant }: Crash, sandbox: Serving, round: number) {
    this.calls = callsTo(sandbox.url);
    this.ledger = ledger;
    this.merchant = merchant;
    this.round = round;
    this.#sandbox = sandbox;
  }

  /** Resolves when so many more calls are answered. */
  answers(count: number): Promise<void> {
    const { promise, resolve } = deferred();
    this.#awaited = count;
    this.#enough = resolve;
    if (count === 0) resolve();
    return promise;
  }

  /** @returns the answer; undefined where the connection broke because the sandbox was killed. */
  async ask<Answer>(call: () => Promise<Answer>): Promise<Answer | undefined> {
    this.underWay++;
    try {
      const answer = await call();
      if (--this.#awaited === 0) this.#enough();
      return answer;
    } catch (error) {
      // What fetch throws for a connection that fails.
      if (!(error instanceof TypeError)) throw error;
      if (!this.isOver)
        throw new Error(`A call died before the kill. stderr: ${this.#sandbox.stderr}`, {
          cause: error,
        });
      this.ledger.calls.unknown++;
      return undefined;
    } finally {
      this.underWay--;
    }
  }
}

/** First repeats what died in earlier rounds, then calls whatever its numbers say. */
async function write(
  calling: Calling,
  writer: number,
  unanswered: readonly Creation[],
  random: () => number,
): Promise<void> {
  const { ledger, merchant, round } = calling;
  for (const creation of unanswered) {
    if (calling.isOver) return;
    ledger.seen.unknownCreatesRepeated++;
    await create(calling, creation);
  }
  for (let call = 1; !calling.isOver; call++) {
    const plan = (noun: Noun): Creation => {
      const url = merchant.at(`/${noun}s/${writer}`);
      const body = noun === "payin" ? payinBody(random, url) : payoutBody(random, url, round);
      return ledger.plan(noun, `key ${round}-${writer}-${call}`, body);
    };
    // Calls for these may well be under way.
    const recent = ledger.creations.slice(-100);
    const choice = random();
    if (writer === 0 && choice < 0.3)
      await configure(calling, merchant.at(`/all/${round}-${call}`), random);
    else if (writer === 1 && choice < 0.03) await advance(calling, 1 + below(random, 10));
    else if (choice < 0.3) await create(calling, plan("payin"));
    else if (choice < 0.5) await create(calling, plan("payout"));
    else {
      const open = recent.filter(({ status, isRefused }) => status === undefined && !isRefused);
      const among = choice < 0.85 ? open : recent;
      const creation = among[below(random, among.length)] ?? plan("payin");
      if (choice < 0.9) await settle(calling, creation, random);
      else if (choice < 0.97) await create(calling, creation);
      else await show(calling, creation);
    }
  }
}

async function create(calling: Calling, creation: Creation): Promise<void> {
  const { noun, key, body, id } = creation;
  const answer = await calling.ask(() =>
    calling.calls.gateway<Record<string, unknown>>("POST", `/v1/${noun}s`, body, key),
  );
  if (answer) calling.ledger.created(creation, answer, id);
}

async function settle(calling: Calling, creation: Creation, random: () => number): Promise<void> {
  const { noun, id, status } = creation;
  if (id === undefined) return create(calling, creation);
  const outcome = noun === "payout" && random() < 0.5 ? "canceled" : "completed";
  const answer = await calling.ask(() => calling.calls.simulate(noun, id, outcome));
  if (answer) calling.ledger.simulated(creation, outcome, answer, status);
}

async function show(calling: Calling, creation: Creation): Promise<void> {
  const { noun, id, status } = creation;
  if (id === undefined) return create(calling, creation);
  const answer = await calling.ask(() =>
    calling.calls.gateway<Record<string, unknown>>("GET", `/_sandbox/${noun}s/${id}`),
  );
  if (answer) calling.ledger.shown(creation, answer, status);
}

async function configure(
  calling: Calling,
  webhook_url: string,
  random: () => number,
): Promise<void> {
  const events = random() < 0.5 ? ["payment.received"] : ["payment.received", "payment.failed"];
  const configuration = { webhook_url, events };
  calling.ledger.configuring(configuration);
  const answer = await calling.ask(() =>
    calling.calls.gateway<Record<string, unknown>>("PUT", "/v1/webhooks", configuration),
  );
  if (answer) calling.ledger.configured(configuration, answer);
}

async function advance(calling: Calling, seconds: number): Promise<void> {
  const answer = await calling.ask(() =>
    calling.calls.gateway<Record<string, unknown>>("POST", "/_sandbox/clock/advance", { seconds }),
  );
  if (answer) calling.ledger.advanced(answer);
}

function payinBody(random: () => number, webhook_url: string): Record<string, unknown> {
  return {
    value: (1 + below(random, 100_000)) / 100,
    buyer_cpf: "12345678909",
    buyer_name: "Maria da Silva",
    buyer_email: "maria@example.com",
    webhook_url,
    // Some expire as the writers move the time; the others outlive every run.
    expiration: random() < 0.25 ? 20 : 172_800,
  };
}

function payoutBody(
  random: () => number,
  webhook_url: string,
  round: number,
): Record<string, unknown> {
  // Each round has some receivers of its own: whoever has a payout in progress for long takes no other.
  const receiver = (round * RECEIVERS) / 2 + below(random, RECEIVERS);
  const receiver_cpf = String(52_998_224_725 + receiver);
  return {
    value: (1 + below(random, 100_000)) / 100,
    receiver_cpf,
    receiver_name: "José de Souza",
    receiver_email: "jose@example.com",
    webhook_url,
    pix_key: receiver_cpf,
    pix_key_type: "cpf",
  };
}

/** Random numbers of a round, apart for each writer: what one does depends on no other's pace. */
function numbers(round: number, writer = 0): () => number {
  return randomFrom(SEED + round * 1000 + writer);
}

/** A whole number from 0 up to `end`, without it. */
function below(random: () => number, end: number): number {
  return Math.floor(random() * end);
}

function summaryOf({ ledger, failedStarts }: Crash): string {
  const { calls, lost, duplicates, wrong, seen } = ledger;
  const rest = Object.entries(seen).map(([what, times]) => `${what} ${times}`);
  return (
    `PIX_CRASH_SEED=${SEED}: ${ROUNDS} rounds, ${calls.creates} creates and ${calls.updates} updates acknowledged, ` +
    `${calls.unknown} calls unknown, ${calls.unknownFound} creates among them had happened; ${lost.size} lost, ${duplicates.size} duplicates, ${wrong.size} otherwise wrong, ` +
    `${failedStarts} failed starts (${rest.join(", ")})`
  );
}
