import { hash, randomUUID } from "node:crypto";
import path from "node:path";
import type { SnapshotKey } from "../core/ports.ts";
import { toIso } from "../core/time/timestamp.ts";
import { wallNowMs } from "../platform/real-time.ts";

/** A file of the journal, and the sequence number of the first commit that is written to it. */
export interface JournalFile {
  readonly path: string;
  readonly first: number;
}

/** The files that a state consists of: all of them beside the state file, and named after it. */
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

  /** The files of the journal among the names of the folder, oldest first. */
  journalsAmong(names: readonly string[]): JournalFile[] {
    return names
      .flatMap((name) => {
        const first = /^\.([1-9]\d{0,15})\.journal$/.exec(this.#endOf(name))?.[1];
        return first === undefined ? [] : [this.journal(Number(first))];
      })
      .toSorted((one, other) => one.first - other.first);
  }

  /** Each integration has names of its own; a token, which is a secret, stands in none. */
  snapshot({ name, integration }: SnapshotKey): string {
    const whose = integration === null ? "" : `@${hash("sha256", integration, "hex").slice(0, 16)}`;
    return `${this.file}.${name}${whose}.snapshot`;
  }

  /** The files of snapshots among the names of the folder, and the names of the snapshots. */
  snapshotsAmong(names: readonly string[]): { readonly path: string; readonly name: string }[] {
    return names.flatMap((file) => {
      const name = /^\.([^@]+)(?:@[0-9a-f]{16})?\.snapshot$/.exec(this.#endOf(file))?.[1];
      return name === undefined ? [] : [{ path: path.join(this.folder, file), name }];
    });
  }

  /** A name for a state file that is being written, which nobody else has. */
  temporary(): string {
    return `${this.file}.${process.pid}-${randomUUID().slice(0, 8)}.tmp`;
  }

  /** What writers that died have left half written among the names of the folder. */
  temporariesAmong(names: readonly string[]): string[] {
    return names
      .filter((name) => /^\.\d+-[0-9a-f]{8}\.tmp$/.test(this.#endOf(name)))
      .map((name) => path.join(this.folder, name));
  }

  #endOf(name: string): string {
    return name.startsWith(this.#base) ? name.slice(this.#base.length) : "";
  }
}

/** Where something of a file is kept that is no longer part of the state. */
export function asideName(file: string, why: "torn" | "damaged"): string {
  return `${file}.${why}-${toIso(wallNowMs()).replaceAll(/[:.]/g, "-")}`;
}
