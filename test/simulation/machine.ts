import path from "node:path";
import type { Records } from "../../src/core/state/records.ts";
import { type CallName, type Mishap, SimulatedDisk } from "../support/disk.ts";
import type { Chance } from "./chance.ts";
import type { Chronicle } from "./chronicle.ts";
import { beginLife, FILE, type Life } from "./life.ts";
import type { SimulatedNetwork } from "./network.ts";
import { drawMishap, type Plan } from "./plan.ts";
import type { System } from "./system.ts";
import type { SimulatedTime } from "./time.ts";
import type { Witness } from "./witness.ts";
import { english } from "../../src/text/languages.ts";

const FOLDER = path.dirname(FILE);
const MAX_DOWN_MS = 3000;
const SYNC_MS = { fast: 1, slow: 30 };
const CALL_MS = 0.1;
const SLOW_NAME_MS = 2000;
const DEATH_ONCE_TOLD = 0.04;

type Ending = "kill" | "power loss";

/** The machine that the gateway runs on: one process after the other, each on the disk that the one before it left. */
export class Machine {
  /** The process that runs and listens. */
  life: Life | undefined;
  readonly #system: System;
  readonly #time: SimulatedTime;
  readonly #chance: Chance;
  readonly #chronicle: Chronicle;
  readonly #network: SimulatedNetwork;
  readonly #witness: Witness;
  readonly #plan: Plan;
  #disk: SimulatedDisk;
  /** Whether what has ended is noted, and the next one to begin. */
  #isDown = false;
  #isCalm = false;
  #lives = 0;
  #seenPayouts = -1;
  /** As the process that runs has them. */
  #records: Records | undefined;

