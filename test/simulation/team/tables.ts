import type { Base, JournalTables, Line } from "../../../src/store/postgres/journal-tables.ts";
import type { LeaseTable, SeenLease } from "../../../src/store/postgres/lease-table.ts";
import { ModelLink, type Network } from "./link.ts";
import type { TeamProcess } from "./process.ts";

/** As in `PostgresTables`. */
const TIMEOUT_MS = 5000;

/** The journal's tables, as one process reaches them. */
export class ModelTables implements JournalTables {
  readonly #network: Network;
  readonly #process: TeamProcess;
  readonly #writing: ModelLink;
  readonly #reading: ModelLink;
  readonly #compacting: ModelLink;

  constructor(network: Network, process: TeamProcess) {
    this.#network = network;
    this.#process = process;
    this.#writing = new ModelLink(network, process, "journal");
    this.#reading = new ModelLink(network, process, "reading");
    this.#compacting = new ModelLink(network, process, "state");
  }

  get links(): readonly ModelLink[] {
    return [this.#writing, this.#reading, this.#compacting];
  }

  append(position: number, lines: string): Promise<boolean> {
    const { database } = this.#network;
    return this.#writing.call("append", () => database.append(this.#process, position, lines), {
      timeoutMs: TIMEOUT_MS,
    });
  }

  linesFrom(position: number, limit: number): Promise<readonly Line[]> {
    const { database } = this.#network;
    return this.#reading.call("read", () => database.linesFrom(position, limit), {
      timeoutMs: TIMEOUT_MS,
    });
  }

  async readBase(onText: (text: string) => void): Promise<Base> {
    const { database } = this.#network;
    const { sequence, text } = await this.#compacting.call("read base", () => database.base);
    if (text !== "") onText(text);
    return { sequence, bytes: Buffer.byteLength(text) };
  }

  async claim(position: number, line: string): Promise<number | undefined> {
    const { database, chronicle, appending } = this.#network;
    const writer = await this.#writing.call(
      "claim",
      () => {
        const claimed = database.claim(this.#process, position, line);
        const isAppending = [...appending].some(
          ([process, count]) => process !== this.#process && count > 0,
        );
        if (typeof claimed === "number" && isAppending)
          chronicle.meet("take-over while an append is in flight");
        return claimed;
      },
      { timeoutMs: TIMEOUT_MS },
    );
    if (writer !== undefined) this.#process.writer = writer;
    return writer;
  }

  confirm(writer: number): Promise<boolean> {
    const { database } = this.#network;
    return this.#writing.call("confirm", () => database.confirm(writer), { timeoutMs: TIMEOUT_MS });
  }

  async replaceBase(
    writer: number,
    { sequence, texts, beforeLast, line }: Parameters<JournalTables["replaceBase"]>[1],
  ): Promise<Base | undefined> {
    const { database } = this.#network;
    const text = [...texts].join("");
    const session = await this.#compacting.call("begin", (begun) => begun, { isWhole: false });
    await beforeLast();
    const inside = { isWhole: false, session };
    const isWriter = await this.#compacting.call(
      "lock base",
      (locking) => database.lockBase(locking, writer),
      inside,
    );
    if (!isWriter) return undefined;
    const base = { sequence, text, ...(line !== undefined && { line }) };
    await this.#compacting.call(
      "replace base",
      (locking) => database.replaceBase(locking, base),
      inside,
    );
    return { sequence, bytes: Buffer.byteLength(text) };
  }

  /** Snapshots are not simulated. */
  replaceDocument(): Promise<boolean> {
    return Promise.reject(new Error("not simulated"));
  }

  readDocument(): Promise<readonly string[] | undefined> {
    return Promise.resolve(undefined);
  }

  documentsNamed(): Promise<readonly { document: string; text: string }[]> {
    return Promise.resolve([]);
  }

  async notify(): Promise<void> {
    const { database } = this.#network;
    await this.#reading.call("notify", () => database.notify(), { timeoutMs: TIMEOUT_MS });
  }

  listen(onHint: () => void): void {
    this.#reading.listen(onHint);
  }

  close(): void {
    for (const link of this.links) link.close();
  }
}

/** The lease's table, as one process reaches it. */
export class ModelLease implements LeaseTable {
  readonly link: ModelLink;
  readonly #network: Network;

  constructor(network: Network, process: TeamProcess) {
    this.#network = network;
    this.link = new ModelLink(network, process, "lease");
  }

  look(): Promise<SeenLease> {
    const { database, time } = this.#network;
    return this.#call("look", () => ({
      address: database.lease.address,
      remainingMs: database.lease.expiresAtMs - time.passedMs,
      endsAt: String(database.lease.expiresAtMs),
    }));
  }

  take(holder: string, address: string, leaseMs: number): Promise<boolean> {
    return this.#call("take", () => this.#network.database.take(holder, address, leaseMs));
  }

  renew(holder: string, leaseMs: number): Promise<boolean> {
    return this.#call("renew", () => this.#network.database.renew(holder, leaseMs));
  }

  release(holder: string): Promise<void> {
    return this.#call("release", () => this.#network.database.release(holder));
  }

  close(): void {
    this.link.close();
  }

  #call<Result>(name: string, work: () => Result): Promise<Exclude<Result, symbol>> {
    return this.link.call(name, work, { timeoutMs: this.#network.plan.leaseMs });
  }
}
