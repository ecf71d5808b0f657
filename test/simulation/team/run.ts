import type { Role } from "../../../src/core/state/ports.ts";
import type { JournalTables } from "../../../src/store/postgres/journal-tables.ts";
import { Chance } from "../chance.ts";
import { Chronicle } from "../chronicle.ts";
import { SimulatedTime } from "../time.ts";
import { TeamClient, versionsOf } from "./client.ts";
import { ModelDatabase, type ModelDefects } from "./database.ts";
import { History } from "./history.ts";
import type { ModelLink, Network } from "./link.ts";
import { drawTeamPlan } from "./plan.ts";
import { type Running, TeamProcess } from "./process.ts";
import type { TeamOutside, TeamSystem } from "./system.ts";
import { ModelLease, ModelTables } from "./tables.ts";
import { english } from "../../../src/text/languages.ts";

/** How long the team has after the storm to go on. */
const CALM_MS = 40_000;
/** How much is answered to each client until all is well again. */
const CALM_ANSWERS = 20;

interface Member {
  readonly role: Role;
  close(): Promise<void>;
}

/** One team from its beginning to its end: a storm in which anything may fail, then a calm in which nothing does. */
export async function runTeamSeed(
  system: TeamSystem,
  seed: number,
  defects: ModelDefects = {},
): Promise<Chronicle> {
  const time = new SimulatedTime();
  const chronicle = new Chronicle(time);
  const team = new Team({ system, time, chronicle, chance: new Chance(seed), defects });
  team.begin();
  await time.run(() => team.isOver());
  if (!chronicle.violation) await team.lookAtEnd();
  return chronicle;
}

class Team {
  readonly #system: TeamSystem;
  readonly #network: Network;
  readonly #history: History;
  readonly #running: Running = { process: undefined };
  readonly #clients: TeamClient[] = [];
  readonly #slots: { process: TeamProcess; member: Member | undefined; links: ModelLink[] }[] = [];
  #lives = 0;

