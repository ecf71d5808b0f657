import path from "node:path";
import type { Low } from "lowdb";
import type { LocalizedText } from "../core/localized-text.ts";
import { type Timer, type Store, StorageError } from "../core/ports.ts";
import type { Change, Records } from "../core/state/records.ts";
import { type Disk, realDisk, writeAll } from "./disk.ts";
import { reasonOf, StateFileError, StateInUseError, unreadable, unwritable } from "./errors.ts";
import { guardedDisk, isGuarded } from "./guarded-disk.ts";
import { type Durability, Journal } from "./journal.ts";
import { detachLinks } from "./links.ts";
import { STORE_LIMITS, type StoreLimits } from "./limits.ts";
import { lock } from "./lock.ts";
import { asideName, StateNames } from "./names.ts";
import { damagedState, realPath, rebuild, type Rebuilt, type TornTail } from "./rebuild.ts";
import type { Document, StateAdapter } from "./state-adapter.ts";

export interface StateFileOptions {
  /** Default `always`. */
  readonly durability?: Durability | undefined;
  /** How many finished deliveries are remembered; default all. */
  readonly keepDeliveries?: number | undefined;
  /** Whether a state file that was changed since it was written is refused. Default false. */
  readonly strict?: boolean | undefined;
  /** Rings when it is time to renew the file; without one that is done only as the journal grows, and at the end. */
  readonly timer?: Timer | undefined;
  /** Receives a text about each problem that the store handles by itself. */
  readonly report?: ((text: LocalizedText) => void) | undefined;
  /** Sizes that differ from `STORE_LIMITS`. */
  readonly limits?: Partial<StoreLimits> | undefined;
  /** Default: the machine's own. */
  readonly disk?: Disk | undefined;
}

/** The file is renewed when nothing has changed for so long, or when the journal has outgrown it. */
const IDLE_MS = 1000;
/** A large file is not written for a few changes: only for those of more than so large a share of it. */
const WORTH_RENEWING = 0.1;
/** After a renewal that failed. */
const RETRY_MS = 60_000;
/** While changes are refused, writing is tried after pauses that double up to the longest; and at each change. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5000;

/**
 * Opens the state that a file and the journal beside it hold, or begins one.
 * @throws StateFileError where what is there is no state of this version or is damaged: nothing is
 * changed then. StateInUseError where another process has it, StorageError where it cannot be written.
 */
export async function openStateFile(file: string, options: StateFileOptions = {}): Promise<Store> {
  const { report = () => undefined } = options;
  const { names, unlock, disk } = await takeState(options.disk ?? realDisk, file);
  try {
    await detachLinks(disk, names, { all: isGuarded(names.file) }).catch(failTo(file));
    const limits = { ...STORE_LIMITS, ...options.limits };
    const rebuilt = await rebuild(disk, names, options.keepDeliveries ?? Infinity, limits);
    const { hasStateFile, damages, db, journals } = rebuilt;
    if (!hasStateFile && (db.data.sequence > 0 || damages.length > 0))
      throw journalAlone(file, journals[0]?.path ?? "");
    const [damage, ...others] = damages;
    if (damage) throw damagedState(file, [damage, ...others]);
    if (rebuilt.changed !== undefined) {
      const text = {
        en: `The state file ${file} has changed since it was written: ${rebuilt.changed.en}.`,
        pt: `O arquivo de estado ${file} mudou desde que foi gravado: ${rebuilt.changed.pt}.`,
      };
      if (options.strict)
        throw new StateFileError({
          en: `${text.en} Restore the file, or start without --strict-state to accept it.`,
          pt: `${text.pt} Restaure o arquivo, ou inicie sem --strict-state para aceitá-lo.`,
        });
      report(text);
    }
    const parts = { ...options, report };
    return await begin(disk, names, rebuilt, unlock, parts).catch(failTo(file));
  } catch (error) {
    await unlock();
    throw error;
  }
}

function failTo(file: string): (error: Error) => never {
  return (error) => {
    throw unwritable(file, error);
  };
}

