import type { Chance } from "../chance.ts";
import type { Chronicle } from "../chronicle.ts";
import type { SimulatedTime } from "../time.ts";
import type { ModelDatabase, Session } from "./database.ts";
import type { TeamPlan } from "./plan.ts";
import type { TeamProcess } from "./process.ts";

/** When the operating system reports a connection on which nothing arrives. */
const SILENT_MS = 20_000;
const MAX_SLOW_MS = 12_000;
const MAX_AGAIN_MS = 8000;
/** How long the database refuses changes, such as while its disk is full. */
const MAX_REFUSING_MS = 2000;
const REFUSALS = ["25006", "42501", "53100"];
const CHANGES: ReadonlySet<string> = new Set(["append", "claim", "confirm", "replace base"]);

export interface Network {
  readonly time: SimulatedTime;
  readonly chance: Chance;
  readonly chronicle: Chronicle;
  readonly database: ModelDatabase;
  readonly plan: TeamPlan;
  isCalm: boolean;
  isOver: boolean;
  /** When the database accepts changes again. */
  refusingUntilMs: number;
  /** The appends that were sent and not yet executed or lost, by process. */
  readonly appending: Map<TeamProcess, number>;
}

interface CallOptions {
  /** Whether the request may be executed twice: not a part of a transaction. */
  readonly isWhole?: boolean;
  readonly timeoutMs?: number;
  /** The connection that must be used. */
  readonly session?: Session;
}

/** A connection of a process, replaced after a timeout, as `Link` has it. Its messages may be lost, late or repeated. */
export class ModelLink {
  readonly #network: Network;
  readonly #process: TeamProcess;
  readonly #name: string;
  #session: Session | undefined;
  #isClosed = false;
  /** Fails the calls under way. */
  readonly #pending = new Set<(error: Error) => void>();

  constructor(network: Network, process: TeamProcess, name: string) {
    this.#network = network;
    this.#process = process;
    this.#name = name;
  }

  call<Result>(
    name: string,
    work: (session: Session) => Result,
    { isWhole = true, timeoutMs = SILENT_MS, session: given }: CallOptions = {},
  ): Promise<Exclude<Result, symbol>> {
    if (this.#isClosed) return Promise.reject(new Error("the connection is closed"));
    if (given && (given !== this.#session || given.hasEnded))
      return Promise.reject(new Error("the connection was lost"));
    const session = (this.#session ??= this.#connect());
    return new Promise((resolve, reject) => {
      let isSettled = false;
      const settle = (act: () => void): void => {
        if (isSettled) return;
        isSettled = true;
        this.#pending.delete(fail);
        this.#process.clear(timer);
        act();
      };
      const fail = (error: Error): void => settle(() => reject(error));
      const timer = this.#process.setTimeout(() => {
        this.#drop(session);
        fail(new Error(`no response within ${timeoutMs} ms`));
      }, timeoutMs);
      this.#pending.add(fail);
      this.#send(session, {
        name,
        isWhole,
        work,
        isSettled: () => isSettled,
        succeed: (result) => settle(() => resolve(result as Exclude<Result, symbol>)),
        fail,
      });
    });
  }

