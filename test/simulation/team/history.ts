import type { Chronicle } from "../chronicle.ts";

/** What a client reads of a record: each change gives it the next version. */
export interface Version {
  readonly id: string;
  readonly version: number;
}

/** What the clients were answered, by key. */
export class History {
  readonly #chronicle: Chronicle;
  /** Without it, reads are not judged: a process with a wrong clock may respond with old records. */
  readonly #judgesReads: boolean;
  readonly #newest = new Map<string, Version>();
  readonly #changes = new Set<string>();

  constructor(chronicle: Chronicle, judgesReads: boolean) {
    this.#chronicle = chronicle;
    this.#judgesReads = judgesReads;
  }

  /** The newest version that anybody has seen of a record; to be asked when a call begins. */
  newest(key: string): Version | undefined {
    return this.#newest.get(key);
  }

  /** @param before what was known when the call began */
  answered(
    call: {
      readonly key: string;
      readonly isChange: boolean;
      readonly before: Version | undefined;
    },
    found: Version | undefined,
  ): void {
    const { key, isChange, before } = call;
    const least = before ? before.version + Number(isChange) : Number(isChange);
    if ((found?.version ?? 0) < least && (isChange || this.#judgesReads))
      this.#chronicle.violated(
        "no response is older than one before it",
        `${key} had version ${before?.version}, and has ${found?.version} in a later response`,
      );
    if (!found || (!isChange && !this.#judgesReads)) return;
    this.#sameId(key, found);
    const change = `${key} ${found.version}`;
    if (isChange && this.#changes.has(change))
      this.#chronicle.violated("an acknowledged record is never lost", `${change} was given twice`);
    if (isChange) this.#changes.add(change);
    if (found.version > (this.#newest.get(key)?.version ?? 0)) this.#newest.set(key, found);
  }

  /** Compares everything acknowledged with what is stored. */
  compare(stored: ReadonlyMap<string, Version>): void {
    for (const [key, { version }] of this.#newest) {
      const found = stored.get(key);
      if (!found || found.version < version)
        this.#chronicle.violated(
          "an acknowledged record is never lost",
          `${key} had version ${version}, and ${found?.version} is stored`,
        );
      else this.#sameId(key, found);
    }
  }

  #sameId(key: string, { id }: Version): void {
    const known = this.#newest.get(key);
    if (known && known.id !== id)
      this.#chronicle.violated("one key, one record", `${key} is ${known.id} and ${id}`);
  }
}
