import { readFile, writeFile } from "node:fs/promises";
import { replaceFile } from "../../platform/replace-file.ts";
import { usageError } from "../terminal/errors.ts";
import { localize } from "../terminal/language.ts";
import { say } from "../../text/message.ts";

/** A position in a sandbox's event stream: the stream's id, and the number of the last event that was read. */
export interface StreamPlace {
  readonly stream: string;
  readonly after: number;
}

/** A file that stores a position from one run of a command to the next. */
export class CursorFile {
  readonly #file: string;
  /** The content that this run has last read or written; undefined without a file. */
  #text: string | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * @returns undefined if the file does not exist or is empty.
   * @throws CliError for a file with other content, which stays unchanged.
   */
  async read(): Promise<StreamPlace | undefined> {
    this.#text = await this.#readText();
    // An empty file, such as from mktemp, counts as missing.
    if (!this.#text) return undefined;
    const [, after, stream] = /^([0-9]{1,15}) ([0-9a-f]{1,64})\n$/.exec(this.#text) ?? [];
    if (after === undefined || stream === undefined)
      throw this.#unusable(localize(say`is not a cursor file`));
    return { stream, after: Number(after) };
  }

  /**
   * Replaces the position atomically.
   * @throws CliError if another command has written the file: one of both would miss events.
   */
  async write({ stream, after }: StreamPlace): Promise<void> {
    if ((await this.#readText()) !== this.#text)
      throw this.#unusable(localize(say`is in use by another command`));
    const temporary = `${this.#file}.${process.pid}.tmp`;
    const text = `${after} ${stream}\n`;
    try {
      await writeFile(temporary, text);
      await replaceFile(temporary, this.#file);
    } catch (error) {
      throw this.#unusable(localize(say`cannot be written: ${(error as Error).message}`));
    }
    this.#text = text;
  }

  async #readText(): Promise<string | undefined> {
    try {
      return await readFile(this.#file, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw this.#unusable(localize(say`cannot be read: ${(error as Error).message}`));
    }
  }

  #unusable(why: string) {
    return usageError(
      say`The cursor file ${this.#file} ${why}.`,
      say`Set another file with --cursor, in an existing folder. The command creates the file.`,
    );
  }
}
