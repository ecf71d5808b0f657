import path from "node:path";
import { FileJournal } from "../../src/store/file/journal/file-journal.ts";
import { StateFiles } from "../../src/store/file/journal/state-files.ts";
import { STORE_LIMITS } from "../../src/store/format/limits.ts";
import { StateNames } from "../../src/store/file/disk/names.ts";
import { type CallName, type Death, SimulatedDisk } from "../support/disk.ts";
import { type AppendFailure, testJournal } from "./journal-contract.ts";
import { MemoryJournal, Storage } from "./memory-journal.ts";
import { english } from "../../src/text/languages.ts";

const FILE = path.resolve("/simulated/state.json");
/** The call that fails, and why. */
const DISK_FAILURES: Readonly<Record<AppendFailure, [name: CallName, code: string]>> = {
  refused: ["write", "ENOSPC"],
  unacknowledged: ["sync", "EIO"],
};

// The lock of the state file refuses a second process.
testJournal("files", { canBeTakenOver: false, canDie: true }, async () => {
  let disk = new SimulatedDisk([path.dirname(FILE)]);
  let death: Death | undefined;
  let hasDied = false;
  return {
    die(at, moment) {
      death = { kind: "death", at, moment };
    },
    isDead: () => hasDied || (hasDied = disk.isDead),
    async open() {
      disk = disk.afterKill(death);
      death = undefined;
      return new FileJournal({
        stored: new StateFiles(disk, new StateNames(FILE), STORE_LIMITS),
        file: FILE,
        report: (text) => {
          throw new Error(english(text));
        },
        unlock: async () => undefined,
      });
    },
    failAppend(how) {
      const [name, code] = DISK_FAILURES[how];
      const at = disk.calls.length + (name === "write" ? 1 : 2);
      disk.strike({ kind: "refusal", at, code, only: [name] });
    },
    async [Symbol.asyncDispose]() {},
  };
});

testJournal("memory", { canBeTakenOver: true, canDie: false }, async () => {
  const storage = new Storage();
  let journal: MemoryJournal | undefined;
  return {
    open: async () => (journal = new MemoryJournal(storage)),
    failAppend(how) {
      if (journal) journal.nextFailure = how;
    },
    async [Symbol.asyncDispose]() {},
  };
});
