import { hash, randomUUID } from "node:crypto";
import path from "node:path";
import type { SnapshotKey } from "../../../core/state/ports.ts";
import { toIso } from "../../../wire/timestamp.ts";
import { wallNowMs } from "../../../platform/real-time.ts";

/** A file of the journal, and the sequence number of its first commit. */
export interface JournalFile {
  readonly path: string;
  readonly first: number;
}

/** The names of a state's files, which are all beside the state file and begin with its name. */
export class StateNames {
  readonly file: string;
  readonly folder: string;
  readonly #base: string;

  constructor(file: string) {
    this.file = file;
    this.folder = path.dirname(file);
    this.#base = path.basename(file);
  }

  journal(first: number): JournalFile {
    return { path: `${this.file}.${first}.journal`, first };
  }

  /** Finds the journal's files among the names in the folder, oldest first. */
  journalsAmong(names: readonly string[]): JournalFile[] {
    return names
      .flatMap((name) => {
        const first = /^\.([1-9]\d{0,15})\.journal$/.exec(this.#endOf(name))?.[1];
        return first === undefined ? [] : [this.journal(Number(first))];
      })
      .toSorted((one, other) => one.first - other.first);
  }

  /** The file of a snapshot. */
  snapshot({ name, integration }: SnapshotKey): string {
    return `${this.file}.${snapshotName({ name, integration })}.snapshot`;
  }

  /** Finds the snapshots among the names in the folder: their files and their names. */
  snapshotsAmong(names: readonly string[]): { readonly path: string; readonly name: string }[] {
    return names.flatMap((file) => {
      const name = /^\.([^@]+)(?:@[0-9a-f]{16})?\.snapshot$/.exec(this.#endOf(file))?.[1];
      return name === undefined ? [] : [{ path: path.join(this.folder, file), name }];
    });
  }

  /** A unique name for a file that is being written. */
  temporary(): string {
    return `${this.file}.${process.pid}-${randomUUID().slice(0, 8)}.tmp`;
  }

  /** Finds the unfinished files of dead processes among the names in the folder. */
  temporariesAmong(names: readonly string[]): string[] {
    return names
      .filter((name) => /^\.\d+-[0-9a-f]{8}\.tmp$/.test(this.#endOf(name)))
      .map((name) => path.join(this.folder, name));
  }

  #endOf(name: string): string {
    return name.startsWith(this.#base) ? name.slice(this.#base.length) : "";
  }
}

/** Names a stored snapshot. Integrations do not share names; this one has a hash of the token, which is a secret. */
export function snapshotName({ name, integration }: SnapshotKey): string {
  const owner = integration === null ? "" : `@${hash("sha256", integration, "hex").slice(0, 16)}`;
  return `${name}${owner}`;
}

/** A name for the quarantined copy of a torn line. */
export function quarantineName(file: string): string {
  return `${file}.torn-${toIso(wallNowMs()).replaceAll(/[:.]/g, "-")}`;
}