  constructor(parts: {
    system: TeamSystem;
    time: SimulatedTime;
    chronicle: Chronicle;
    chance: Chance;
    defects: ModelDefects;
  }) {
    const { time, chronicle, chance } = parts;
    this.#system = parts.system;
    const plan = drawTeamPlan(chance);
    chronicle.note(`plan: ${JSON.stringify(plan)}`);
    const database = new ModelDatabase(time, chronicle, parts.defects);
    this.#network = {
      time,
      chance,
      chronicle,
      database,
      plan,
      isCalm: false,
      isOver: false,
      refusingUntilMs: 0,
      appending: new Map(),
    };
    this.#history = new History(chronicle, !plan.wrongClock);
    this.#system.enter(this.#outside());
  }

  begin(): void {
    const { time, plan } = this.#network;
    for (let index = 0; index < plan.processes; index++) {
      const process = this.#newProcess(index);
      this.#slots.push({ process, member: undefined, links: [] });
      // Each in a turn of its own: what a process awaits must go on as the same process.
      time.after(index, () => this.#start(index));
    }
    for (let index = 0; index < plan.clients; index++) {
      const client = new TeamClient({
        network: this.#network,
        history: this.#history,
        processes: () => this.#slots.map(({ process }) => process),
        randomUUID: () => this.#randomUUID(),
      });
      this.#clients.push(client);
      client.begin();
    }
    this.#mishap();
    time.after(plan.stormMs, () => this.#calm());
  }

  /** Whether something is violated, or all is well again. */
  isOver(): boolean {
    const { chronicle, time, plan, isCalm } = this.#network;
    if (chronicle.violation) return true;
    if (!isCalm) return false;
    const isAnswered = this.#clients.every(({ calmAnswers }) => calmAnswers >= CALM_ANSWERS);
    // Until it has recovered, a leader answers reads alone, and what it withdrew is still in the tables.
    if (isAnswered && !this.#leader?.leading?.store.isDegraded) return true;
    const isLate = time.passedMs > plan.stormMs + CALM_MS;
    // A process whose clock is much too slow cannot keep a lease.
    if (isLate && plan.wrongClock) return true;
    if (isLate) chronicle.violated("a process leads in the end", "the clients are not answered");
    return chronicle.violation !== undefined;
  }

  /** The tables, read without any delay, hold what was acknowledged. */
  async lookAtEnd(): Promise<void> {
    const { chronicle, time, database } = this.#network;
    const leader = this.#leader;
    const store = leader?.leading?.store;
    if (this.#network.plan.wrongClock && (!store || store.isDegraded)) return;
    if (!leader || !store) return chronicle.violated("a process leads in the end", "no process");
    // No call changes anything from now on.
    this.#network.isOver = true;
    let isDurable = false;
    leader.run(() => {
      void store.durable().then(() => {
        isDurable = true;
      });
    });
    await time.run(() => isDurable || !leader.isHeld);
    if (!isDurable)
      return chronicle.violated("a process leads in the end", "it has lost the lease");
    const inMemory = JSON.stringify(store.records.toChange());
    const { sequence, text } = database.base;
    const tables = {
      readBase: (onText: (read: string) => void) => {
        if (text !== "") onText(text);
        return Promise.resolve({ sequence, bytes: text.length });
      },
      linesFrom: (position: number, limit: number) =>
        Promise.resolve(database.linesFrom(position, limit)),
    };
    const { PostgresJournal, readAll } = this.#system.parts;
    const journal = new PostgresJournal({
      tables: tables as unknown as JournalTables,
      mayRetry: () => false,
    });
    const { records } = await readAll(journal);
    this.#history.compare(versionsOf(records));
    const stored = JSON.stringify(records.toChange());
    if (stored !== inMemory)
      chronicle.violated(
        "the tables hold the leader's records",
        `stored: ${stored}, in memory: ${inMemory}`,
      );
  }

  /** The process that may respond. */
  get #leader(): TeamProcess | undefined {
    return this.#slots.find(({ process }) => process.isHeld && process.leading)?.process;
  }

  #newProcess(index: number): TeamProcess {
    const { chance, plan, time } = this.#network;
    const isWrong = plan.wrongClock && chance.is(0.5);
    const rate = isWrong ? chance.between(0.1, 0.6) : chance.between(0.951, 1.05);
    const name = `process ${index + 1}.${++this.#lives}`;
    return new TeamProcess(name, { time, running: this.#running, rate });
  }

  #start(index: number): void {
    const slot = this.#slots[index];
    if (!slot) return;
    const { process } = slot;
    slot.member = undefined;
    slot.links = [];
    this.#network.chronicle.note(`${process.name} starts`);
    process.run(() => {
      const options = { stateFile: "postgres://simulated", advertise: process.name };
      this.#system.parts
        .startMember(options, (text) =>
          this.#network.chronicle.note(`${process.name}: ${english(text)}`),
        )
        .then(
          (member) => {
            slot.member = member;
            void member.first().catch((error: unknown) => {
              this.#network.chronicle.violated("a state can be opened again", String(error));
            });
          },
          (error: unknown) =>
            this.#network.chronicle.violated("only refusals are thrown", String(error)),
        );
    });
  }

  /** Something goes wrong now and then. */
  #mishap(): void {
    const { time, chance, plan } = this.#network;
    time.after(chance.between(200, 3000), () => {
      if (this.#network.isCalm) return;
      const leader = this.#slots.findIndex(({ process }) => process.isHeld);
      const index =
        leader >= 0 && chance.is(0.7) ? leader : chance.whole(0, this.#slots.length - 1);
      const kinds = [
        ...(plan.kills ? [() => this.#kill(index)] : []),
        ...(plan.pauses ? [() => this.#pause(index)] : []),
        ...(plan.cuts ? [() => this.#cut(index)] : []),
        ...(plan.stops ? [() => this.#stop(index)] : []),
      ];
      if (kinds.length > 0) chance.pick(kinds)();
      this.#mishap();
    });
  }

  #kill(index: number): void {
    const slot = this.#slots[index];
    const { chance, chronicle, time } = this.#network;
    if (!slot || slot.process.isDead) return;
    const isHalfOpen = chance.is(0.4);
    chronicle.note(`${slot.process.name} dies${isHalfOpen ? " with its machine" : ""}`);
    slot.process.isDead = true;
    slot.process.isPaused = false;
    for (const link of slot.links) link.abandon(isHalfOpen);
    time.after(chance.between(100, 4000), () => this.#restart(index));
  }

  #restart(index: number): void {
    const slot = this.#slots[index];
    if (!slot?.process.isDead) return;
    slot.process = this.#newProcess(index);
    this.#start(index);
  }

  #pause(index: number): void {
    const process = this.#slots[index]?.process;
    const { chance, chronicle, time, plan } = this.#network;
    if (!process || process.isDead || process.isPaused) return;
    chronicle.note(`${process.name} is paused`);
    process.isPaused = true;
    const durationMs = chance.between(50, chance.is(0.5) ? 500 : plan.leaseMs * 4);
    time.after(durationMs, () => this.#resume(process));
  }

  #resume(process: TeamProcess): void {
    const { chance, chronicle, database } = this.#network;
    if (process.isDead || !process.isPaused) return;
    if (process.leading && process.writer !== database.base.writer)
      chronicle.meet("paused leader woke after a take-over");
    chronicle.note(`${process.name} goes on`);
    process.resume(chance.is(0.5));
  }

  #cut(index: number): void {
    const process = this.#slots[index]?.process;
    const { chance, chronicle, time, plan } = this.#network;
    if (!process) return;
    chronicle.note(`${process.name} is cut from the database`);
    process.cutUntilMs = time.passedMs + chance.between(50, plan.leaseMs * 4);
  }

  /** Ends it in good order, and starts it again. */
  #stop(index: number): void {
    const slot = this.#slots[index];
    const { chance, chronicle, time } = this.#network;
    if (!slot?.member || slot.process.isDead || slot.process.isPaused) return;
    const { process, member } = slot;
    chronicle.note(`${process.name} stops`);
    slot.member = undefined;
    process.run(() => {
      void member.close().then(() => {
        if (process.isDead) return;
        chronicle.meet("stopped in good order");
        process.isDead = true;
        for (const link of slot.links) link.abandon(false);
        time.after(chance.between(100, 2000), () => this.#restart(index));
      });
    });
  }

  #calm(): void {
    this.#network.isCalm = true;
    this.#network.chronicle.note("calm");
    for (const { process } of this.#slots) {
      process.cutUntilMs = 0;
      this.#resume(process);
    }
  }

  #randomUUID(): string {
    return this.#network.chance.whole(0x1000_0000, 0xffff_ffff).toString(16);
  }

  #outside(): TeamOutside {
    const { time } = this.#network;
    const running = (): TeamProcess => {
      const { process } = this.#running;
      if (!process) throw new Error("no process runs");
      return process;
    };
    return {
      nowMs: () => time.nowMs,
      monotonicNowMs: () => running().nowMs,
      setTimeout: (act, delayMs = 0) => running().setTimeout(act, Math.max(1, delayMs)),
      setImmediate: (act) => running().setTimeout(act, 0),
      clear: (timer) => running().clear(timer as Parameters<TeamProcess["clear"]>[0]),
      randomUUID: () => this.#randomUUID(),
      openSharedState: (classes, callbacks) => {
        const process = running();
        const slot = this.#slots.find((each) => each.process === process);
        const table = new ModelLease(this.#network, process);
        slot?.links.push(table.link);
        const { leaseMs } = this.#network.plan;
        const leadership = new classes.Leadership({ table, leaseMs, ...callbacks });
        process.leadership = leadership;
        return Promise.resolve({
          leadership,
          openJournal: (given) => {
            const tables = new ModelTables(this.#network, process);
            slot?.links.push(...tables.links);
            tables.listen(given.onHint);
            return new classes.PostgresJournal({
              tables,
              mayRetry: () => !given.isOver(),
              onTakenOver: () => {
                this.#takenOver(process);
                given.onTakenOver();
              },
            });
          },
        });
      },
      assembleSandbox: (store, lease) => {
        const process = running();
        process.leading = { store, lease };
        const close = (): Promise<void> => {
          process.leading = undefined;
          return store.close();
        };
        return Promise.resolve({ close });
      },
    };
  }

  #takenOver(process: TeamProcess): void {
    const { database, chronicle } = this.#network;
    if (process.writer === database.base.writer)
      chronicle.violated(
        "only another process ends a leadership",
        `${process.name} is the only writer, and was told that it is not`,
      );
  }
}
