import { describe, expect, it } from "vitest";
import {
  acquire,
  type Claim,
  type Holder,
  type HolderQuery,
  type LockEncounter,
} from "../../src/store/file/lock/lock-protocol.ts";
import { randomFrom } from "../support/core.ts";

/** More would never end. */
const MAX_STEPS = 200;

/** A claim in the model: visible in the folder first, answering after that. */
interface Entry {
  readonly address: string;
  readonly pid: string;
  isVisible: boolean;
  isAnswering: boolean;
  isHolder: boolean;
}

/** What a process waits to do next: nothing that another process does can come into the middle of it. */
interface Step {
  readonly owner: string;
  isPossible(): boolean;
  act(): void;
}

/**
 * A folder with sockets, in which one step happens at a time and a schedule says which: of the processes
 * that could go on, the one that it numbers. A process that dies does so between two of its steps.
 */
class Model {
  readonly entries: Entry[] = [];
  readonly steps: Step[] = [];
  /** How many could have gone on each time. */
  readonly choices: number[] = [];
  readonly dead = new Set<string>();

  step<Result>(
    owner: string,
    act: () => Result,
    isPossible = (): boolean => true,
  ): Promise<Result> {
    return new Promise((resolve) => {
      this.steps.push({ owner, isPossible, act: () => resolve(act()) });
    });
  }

  /** Runs what the schedule says, then always the first that can go on. */
  async run(schedule: readonly number[], hasEnded: () => boolean): Promise<void> {
    for (let count = 0; ; count++) {
      await turn();
      if (hasEnded()) return;
      const possible = this.steps.filter((step) => !this.dead.has(step.owner) && step.isPossible());
      if (possible.length === 0) throw new Error("They wait for each other.");
      if (count > MAX_STEPS) throw new Error("They do not come to an end.");
      this.choices.push(possible.length);
      const step = possible[(schedule[count] ?? 0) % possible.length] as Step;
      this.steps.splice(this.steps.indexOf(step), 1);
      step.act();
    }
  }

  kill(pid: string): void {
    this.dead.add(pid);
    for (const entry of this.entries) if (entry.pid === pid) entry.isAnswering = false;
  }

  /** Claims get the addresses in this order. */
  meeting(pid: string, addresses: string[]): LockEncounter {
    const find = (address: string): Entry | undefined =>
      this.entries.find((entry) => entry.address === address && entry.isVisible);
    return {
      claim: async () => {
        const entry: Entry = {
          address: addresses.shift() ?? "",
          pid,
          isVisible: true,
          isAnswering: false,
          isHolder: false,
        };
        await this.step(pid, () => this.entries.push(entry));
        await this.step(pid, () => (entry.isAnswering = true));
        return this.#claim(entry);
      },
      others: (mine) =>
        this.step(pid, () =>
          this.entries
            .filter(({ address, isVisible }) => isVisible && address !== mine)
            .map(({ address }) => address)
            .toSorted(),
        ),
      ask: (address): HolderQuery => {
        let other: Entry | undefined;
        const isAlive = this.step(pid, () => {
          other = find(address);
          return other?.isAnswering === true;
        });
        const hasDecided = (): boolean => !other?.isAnswering || other.isHolder;
        const holder = isAlive.then((is): Promise<Holder | undefined> | undefined =>
          is
            ? this.step(
                pid,
                () => (other?.isAnswering ? { pid: other.pid } : undefined),
                hasDecided,
              )
            : undefined,
        );
        return { isAlive, holder };
      },
      remove: (address) =>
        this.step(pid, () => {
          const entry = find(address);
          if (entry) entry.isVisible = false;
        }),
    };
  }

  #claim(entry: Entry): Claim {
    return {
      address: entry.address,
      isVisible: () => this.step(entry.pid, () => entry.isVisible),
      hold: () => this.step(entry.pid, () => (entry.isHolder = true)),
      close: () =>
        this.step(entry.pid, () => {
          entry.isVisible = false;
          entry.isAnswering = false;
          entry.isHolder = false;
        }),
    };
  }
}

interface Outcome {
  /** What became of each process, by its id; undefined if it died before that. */
  readonly results: Readonly<Record<string, "held" | "refused" | undefined>>;
  readonly dead: ReadonlySet<string>;
  /** The claims that are still in the folder. */
  readonly left: readonly string[];
  readonly choices: readonly number[];
}

interface Contender {
  /** The addresses of its claims. */
  readonly claims: readonly string[];
  /** What it does once it holds the file; by default it goes on holding it. */
  readonly ending?: "releases";
  /** Whether it dies, at any moment. */
  readonly isMortal?: boolean;
}

