import path from "node:path";
import type { Disk } from "../../src/store/file/disk/disk.ts";

/** Files in memory that arrive in two pieces; whoever only reads them has no other call to make. */
export class ReadOnlyDisk implements Disk {
  readonly #folder = path.resolve("nowhere");
  readonly #files: ReadonlyMap<string, Buffer>;
  readonly #split: number;
  readonly makeFolder = refuse;
  readonly create = refuse;
  readonly open = refuse;
  readonly rename = refuse;
  readonly remove = refuse;
  readonly syncFolder = refuse;

  constructor(files: ReadonlyMap<string, Buffer>, split: number) {
    this.#files = files;
    this.#split = split;
  }

  at(name: string): string {
    return path.join(this.#folder, name);
  }

  async list(): Promise<readonly string[]> {
    return [...this.#files.keys()];
  }

  async realPath(name: string): Promise<string> {
    return name;
  }

  async stat(name: string): Promise<{ size: number; mode: number }> {
    return { size: this.#bytes(name).length, mode: 0o600 };
  }

  async *read(name: string): AsyncGenerator<Buffer> {
    const bytes = this.#bytes(name);
    const split = this.#split % (bytes.length + 1);
    if (split > 0) yield bytes.subarray(0, split);
    if (split < bytes.length) yield bytes.subarray(split);
  }

  #bytes(name: string): Buffer {
    const bytes = this.#files.get(path.basename(name));
    if (!bytes) throw Object.assign(new Error(`ENOENT: ${name}`), { code: "ENOENT" });
    return bytes;
  }
}

async function refuse(): Promise<never> {
  throw new Error("Reading a state changes nothing.");
}
