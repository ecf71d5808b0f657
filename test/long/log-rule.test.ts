import { describe, expect, it } from "vitest";
import type { Planting } from "../simulation/system.ts";
import { live, loadStore } from "../store/log-rule.ts";

/** So many lives find each mistake. */
const SEEDS = 40;
const LIVES_A_SEED = 250;

/** Mistakes that somebody could make: a text of the source, and what is planted in its place. */
const MISTAKES: Readonly<Record<string, Planting>> = {
  "lines after those of a failed append": {
    text: "this.#length === 0 && this.#failure === undefined;",
    instead: "this.#length === 0;",
  },
  "an append that goes on in a file that failed": {
    text: "if (!this.#open || this.#failure !== undefined)",
    instead: "if (!this.#open)",
  },
  "lines that build on what was never synced": {
    text: "await opened.sync().finally(() => opened.close());",
    instead: "await opened.close();",
  },
  "a file whose name is not synced": {
    text: "      await this.#disk.syncFolder(this.#folder);\n    } catch (error) {\n      // It may",
    instead: "    } catch (error) {\n      // It may",
  },
  "lines before a file that may have been begun": {
    text: "this.#failure ??= error;",
    instead: "",
  },
  "a file of an earlier try that stays": {
    text: "      await this.#remove(file);\n      opened",
    instead: "      opened",
  },
  "what stands after the beginning of the next file": {
    text: "      if (position >= end) return;\n",
    instead: "",
  },
  "a file that is dropped too early": {
    text: "<= to + 1",
    instead: "<= to + 3",
  },
  "a compaction of what may be rolled back": {
    text: "      await untilSafe;\n      await this.#disk.rename",
    instead: "      await this.#disk.rename",
  },
  "a log that begins after what is not durable": {
    text: "await this.#inTurn(() => this.#storage.startLog(this.#durableTo));\n      if (this.#failure)",
    instead:
      "await this.#inTurn(() => this.#storage.startLog(this.#state.sequence));\n      if (this.#failure)",
  },
  "a log that is begun while an append is under way": {
    text: "await this.#inTurn(() => this.#storage.startLog(this.#durableTo));\n      if (this.#failure)",
    instead: "await this.#storage.startLog(this.#durableTo);\n      if (this.#failure)",
  },
  "a document in place before it is synced": {
    text: "  await file.sync();\n  return position;",
    instead: "  return position;",
  },
};

describe("the model of the log's rule", { timeout: 600_000 }, () => {
  it.each(Object.entries(MISTAKES))("finds the mistake: %s", async (_name, planting) => {
    const store = await loadStore([planting]);
    const lives = async (): Promise<void> => {
      for (let seed = 1; seed <= SEEDS; seed++) await live(store, { seed, lives: LIVES_A_SEED });
    };
    await expect(lives()).rejects.toThrow(/^Seed .*: (?:Found|The state|EEXIST)/);
  });
});