  /** Calls `onHint` after notifications, until the connection ends. */
  listen(onHint: () => void): void {
    const session = (this.#session ??= this.#connect());
    this.#network.database.listeners.set(session, () => {
      if (this.#network.chance.is(this.#network.isCalm ? 0 : 0.1)) return;
      this.#later(this.#latencyMs(), () => {
        if (!this.#isClosed) onHint();
      });
    });
  }

  close(): void {
    this.#isClosed = true;
    if (this.#session) this.#drop(this.#session);
    this.#failAll(new Error("the connection was closed"));
  }

  /** The process has died: its system closes the connection, unless its machine has died as well. */
  abandon(isHalfOpen: boolean): void {
    const session = this.#session;
    if (!session) return;
    session.isHalfOpen ||= isHalfOpen;
    this.#drop(session);
  }

  #connect(): Session {
    const session = this.#network.database.connect(this.#process, this.#name);
    session.onEnd = () =>
      this.#later(this.#latencyMs(), () => {
        if (this.#session !== session) return;
        this.#session = undefined;
        this.#failAll(postgresError("57P01"));
      });
    return session;
  }

  #send<Result>(
    session: Session,
    call: {
      readonly name: string;
      readonly isWhole: boolean;
      readonly work: (session: Session) => Result;
      readonly isSettled: () => boolean;
      readonly succeed: (result: Result) => void;
      readonly fail: (error: Error) => void;
    },
  ): void {
    const { time, chance, plan, chronicle, database, isCalm, appending } = this.#network;
    const isCut = this.#process.cutUntilMs > time.passedMs;
    const meets = (share: number): boolean => !isCalm && chance.is(share);
    const isLost = meets(plan.loss) || (isCut && chance.is(0.5)) || session.isHalfOpen;
    if (isLost) {
      this.#lose(session, call.fail);
      return;
    }
    const count = (difference: number): void => {
      if (call.name !== "append") return;
      appending.set(this.#process, (appending.get(this.#process) ?? 0) + difference);
    };
    const respond = (answer: () => void): void => {
      const isResponseLost =
        (!this.#network.isCalm && chance.is(plan.loss)) || this.#process.cutUntilMs > time.passedMs;
      if (isResponseLost || session.isHalfOpen) {
        if (!call.isSettled()) chronicle.meet(`response to ${call.name} lost`);
        this.#lose(session, call.fail);
        return;
      }
      this.#later(this.#latencyMs(), answer);
    };
    const execute = (): void => {
      count(-1);
      const isRefused = !this.#network.isCalm && chance.is(plan.refused);
      if (isRefused) {
        const code = chance.pick(["53300", "40001", "53100", "25006", "57014"]);
        respond(() => call.fail(postgresError(code)));
        return;
      }
      if (this.#network.refusingUntilMs > time.passedMs && CHANGES.has(call.name)) {
        if (call.name === "append") chronicle.meet("append refused after a lost response");
        const code = chance.pick(REFUSALS);
        respond(() => call.fail(postgresError(code)));
        return;
      }
      if (call.isSettled()) chronicle.meet("executed after its sender gave up");
      database.execute(
        session,
        () => call.work(session),
        (result) => {
          if (call.name !== "append" || result !== true || !meets(plan.lostThenRefused))
            return respond(() => call.succeed(result));
          this.#network.refusingUntilMs = time.passedMs + chance.between(0, MAX_REFUSING_MS);
          this.#reset(session, call.fail);
        },
      );
    };
    const slowMs = meets(plan.slow) ? chance.between(0, MAX_SLOW_MS) : 0;
    const untilCutMs = isCut ? this.#process.cutUntilMs - time.passedMs : 0;
    const arrivesAtMs = Math.max(
      session.arrivesAtMs,
      time.passedMs + this.#latencyMs() + slowMs + untilCutMs,
    );
    session.arrivesAtMs = arrivesAtMs;
    count(1);
    time.after(arrivesAtMs - time.passedMs, execute);
    if (!call.isWhole || !meets(plan.twice)) return;
    time.after(arrivesAtMs - time.passedMs + chance.between(0, MAX_AGAIN_MS), () => {
      chronicle.meet("executed twice");
      // A proxy repeats it, on a connection of its own.
      const again = { ...session, hasEnded: false, onEnd: () => undefined };
      const work = (): Result => call.work(session);
      if (call.name === "append" || call.name === "claim")
        database.execute(again, work, (result) => respond(() => call.succeed(result)));
      else database.execute(session, work, (result) => respond(() => call.succeed(result)));
    });
  }

  /** Either the process learns it soon, or nothing more arrives on this connection. */
  #lose(session: Session, fail: (error: Error) => void): void {
    const { chance } = this.#network;
    if (!session.isHalfOpen && chance.is(0.5)) this.#reset(session, fail);
    else session.isHalfOpen = true;
  }

  #reset(session: Session, fail: (error: Error) => void): void {
    this.#later(this.#latencyMs(), () => {
      fail(new Error("the connection was reset"));
      this.#drop(session);
    });
  }

  /** Closes a connection, of which the database learns a little later, or never. */
  #drop(session: Session): void {
    const { time, database } = this.#network;
    if (this.#session === session) {
      this.#session = undefined;
      this.#failAll(new Error("the connection was lost"));
    }
    if (session.isHalfOpen || this.#process.cutUntilMs > time.passedMs) session.isHalfOpen = true;
    else time.after(this.#latencyMs(), () => database.end(session));
  }

  #failAll(error: Error): void {
    for (const fail of this.#pending) fail(error);
  }

  #later(delayMs: number, act: () => void): void {
    this.#network.time.after(delayMs, () => this.#process.run(act), this.#process);
  }

  #latencyMs(): number {
    return this.#network.chance.between(0.1, this.#network.plan.maxLatencyMs);
  }
}

function postgresError(code: string): Error {
  return Object.assign(new Error(`the database refused the statement (${code})`), {
    name: "PostgresError",
    code,
  });
}