  constructor(parts: {
    system: System;
    time: SimulatedTime;
    chance: Chance;
    chronicle: Chronicle;
    network: SimulatedNetwork;
    witness: Witness;
    plan: Plan;
  }) {
    this.#system = parts.system;
    this.#time = parts.time;
    this.#chance = parts.chance;
    this.#chronicle = parts.chronicle;
    this.#network = parts.network;
    this.#witness = parts.witness;
    this.#plan = parts.plan;
    this.#disk = new SimulatedDisk([FOLDER], this.#nextMishap());
    this.#system.enter({
      nowMs: () => this.#time.nowMs,
      setTimeout: (act, delayMs = 0) => this.#time.after(delayMs, act, this.#disk),
      setImmediate: (act) => this.#time.after(0, act, this.#disk),
      clear: (timer) => this.#time.clear(timer),
      randomUUID: () => this.#chance.whole(0x1000_0000, 0xffff_ffff).toString(16),
      createSender: () => this.#createSender(),
    });
  }

  /** A process begins on the disk as it is. */
  begin(): void {
    const disk = this.#disk;
    disk.later = (act, name) => void this.#time.after(this.#msOf(name), act, disk);
    this.#isDown = false;
    this.#lives++;
    this.#chronicle.note(`process ${this.#lives} begins`);
    beginLife(this.#system, disk, {
      time: this.#time,
      assumptions: this.#plan.assumptions,
      report: (text) => this.#hear(english(text)),
      look: ({ records }) => this.#found(records),
      journalBytes: this.#plan.journalBytes,
    }).then(
      (life) => {
        if (disk.isDead) return;
        this.#chronicle.note(`process ${this.#lives} answers`);
        this.life = life;
      },
      (error: unknown) => {
        if (!disk.isDead) this.#refused(error);
      },
    );
  }

  /** Ends what runs in one of the ways of the plan, if it has any. */
  strike(): void {
    const { kills, powerLosses, stops } = this.#plan;
    const endings: readonly (() => void)[] = [
      ...(kills ? [() => this.#die("kill")] : []),
      ...(powerLosses ? [() => this.#die("power loss")] : []),
      ...(stops ? [() => this.#stop()] : []),
    ];
    if (endings.length > 0) this.#chance.pick(endings)();
  }

  /** From now on nothing goes wrong any more. */
  calm(): void {
    this.#isCalm = true;
    this.#disk.mend();
  }

  /** Looks, after each step, at what must hold at all times, and whether the process still lives. */
  look(): void {
    if (this.#disk.isDead && !this.#isDown) {
      const { name, path: file } = this.#disk.struck ?? { name: "a moment", path: "" };
      this.#ended(
        `at ${name} ${path.basename(file)}`,
        this.#chance.is(0.5) ? "kill" : "power loss",
      );
    }
    // Only a new payout can be a rival.
    if (!this.#records || this.#records.transactions.size === this.#seenPayouts) return;
    this.#seenPayouts = this.#records.transactions.size;
    this.#witness.lookAtRivals(this.#records);
  }

  /** Something was told to somebody: there is no better time to forget it. */
  told(): void {
    if (this.#plan.deathsOnceTold && !this.#isCalm && this.#chance.is(DEATH_ONCE_TOLD))
      this.#disk.isDead = true;
  }

  /** Ends it in good order, and has it begin once more, after a loss of power for good measure. */
  async restart(isOver: () => boolean): Promise<void> {
    this.#stop();
    await this.#time.run(isOver);
  }

  #found(records: Records): void {
    if (this.#disk.isDead) return;
    const { transactions, deliveries } = records;
    this.#chronicle.note(`found ${transactions.size} transactions, ${deliveries.size} deliveries`);
    this.#records = records;
    this.#seenPayouts = -1;
    this.#witness.compare(records, true);
  }

  /** What it says of its state. */
  #hear(sentence: string): void {
    if (this.#disk.isDead) return;
    this.#chronicle.note(`it says: ${sentence}`);
    if (sentence.includes("is incomplete")) this.#chronicle.meet("incomplete line passed over");
    if (sentence.includes("could not be merged")) this.#chronicle.meet("compaction failed");
    if (sentence.includes("changes are accepted")) {
      this.#chronicle.meet("changes accepted again");
      this.#witness.resetsAreVoid();
    }
    if (!sentence.includes("Changes are refused")) return;
    this.#chronicle.meet("journal failed");
    // What could not be kept is put back by now.
    if (this.#records) this.#witness.compare(this.#records, false);
    const disk = this.#disk;
    this.#time.after(
      this.#chance.between(0, 5000),
      () => {
        const isMended = this.#chance.is(0.5);
        if (isMended) disk.mend();
        // It goes on by itself.
        if (isMended && this.#chance.is(0.5)) return;
        if (this.#chance.is(0.5)) this.#stop();
        else this.#ended("since it refuses changes", "kill");
      },
      disk,
    );
  }

  #refused(error: unknown): void {
    const { StateFileError, StorageError } = this.#system.parts;
    const { message } = error as Error;
    if (!(error instanceof StateFileError) && !(error instanceof StorageError))
      this.#chronicle.violated("only refusals are thrown", (error as Error).stack ?? message);
    else if (!this.#disk.struck) this.#chronicle.violated("a state can be opened again", message);
    this.#chronicle.meet("opening refused");
    this.#ended(`it does not open: ${message}`, "kill");
  }

  #die(ending: Ending): void {
    if (this.#isDown || this.#isCalm) return;
    this.#disk.isDead = true;
    this.#ended("from outside", ending);
  }

  /** A stop in good order, with which no more calls are taken. */
  #stop(): void {
    const { life } = this;
    if (!life || this.#disk.isDead) return;
    this.#chronicle.note("it is stopped");
    if (life.disk.namesIn(FOLDER).some((name) => name.endsWith(".tmp")))
      this.#chronicle.meet("stopped while the state file was written");
    this.life = undefined;
    const disk = this.#disk;
    life.close().then(
      () => {
        // What was begun on the disk ends before the process does.
        const end = (): void => {
          if (disk.isDead) return;
          if (disk.callsUnderWay > 0) return void this.#time.after(1, end, disk);
          this.#chronicle.meet("stopped in good order");
          this.#ended("in good order", "power loss");
        };
        end();
      },
      (error: unknown) => {
        if (disk.isDead) return;
        if (!(error instanceof this.#system.parts.StorageError) && !disk.struck)
          this.#chronicle.violated("only refusals are thrown", String(error));
        this.#ended(`it does not stop: ${String(error)}`, "kill");
      },
    );
  }

  #ended(how: string, ending: Ending): void {
    this.#chronicle.note(`process ${this.#lives} ends, ${how}: ${ending}`);
    if (!this.#records) this.#chronicle.meet("crash inside an opening");
    this.life = undefined;
    this.#records = undefined;
    this.#isDown = true;
    const disk = this.#disk;
    disk.isDead = true;
    const journals = disk.namesIn(FOLDER).filter((name) => name.endsWith(".journal"));
    if (journals.length > 1 || disk.namesIn(FOLDER).some((name) => name.endsWith(".tmp")))
      this.#chronicle.meet("crash during a compaction");
    if (ending === "power loss" && disk.hasUnsyncedBytes)
      this.#chronicle.meet("power lost with bytes unsynced");
    const mishap = this.#nextMishap();
    this.#disk =
      ending === "kill"
        ? disk.afterKill(mishap)
        : disk.afterPowerLoss(this.#chance.is(0.2) ? () => 0 : this.#chance.draw, mishap);
    this.#time.after(this.#isCalm ? 1 : this.#chance.between(1, MAX_DOWN_MS), () => {
      if (this.#isCalm) this.#disk.mend();
      this.begin();
    });
  }

  #nextMishap(): Mishap | undefined {
    return this.#isCalm ? undefined : drawMishap(this.#plan, this.#chance);
  }

  #msOf(name: CallName): number {
    if (name === "rename" && this.#plan.slowNames) return this.#chance.draw() * SLOW_NAME_MS;
    const isSync = name === "sync" || name === "syncFolder";
    const syncMs = this.#plan.slowDisk ? SYNC_MS.slow : SYNC_MS.fast;
    return this.#chance.draw() * (isSync ? syncMs : CALL_MS);
  }

  #createSender() {
    const disk = this.#disk;
    return this.#network.senderOf(disk, {
      left: (posting) => {
        if (disk.isDead || !this.#records) return;
        this.#witness.left(posting, this.#records, this.#lives);
        this.told();
      },
      arrived: (posting, status) => {
        this.#witness.arrived(posting, status);
      },
    });
  }
}