/** Makes the state this process's own, before anything is read. */
async function takeState(
  disk: Disk,
  file: string,
): Promise<{ names: StateNames; unlock: () => Promise<void>; disk: Disk }> {
  const whole = path.resolve(file);
  try {
    await makeFolder(disk, path.dirname(whole));
    const names = new StateNames(await realPath(disk, whole));
    const unlock = await lock(names.file);
    return { names, unlock, disk: guardedDisk(disk, names.file) };
  } catch (error) {
    if (error instanceof StateInUseError) throw error;
    const { code = "" } = error as NodeJS.ErrnoException;
    const isUnwritable = ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT"].includes(code);
    throw isUnwritable ? unwritable(file, error) : unreadable(file, error);
  }
}

/** A folder outlasts a loss of power once the one that it stands in is synced. */
async function makeFolder(disk: Disk, folder: string): Promise<void> {
  const uppermost = await disk.makeFolder(folder);
  if (uppermost === undefined) return;
  const above = path.dirname(uppermost);
  for (let made = folder; made !== above; made = path.dirname(made))
    await disk.syncFolder(path.dirname(made));
}

function journalAlone(file: string, journal: string): StateFileError {
  return new StateFileError({
    en: `The state file ${file} is missing, but its journal ${journal} exists. Restore the file, delete the journal too, or rebuild the file from the journal: pix-sandbox state repair ${file}.`,
    pt: `O arquivo de estado ${file} não existe mais, mas o journal dele, ${journal}, existe. Restaure o arquivo, apague também o journal, ou reconstrua o arquivo a partir do journal: pix-sandbox state repair ${file}.`,
  });
}

/** Tidies up behind the process before, then starts to write. */
async function begin(
  disk: Disk,
  names: StateNames,
  rebuilt: Rebuilt,
  unlock: () => Promise<void>,
  options: StateFileOptions & { readonly report: (text: LocalizedText) => void },
): Promise<Store> {
  const { db, adapter, journals, tornTail } = rebuilt;
  if (tornTail) options.report(await cutOff(disk, names, tornTail));
  // Those that begin behind the last commit have no line.
  const { sequence } = db.data;
  const [used, empty] = [
    journals.filter(({ first }) => first <= sequence),
    journals.filter(({ first }) => first > sequence),
  ];
  // What was read may never have been synced, and from now on more is built upon it.
  for (const journal of used) await syncFile(disk, journal.path);
  await disk.syncFolder(names.folder);
  for (const leftover of [...rebuilt.leftovers, ...empty.map((journal) => journal.path)])
    await disk.remove(leftover);
  // So that whoever finds a journal always finds the file that says of what.
  if (!rebuilt.hasStateFile) {
    // A process that died may have made the folder and not synced the one above.
    await disk.syncFolder(path.dirname(names.folder)).catch(unlessNotOurs);
    await db.write();
  }
  const { mode } = await disk.stat(names.file);
  const store: StateFile = new StateFile({
    db,
    adapter,
    unlock,
    file: names.file,
    // If another sandbox has taken the state over, the file stays.
    removeFile: rebuilt.hasStateFile
      ? undefined
      : () => disk.remove(names.file).catch(() => undefined),
    options,
    journal: new Journal({
      disk,
      names,
      // The next start writes to it, whatever the state file lets others do.
      mode: (mode & 0o777) | 0o600,
      durability: options.durability ?? "always",
      sequence,
      older: used,
      olderBytes: used.length > 0 ? rebuilt.journalBytes : 0,
      onWritten: () => store.journalHasGrown(),
      onFailure: (error) => store.fail(error),
      makeRoom: () => adapter.giveWay(),
    }),
  });
  await store.start();
  return store;
}

/** A folder that this user may not open was made by another. */
function unlessNotOurs(error: NodeJS.ErrnoException): void {
  if (error.code !== "EACCES" && error.code !== "EPERM") throw error;
}

async function syncFile(disk: Disk, name: string): Promise<void> {
  const file = await disk.open(name);
  await file.sync().finally(() => file.close());
}

/** Saves an incomplete last line in a file of its own, then removes it from the journal. @returns the text to report. */
async function cutOff(
  disk: Disk,
  names: StateNames,
  { file, offset, line }: TornTail,
): Promise<LocalizedText> {
  const aside = asideName(file, "torn");
  const torn: Buffer[] = [];
  for await (const piece of disk.read(file)) torn.push(piece);
  const bytes = Buffer.concat(torn).subarray(offset);
  const copy = await disk.create(aside, 0o600);
  await writeAll(copy, bytes, 0)
    .then(() => copy.sync())
    .finally(() => copy.close());
  await disk.syncFolder(names.folder);
  const journal = await disk.open(file);
  await journal
    .truncate(offset)
    .then(() => journal.sync())
    .finally(() => journal.close());
  return {
    en: `Line ${line} of ${file} was incomplete when the sandbox last ended. Its ${bytes.length} bytes were removed from the journal and saved in ${aside}.`,
    pt: `A linha ${line} de ${file} estava incompleta quando o sandbox terminou pela última vez. Os ${bytes.length} bytes dela foram removidos do journal e salvos em ${aside}.`,
  };
}