/** Lets processes compete, in one order. */
async function play(
  contenders: Readonly<Record<string, Contender>>,
  schedule: readonly number[],
  leftovers: readonly string[] = [],
): Promise<Outcome> {
  const model = new Model();
  for (const address of leftovers)
    model.entries.push({ address, pid: "", isVisible: true, isAnswering: false, isHolder: false });
  const results: Record<string, "held" | "refused" | undefined> = {};
  const holding = new Set<string>();
  const begin = async (pid: string, { claims, ending }: Contender): Promise<void> => {
    const result = await acquire(model.meeting(pid, [...claims]));
    results[pid] = "holder" in result ? "refused" : "held";
    if ("holder" in result) return;
    holding.add(pid);
    if (ending !== "releases") return;
    await model.step(pid, () => holding.delete(pid));
    await result.close();
  };
  const playing = new Set(Object.keys(contenders));
  for (const [pid, contender] of Object.entries(contenders)) {
    void begin(pid, contender).then(() => playing.delete(pid));
    if (contender.isMortal)
      void model.step("death", () => {
        model.kill(pid);
        holding.delete(pid);
        playing.delete(pid);
      });
  }
  await model.run(schedule, () => {
    expect(holding.size).toBeLessThanOrEqual(1);
    return playing.size === 0;
  });
  const left = model.entries.filter(({ isVisible }) => isVisible).map(({ address }) => address);
  return { results, dead: model.dead, left, choices: model.choices };
}

/** All orders, depth first; those that go on from the same beginning share it. */
async function explore(
  run: (schedule: readonly number[]) => Promise<Outcome>,
  look: (outcome: Outcome) => void,
): Promise<number> {
  let schedule: number[] | undefined = [];
  let count = 0;
  while (schedule) {
    const outcome: Outcome = await run(schedule);
    look(outcome);
    count++;
    schedule = next(schedule, outcome.choices);
  }
  return count;
}

function next(schedule: readonly number[], choices: readonly number[]): number[] | undefined {
  for (let at = choices.length - 1; at >= 0; at--) {
    const chosen = schedule[at] ?? 0;
    if (chosen + 1 < (choices[at] ?? 0))
      return [...choices.keys()]
        .slice(0, at)
        .map((index) => schedule[index] ?? 0)
        .concat(chosen + 1);
  }
  return undefined;
}

/** All that was promised until now has happened. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

const FIRST = { claims: ["b", "e", "h"] };
const SECOND = { claims: ["d", "a", "g"] };
const THIRD = { claims: ["c", "f", "i"] };

describe("the competition for a state file, in any order of the steps", { timeout: 60_000 }, () => {
  it("is won by exactly one of two processes", async () => {
    const count = await explore(
      (schedule) => play({ one: FIRST, two: SECOND }, schedule),
      ({ results }) => expect(Object.values(results).toSorted()).toEqual(["held", "refused"]),
    );
    expect(count).toBeGreaterThan(300);
  });

  it("is won by exactly one of two processes beside the claim of a dead one, which is removed", async () => {
    const count = await explore(
      (schedule) => play({ one: FIRST, two: SECOND }, schedule, ["c"]),
      ({ results, left }) => {
        expect(Object.values(results).toSorted()).toEqual(["held", "refused"]);
        expect(left).not.toContain("c");
      },
    );
    expect(count).toBeGreaterThan(1000);
  });

  it("is won by a process whose rival dies, unless the rival held the file", async () => {
    const count = await explore(
      (schedule) => play({ one: { ...FIRST, isMortal: true }, two: SECOND }, schedule),
      ({ results, dead }) => {
        if (!(dead.has("one") && results["one"] === undefined)) return;
        expect(results["two"]).toBe("held");
      },
    );
    expect(count).toBeGreaterThan(1000);
  });

  it("goes on after the winner releases the file", async () => {
    const count = await explore(
      (schedule) => play({ one: { ...FIRST, ending: "releases" }, two: SECOND }, schedule),
      ({ results, left }) => {
        expect(Object.values(results)).toContain("held");
        // Each leaves at most what it still holds.
        expect(left.length).toBe(results["two"] === "held" ? 1 : 0);
      },
    );
    expect(count).toBeGreaterThan(300);
  });

  it("is won by exactly one of three processes, two of which come and go (a sample of the orders)", async () => {
    const random = randomFrom(11);
    for (let run = 0; run < 3000; run++) {
      const schedule = Array.from({ length: MAX_STEPS }, () => Math.floor(random() * 60));
      const three = { one: FIRST, two: SECOND, three: THIRD };
      const { results } = await play(three, schedule, run % 2 === 0 ? [] : ["bb"]);
      expect(Object.values(results).toSorted()).toEqual(["held", "refused", "refused"]);
    }
  });

  it("goes on with a new claim if the first was removed at the last moment", async () => {
    const claims = [false, true].map((isHeld) => ({
      address: String(isHeld),
      isVisible: () => Promise.resolve(true),
      hold: () => Promise.resolve(isHeld),
      close: () => Promise.resolve(),
    }));
    const [, second] = claims;
    const claim = await acquire({
      claim: () => Promise.resolve(claims.shift()),
      others: () => Promise.resolve([]),
      ask: () => expect.fail("there are no others"),
      remove: () => Promise.resolve(),
    });
    expect(claim).toBe(second);
  });
});
