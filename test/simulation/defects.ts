import type { Invariant } from "./chronicle.ts";
import type { Planting } from "./system.ts";

/** A mistake that somebody could make, and what finds it. */
export interface Defect {
  readonly name: string;
  readonly plantings: readonly Planting[];
  /** Any of these. */
  readonly breaks: readonly Invariant[];
}

const LOST: readonly Invariant[] = [
  "an acknowledged record is never lost",
  "no webhook tells of what is forgotten",
];

export const DEFECTS: readonly Defect[] = [
  {
    name: "an answer before the log",
    plantings: [
      {
        text: "this.#forming = new Batch();\n      const bytes",
        instead: "batch.settle(); this.#forming = new Batch();\n      const bytes",
      },
    ],
    breaks: LOST,
  },
  {
    name: "an answer before the log is synced",
    plantings: [
      {
        text: "await writeAll(this.#open, lines, this.#length);\n      await this.#open.sync();",
        instead: "await writeAll(this.#open, lines, this.#length);",
      },
    ],
    breaks: [...LOST, "a state can be opened again"],
  },
  {
    name: "a state file in place before it is synced",
    plantings: [
      { text: "  await file.sync();\n  return position;", instead: "  return position;" },
    ],
    breaks: [...LOST, "a state can be opened again"],
  },
  {
    name: "a stop that does not wait for the state file that is being written",
    plantings: [
      {
        text: "      await this.#compacting;\n      const isMerged",
        instead: "      const isMerged",
      },
    ],
    breaks: [...LOST, "a state can be opened again"],
  },
  {
    name: "new entries on lines that were never synced",
    plantings: [
      {
        text: "await opened.sync().finally(() => opened.close());",
        instead: "await opened.close();",
      },
    ],
    breaks: [...LOST, "a state can be opened again"],
  },
  {
    name: "a file of the log whose name is not synced",
    plantings: [
      {
        text: "      await this.#disk.syncFolder(this.#folder);\n    } catch (error) {\n      // It may",
        instead: "    } catch (error) {\n      // It may",
      },
    ],
    breaks: [...LOST, "a state can be opened again"],
  },
  {
    name: "a key in a second line",
    plantings: [
      {
        text: "      if (isRival) this.#settle(",
        instead:
          '      if (kind === "payin") this.#transactions.commit([["transactions", { ...transaction, key: "" }]]); if (isRival) this.#settle(',
      },
      // A key that comes later than its record is to be known as well.
      { text: "else if (!before) this.#noteNew", instead: "else this.#noteNew" },
    ],
    breaks: ["one key, one record"],
  },
  {
    name: "a webhook before the commit",
    plantings: [
      {
        text: "await this.#gateway.durable();\n    } catch",
        instead: "} catch",
      },
    ],
    breaks: ["no webhook tells of what is forgotten"],
  },
  {
    name: "no retry",
    plantings: [
      {
        text: "nextAttemptAtMs: nowMs + Math.max(waitMs, askedMs)",
        instead: "nextAttemptAtMs: null",
      },
    ],
    breaks: ["everything comes to rest"],
  },
  {
    name: "two rivals",
    plantings: [
      {
        text: 'return choice === "cancel";',
        instead: "return false;",
      },
    ],
    breaks: ["at most one payout in progress per receiver"],
  },
  {
    name: "a final status that moves",
    plantings: [
      {
        text: 'if (record.status !== "waiting" || status === "waiting")',
        instead: 'if (kind === "payin" && record.status !== "waiting")',
      },
    ],
    breaks: [
      "a final status never changes",
      "a webhook tells the final status of its record",
      "every attempt carries the same id and bytes",
    ],
  },
  {
    name: "an early repeated answer",
    plantings: [
      {
        text: "if (!this.#parts.store.isDurable) await",
        instead: "if (!this.#parts.store.isDurable && !(result as any)?.isRepeat) await",
      },
    ],
    breaks: LOST,
  },
];