const NOTHING_LOST = {
  en: "Nothing is lost: the journal holds all changes.",
  pt: "Nada se perdeu: o journal contém todas as mudanças.",
};
const ONLY_IN_MEMORY = {
  en: "The journal file is missing too: later changes are only in memory.",
  pt: "O arquivo do journal também não existe mais: as mudanças posteriores estão só na memória.",
};

/**
 * lowdb's document in memory, its file, and the journal of what has happened since the file was written.
 * After a write of the journal that fails, changes are refused and what was kept is still read, until
 * writing works again.
 */
class StateFile implements Store {
  onRollback: (() => void) | undefined;
  onRecovered: (() => void) | undefined;
  readonly #db: Low<Document>;
  readonly #adapter: StateAdapter;
  readonly #journal: Journal;
  readonly #unlock: () => Promise<void>;
  readonly #file: string;
  readonly #removeFile: (() => Promise<void>) | undefined;
  readonly #timer: Timer | undefined;
  readonly #limits: StoreLimits;
  readonly #report: (text: LocalizedText) => void;
  #failure: StorageError | undefined;
  #renewing: Promise<void> | undefined;
  #recovering: Promise<void> | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  /** How large the journal has to be before a renewal that failed is tried again for its size. */
  #patienceBytes = 0;
  #closed: Promise<void> | undefined;

  constructor(parts: {
    db: Low<Document>;
    adapter: StateAdapter;
    journal: Journal;
    unlock: () => Promise<void>;
    file: string;
    /** For a file that was begun just now. */
    removeFile: (() => Promise<void>) | undefined;
    options: StateFileOptions & { readonly report: (text: LocalizedText) => void };
  }) {
    this.#db = parts.db;
    this.#adapter = parts.adapter;
    this.#journal = parts.journal;
    this.#unlock = parts.unlock;
    this.#file = parts.file;
    this.#removeFile = parts.removeFile;
    this.#timer = parts.options.timer;
    this.#limits = { ...STORE_LIMITS, ...parts.options.limits };
    this.#report = parts.options.report;
  }

  get records(): Records {
    return this.#db.data.records;
  }

  get isDegraded(): boolean {
    return this.#failure !== undefined;
  }

  async start(): Promise<void> {
    await this.#journal.beginFile();
    this.#renewWhenIdle();
  }

  commit(change: Change): void {
    if (this.#failure) {
      this.#tryToRecover();
      throw this.#failure;
    }
    const { records } = this;
    const undo = records.apply(change);
    try {
      this.#journal.append(change, records.lastEventNumber, undo);
    } catch (error) {
      undo();
      const { en, pt } = reasonOf(error);
      throw new StorageError({
        en: `A change cannot be written to the journal: ${en}.`,
        pt: `Uma mudança não pode ser gravada no journal: ${pt}.`,
      });
    }
    this.#db.data.sequence = this.#journal.sequence;
  }

  /** After a failure there is nothing more to wait for: what was kept is read, and changes are refused. */
  durable(): Promise<void> {
    return this.#failure ? Promise.resolve() : this.#journal.kept();
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  journalHasGrown(): void {
    this.#pauseMs = FIRST_PAUSE_MS;
    const { bytes } = this.#journal;
    const limit = Math.max(this.#limits.journalBytes, this.#adapter.bytes, this.#patienceBytes);
    if (bytes > limit) this.#startRenewal();
    else this.#renewWhenIdle();
  }

  fail(error: Error): StorageError {
    const { en, pt } = reasonOf(error);
    const text = {
      en: `The journal of the state file ${this.#file} cannot be written: ${en}.`,
      pt: `O journal do arquivo de estado ${this.#file} não pode ser gravado: ${pt}.`,
    };
    this.#failure = new StorageError(text);
    this.#waitToRecover();
    this.onRollback?.();
    this.#report({
      en: `${text.en} Changes are refused until writing works again. The sandbox retries on each change and every few seconds. If the disk is full, free some space.`,
      pt: `${text.pt} As mudanças são recusadas até que a gravação volte a funcionar. O sandbox tenta de novo a cada mudança e a cada poucos segundos. Se o disco estiver cheio, libere espaço.`,
    });
    return this.#failure;
  }

