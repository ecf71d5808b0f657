import { createHash, randomUUID } from "node:crypto";
import { admitted, autoRange, MINUTE_MS, STRANGER } from "./own-verdicts.ts";
import { withCheckDigits } from "../core/records/checks.ts";
import {
  type Exchange,
  idIn,
  isRefused,
  membersOf,
  type Response,
  type SeenWebhook,
} from "./exchange.ts";
import {
  bodyOf,
  type Drawn,
  type Experiment,
  EXPERIMENTS,
  type Known,
  MOST_PER_MINUTE,
  OPERATIONS,
  type Step,
} from "./plan.ts";

/** What was observed so far. It holds no token: evidence can be shown to others. */
export interface Observed {
  readonly baseUrl: string;
  /** By the experiment's name. */
  readonly exchanges: Record<string, Exchange[]>;
  readonly webhooks: Record<string, SeenWebhook[]>;
  /** By the experiment's name: what belongs to an earlier attempt must not be taken for this one's. */
  readonly attempts: Record<string, string>;
  /** Experiments that were interrupted and have created a payout, or may have: they are not made again. */
  readonly lost: string[];
  /** Experiments of which nothing is left to call or to wait for. */
  readonly finished: string[];
  /** The experiment whose call is under way. */
  sending?: string | undefined;
  isProduction?: boolean;
  /** When a run that was interrupted went on: a call may be missing before. */
  resumedMs?: number;
  calls: number;
  /** The first call that was too many. */
  limited?: Exchange;
}

/** What a run needs from outside. */
export interface Target {
  readonly baseUrl: string;
  /** The identification headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly perSecond: number;
  /** Where webhooks reach the receiver, without a trailing slash; undefined without one. */
  readonly publicUrl: string | undefined;
  readonly send: (call: {
    method: string;
    url: string;
    headers: Readonly<Record<string, string>>;
    body: string;
  }) => Promise<Response>;
  readonly nowMs: () => number;
  /** Rejects when the run is interrupted. */
  readonly pause: (ms: number) => Promise<void>;
  readonly signal: AbortSignal;
  /** Stores what was observed, before each call and after each response. */
  readonly store: (observed: Observed) => Promise<void>;
}

export function newObserved(baseUrl: string): Observed {
  return {
    baseUrl,
    exchanges: {},
    webhooks: {},
    attempts: {},
    lost: [],
    finished: [],
    calls: 0,
  };
}

/** The experiments that can run, with or without a receiver of webhooks. */
export function experimentsFor(hasReceiver: boolean): readonly (readonly [string, Experiment])[] {
  return Object.entries(EXPERIMENTS).filter(([, { receives }]) => hasReceiver || !receives);
}

/** Runs what is missing of every experiment. Stops at the first sign of production. */
export async function runExperiments(target: Target, observed: Observed): Promise<void> {
  await new Runner(target, observed).run();
}

/** An experiment under way. */
interface Running {
  readonly name: string;
  readonly experiment: Experiment;
  readonly drawn: Drawn;
}

class Runner {
  readonly #target: Target;
  readonly #observed: Observed;
  #startMs = 0;
  #nextCallMs = 0;

  constructor(target: Target, observed: Observed) {
    this.#target = target;
    this.#observed = observed;
  }