  async #close(): Promise<void> {
    this.#timer?.clear();
    try {
      await this.durable().catch(() => undefined);
      await this.#renewing;
      await this.#recovering;
      if (this.#failure) await this.#rescue();
      else if (this.#hasNews) await this.#renew();
      await this.#journal.close(this.#hasNews);
      // A start that came to nothing leaves nothing behind.
      if (this.#journal.sequence === 0) await this.#removeFile?.();
    } finally {
      await this.#unlock();
    }
  }

  get #hasNews(): boolean {
    return this.#journal.sequence > this.#adapter.sequence;
  }

  #waitToRecover(): void {
    this.#timer?.clear();
    if (this.#closed) return;
    this.#timer?.set(this.#pauseMs, () => this.#tryToRecover());
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  #tryToRecover(): void {
    if (!this.#failure || this.#closed) return;
    this.#recovering ??= this.#recover().finally(() => {
      this.#recovering = undefined;
    });
  }

  /** Accepts changes again where the disk takes them. */
  async #recover(): Promise<void> {
    try {
      // A state file that is being written holds what was rolled back.
      await this.#adapter.giveWay();
      await this.#renewing;
      await this.#adapter.probe();
      const canGoOn = await this.#journal.canGoOn();
      this.#db.data.sequence = this.#journal.sequence;
      if (!canGoOn) {
        await this.#writeAlone();
        await this.#journal.beginAnew();
      }
    } catch {
      this.#waitToRecover();
      return;
    }
    this.#timer?.clear();
    this.#journal.resume();
    this.#failure = undefined;
    this.#patienceBytes = 0;
    this.#report({
      en: `The state file ${this.#file} can be written again: changes are accepted.`,
      pt: `O arquivo de estado ${this.#file} pode ser gravado de novo: as mudanças são aceitas.`,
    });
    this.onRecovered?.();
    if (!this.#closed) this.#renewWhenIdle();
  }

  #renewWhenIdle(): void {
    // After a renewal that failed, the timer is set already, and later.
    if (this.#patienceBytes > 0) return;
    const { bytes } = this.#adapter;
    const isWorthIt =
      bytes < this.#limits.smallFileBytes || this.#journal.bytes > bytes * WORTH_RENEWING;
    if (this.#hasNews && isWorthIt) this.#timer?.set(IDLE_MS, () => this.#startRenewal());
  }

  #startRenewal(): void {
    if (this.#failure || this.#closed) return;
    this.#renewing ??= this.#renew().then(() => {
      this.#renewing = undefined;
      // What came meanwhile is in the journal alone.
      if (!this.#failure && !this.#closed) this.#renewWhenIdle();
    });
  }

  /** The file takes in what the journal says; a failure loses nothing, since the journal goes on. */
  async #renew(): Promise<void> {
    try {
      await this.#journal.beginFile();
      this.#adapter.untilKept = () => this.#journal.kept();
      await this.#db.write();
      await this.#journal.removeOlder();
      this.#patienceBytes = 0;
    } catch (error) {
      if (this.#failure) return;
      this.#patienceBytes = this.#journal.bytes * 2;
      if (!this.#closed) this.#timer?.set(RETRY_MS, () => this.#startRenewal());
      const { en, pt } = reasonOf(error);
      const rest = (await this.#journal.isInPlace()) ? NOTHING_LOST : ONLY_IN_MEMORY;
      this.#report({
        en: `The journal could not be merged into the state file ${this.#file}: ${en}. ${rest.en}`,
        pt: `O journal não pôde ser incorporado ao arquivo de estado ${this.#file}: ${pt}. ${rest.pt}`,
      });
    }
  }

  /** After a failure the records are those that were kept: perhaps there is room for them by now, in a file of their own. */
  async #rescue(): Promise<void> {
    // Where not, state file and journal stay as they are, which was said when it began.
    await this.#writeAlone().catch(() => undefined);
  }

  /** Writes the state file without the journal, after a failure: the records are those that are durable. */
  #writeAlone(): Promise<void> {
    this.#adapter.untilKept = () => Promise.resolve();
    return this.#db.write();
  }
}