  /** One call after the other: an experiment pauses only where it waits for something, and others go on meanwhile. */
  async run(): Promise<void> {
    this.#dropInterrupted();
    await this.#target.store(this.#observed);
    const { lost, finished, attempts, calls } = this.#observed;
    this.#startMs = this.#target.nowMs();
    if (calls > 0) this.#observed.resumedMs = this.#startMs;
    let running: readonly Running[] = experimentsFor(this.#target.publicUrl !== undefined)
      .filter(([name]) => !lost.includes(name) && !finished.includes(name))
      .map(([name, experiment]) => {
        return { name, experiment, drawn: draw((attempts[name] ??= randomUUID())) };
      });
    while (running.length > 0 && !this.#isOver()) {
      // A look that showed something can change when the next one is due.
      const due = running.map((one) => this.#dueMs(one));
      const burst = running.findIndex(({ experiment }) => experiment.isBurst);
      const others = due.filter((_, at) => at !== burst && !running[at]?.experiment.receives);
      if (burst !== -1) due[burst] = Math.max(0, ...others);
      const dueMs = Math.min(...due);
      const next = running[due.indexOf(dueMs)];
      if (!next) return;
      await this.#target.pause(dueMs - this.#target.nowMs());
      if (this.#isWanted(next.experiment) && !(await this.#continue(next))) continue;
      if (!this.#isOver()) finished.push(next.name);
      await this.#target.store(this.#observed);
      running = running.filter((one) => one !== next);
    }
  }

  /** When an experiment continues, or ends; 0 for at once. */
  #dueMs({ name, experiment: { steps, receives, isBurst } }: Running): number {
    const made = this.#observed.exchanges[name] ?? [];
    const [first, last] = [made[0], made.at(-1)];
    const step = steps[isBurst ? 0 : made.length];
    if (!first || !last)
      return step?.startSeconds === undefined ? 0 : this.#startMs + step.startSeconds * 1000;
    return step
      ? first.atMs + (step.afterSeconds?.(autoRange(this.#observed)) ?? 0) * 1000
      : last.atMs + (receives?.seconds ?? 0) * 1000;
  }

  /**
   * Begins experiments anew whose call was under way, and those that missed webhooks. A payout is never sent again, not
   * even with its key: the key may be forgotten.
   */
  #dropInterrupted(): void {
    const { sending, lost, finished, exchanges, webhooks, attempts } = this.#observed;
    this.#observed.sending = undefined;
    for (const [name, { steps, receives, isBurst }] of Object.entries(EXPERIMENTS)) {
      const begun = exchanges[name] ?? [];
      const isMissing = name === sending || (receives !== undefined && begun.length > 0);
      if (!isMissing || isBurst || finished.includes(name)) continue;
      if (steps.slice(0, begun.length + 1).some(({ call }) => call === "payout")) lost.push(name);
      else delete exchanges[name];
      delete webhooks[name];
      delete attempts[name];
    }
  }

  /** Makes the calls of an experiment until it has to wait. @returns whether it has ended */
  async #continue(running: Running): Promise<boolean> {
    const { name, experiment, drawn } = running;
    const { steps, isBurst } = experiment;
    const made = (this.#observed.exchanges[name] ??= []);
    for (const step of isBurst
      ? repeated(steps, () => this.#mayBurst())
      : steps.slice(made.length)) {
      if (step.isWanted && !step.isWanted(made)) return true;
      if (this.#dueMs(running) > this.#target.nowMs()) return false;
      const exchange = await this.#send(name, step, drawn, made);
      if (exchange) made.push(exchange);
      if (name === FIRST && made.length === 2) this.#observed.isProduction = isProduction(made);
      await this.#target.store(this.#observed);
      if (this.#isOver()) return true;
    }
    return isBurst || this.#dueMs(running) <= this.#target.nowMs();
  }

  /** Whether no call may follow. */
  #isOver(): boolean {
    return (this.#observed.isProduction ?? false) || isShutOut(this.#observed);
  }

  #isWanted({ isWanted }: Experiment): boolean {
    const { exchanges, limited } = this.#observed;
    const accepted = (exchanges["odd"] ?? []).filter((one) => !isRefused(one));
    const known: Known = {
      auto: autoRange(this.#observed),
      isLimited: limited !== undefined,
      isAccepted: (member, value) =>
        accepted.some(({ body }) => membersOf(body).get(member) === value),
    };
    return isWanted?.(known) ?? true;
  }

  #mayBurst(): boolean {
    const { limited } = this.#observed;
    const sinceMs = this.#target.nowMs() - MINUTE_MS;
    return (
      limited === undefined &&
      this.#observed.calls < MOST_CALLS &&
      admitted(this.#observed, sinceMs).length <= MOST_PER_MINUTE
    );
  }

  async #send(
    name: string,
    step: Step,
    drawn: Drawn,
    made: readonly Exchange[],
  ): Promise<Exchange | undefined> {
    const {
      baseUrl,
      headers: own,
      publicUrl,
      send,
      store,
      pause,
      perSecond,
      signal,
    } = this.#target;
    const { path, isKeyed } = OPERATIONS[step.call];
    const key = step.key ?? `step ${made.length}`;
    const headers: Record<string, string | null> = {
      "content-type": "application/json",
      ...own,
      ...(isKeyed && { "x-idempotency-key": drawn.uuid(`key ${key}`) }),
      ...(step.isStranger && { "x-api-token": drawn.uuid("stranger") }),
      ...step.headers,
    };
    const sent = Object.fromEntries(
      Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== null),
    );
    const { receives } = EXPERIMENTS[name] ?? {};
    const address = receives ? `${publicUrl}/${name}/${this.#observed.attempts[name]}` : NOWHERE;
    const body = JSON.stringify(bodyOf(step, drawn, address, made));
    const url = `${baseUrl}${path}`;
    for (let refusals = 1; ; refusals += 1) {
      await pause(this.#nextCallMs - this.#target.nowMs());
      signal.throwIfAborted();
      this.#observed.sending = name;
      await store(this.#observed);
      this.#nextCallMs = this.#target.nowMs() + 1000 / perSecond;
      const atMs = this.#target.nowMs();
      const response = await send({ method: "POST", url, headers: sent, body });
      const tookMs = this.#target.nowMs() - atMs;
      this.#observed.calls += 1;
      this.#observed.sending = undefined;
      const caller = step.isStranger ? STRANGER : "own";
      const exchange = {
        atMs,
        method: "POST",
        path: new URL(url).pathname,
        headers: { ...sent, ...("x-api-token" in sent && { "x-api-token": caller }) },
        body,
        response,
        tookMs,
      };
      if (response.status !== TOO_MANY) return exchange;
      // It was not processed, so it can be sent again.
      this.#observed.limited ??= exchange;
      if (EXPERIMENTS[name]?.isBurst) return undefined;
      const waitMs = Number(response.headers["retry-after"]) * 1000 || LIMITED_PAUSE_MS;
      if (waitMs > MINUTE_MS || refusals === MOST_REFUSALS) {
        await store(this.#observed);
        throw new TooManyCalls();
      }
      await pause(Math.max(1000, waitMs));
    }
  }
}

function* repeated(steps: readonly Step[], isWanted: () => boolean): Generator<Step> {
  while (isWanted()) yield* steps;
}

/** It shows whether the address is production. */
const FIRST = "simulation";
/** A host that cannot exist: no receiver gets these webhooks. */
const NOWHERE = "https://pix-sandbox.example/probe";

const TOO_MANY = 429;
/** Without `retry-after`. */
const LIMITED_PAUSE_MS = 5000;
/** More than a limit per minute refuses. */
const MOST_REFUSALS = 15;
const MOST_CALLS = 110;
/** Whether the simulation of the new payin was refused: staging accepts it. */
function isProduction([payin, simulation]: readonly Exchange[]): boolean {
  return !isRefused(payin) && isRefused(simulation);
}

/** Whether no payin came of the first call: then no other call can tell anything. */
export function isShutOut({ exchanges }: Observed): boolean {
  const [payin] = exchanges[FIRST] ?? [];
  return isRefused(payin) || (payin !== undefined && idIn(payin.response.body) === undefined);
}

/** The gateway refuses the same call for longer than a limit per minute does. */
export class TooManyCalls extends Error {
  override readonly name = "TooManyCalls";
}

/** Draws values from a seed. */
function draw(seed: string): Drawn {
  const hash = (name: string): string =>
    createHash("sha256").update(`${seed} ${name}`).digest("hex");
  return {
    cpf: (name) =>
      withCheckDigits(String(Number.parseInt(hash(name).slice(0, 12), 16) % 1e9).padStart(9, "0")),
    uuid: (name) => hash(name).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-a$4-$5"),
  };
}
