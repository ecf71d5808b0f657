import { isConflict, isMissingTable, type Link } from "./link.ts";
import { TakenOverError } from "./taken-over.ts";

/** A line of the journal, at its position. */
export interface Line {
  readonly sequence: number;
  readonly line: string;
}

/** The state of the last compaction. */
export interface Base {
  /** The position of its last commit. */
  readonly sequence: number;
  readonly bytes: number;
}

/** Everything that the journal asks of a database. Each call is a transaction: all of it, or nothing, is stored. */
export interface JournalTables {
  /**
   * Adds lines after `position`, each with its line feed.
   * @returns false if `position` is not the last one
   */
  append(position: number, lines: string): Promise<boolean>;
  /** The lines from `position` on, which must be in the table itself, in order. At most `limit`. */
  linesFrom(position: number, limit: number): Promise<readonly Line[]>;
  /** Reads the compacted state, in parts. */
  readBase(onText: (text: string) => void): Promise<Base>;
  /**
   * Makes this process the writer, with a line of its own after `position`: from then on no other process can append,
   * compact or replace.
   * @returns the writer's number; undefined if `position` is not the last one
   */
  claim(position: number, line: string): Promise<number | undefined>;
  /** Whether this process is still the writer, and the database accepts changes. */
  confirm(writer: number): Promise<boolean>;
  /**
   * Stores a state, and drops the lines before it.
   * @param beforeLast runs before the state counts; if it rejects, nothing is stored
   * @returns false if this process is not the writer any more
   */
  replaceBase(
    writer: number,
    base: {
      readonly sequence: number;
      readonly texts: Iterable<string>;
      readonly beforeLast: () => Promise<void>;
      /** A line to add at the state's position, in place of all others. Default: that line is in the table already. */
      readonly line?: string;
    },
  ): Promise<Base | undefined>;
  /**
   * Stores a document in place of an earlier one; without texts it only removes that.
   * @returns whether there was an earlier one
   * @throws TakenOverError if this process is not the writer any more
   */
  replaceDocument(writer: number, document: string, texts: Iterable<string>): Promise<boolean>;
  /** The text of a document; undefined if it does not exist. */
  readDocument(document: string): Promise<readonly string[] | undefined>;
  /** The documents whose names begin so, with the first part of their text. */
  documentsNamed(prefix: string): Promise<readonly { document: string; text: string }[]>;
  /** Tells other processes that there are new lines. A hint: it may be lost. */
  notify(): Promise<void>;
  /** Calls `onHint` when there may be new lines. */
  listen(onHint: () => void): void;
  close(): void;
}

/** The connections of a process, by purpose: a long statement of one must not delay the others. */
export type Links = Readonly<Record<(typeof PURPOSES)[number], Link>>;

/** Every purpose. */
export const PURPOSES = ["writing", "reading", "compacting", "documents"] as const;

/** How long a statement may take. */
const TIMEOUT_MS = 5000;
/** How long a transaction that has locked the base row may wait for its process. */
const IDLE_MS = 1000;
/** The text of a part: fewer and larger statements are faster, but hold the event loop longer. */
const PART_CHARACTERS = 1 << 18;
/** How many parts are read at once. */
const PARTS_AT_ONCE = 4;
/** The document with the compacted state; the position makes its name unique. */
const baseDocument = (sequence: number): string => `base:${sequence}`;

/** The tables in PostgreSQL. */
export class PostgresTables implements JournalTables {
  readonly #sandbox: string;
  readonly #links: Links;

  constructor(sandbox: string, links: Links) {
    this.#sandbox = sandbox;
    this.#links = links;
  }

  /** Adds the rows of a sandbox that does not exist yet. */
  async prepare(): Promise<void> {
    await this.#links.writing.run(
      (sql) => sql`
        WITH created AS (
          INSERT INTO pix_sandbox_base (sandbox) VALUES (${this.#sandbox})
          ON CONFLICT DO NOTHING RETURNING sandbox
        )
        INSERT INTO pix_sandbox_journal (sandbox, sequence, line) SELECT sandbox, 0, '' FROM created`,
      TIMEOUT_MS,
    );
  }

  /** Whether the sandbox exists, and a process has written it. */
  async hasState(): Promise<boolean> {
    const rows = await this.#links.reading
      .run(
        (sql) => sql`
          SELECT FROM pix_sandbox_base
          WHERE sandbox = ${this.#sandbox} AND (writer > 0 OR sequence > 0)`,
        TIMEOUT_MS,
      )
      .catch((error: unknown) => {
        if (isMissingTable(error)) return [];
        throw error;
      });
    return rows.length > 0;
  }

  /**
   * Stores a state and its documents in a sandbox that has none.
   * @param state.line the line at the state's position, without its line feed
   * @returns false if the sandbox has a state: nothing is stored then
   */
  create(state: {
    readonly sequence: number;
    readonly texts: Iterable<string>;
    readonly line: string;
    readonly documents: readonly { readonly document: string; readonly texts: Iterable<string> }[];
  }): Promise<boolean> {
    const sandbox = this.#sandbox;
    const { sequence, texts, line, documents } = state;
    return this.#links.compacting.run(
      (sql) =>
        sql
          .begin(async (inside) => {
            const bytes = await this.#insertParts(inside, baseDocument(sequence), texts);
            for (const one of documents) await this.#insertParts(inside, one.document, one.texts);
            // Only from here on do processes wait that start with this sandbox.
            await inside`
              INSERT INTO pix_sandbox_base (sandbox) VALUES (${sandbox}) ON CONFLICT DO NOTHING`;
            const { count } = await inside`
              UPDATE pix_sandbox_base SET sequence = ${sequence}, bytes = ${bytes}
              WHERE sandbox = ${sandbox} AND writer = 0 AND sequence = 0`;
            if (count === 0) throw new NotLastError();
            await inside`DELETE FROM pix_sandbox_journal WHERE sandbox = ${sandbox}`;
            await inside`
              INSERT INTO pix_sandbox_journal (sandbox, sequence, line)
              VALUES (${sandbox}, ${sequence}, ${line})`;
            return true;
          })
          .catch((error: unknown) => {
            // A conflict: another copy has stored a document with the same name.
            if (error instanceof NotLastError || isConflict(error)) return false;
            throw error;
          }),
      Number.POSITIVE_INFINITY,
    );
  }

  append(position: number, lines: string): Promise<boolean> {
    return this.#links.writing.run((sql) => this.#insert(sql, position, lines), TIMEOUT_MS);
  }

  linesFrom(position: number, limit: number): Promise<readonly Line[]> {
    return this.#links.reading.run(
      (sql) => sql<Line[]>`
        SELECT sequence::float8 AS sequence, line FROM pix_sandbox_journal
        WHERE sandbox = ${this.#sandbox} AND sequence >= ${position}
        ORDER BY sequence LIMIT ${limit}`,
      TIMEOUT_MS,
    );
  }

  readBase(onText: (text: string) => void): Promise<Base> {
    return this.#links.compacting.run(
      (sql) =>
        // One view of the tables: a compaction may replace the document meanwhile.
        sql.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY", async (inside) => {
          const [base = { sequence: 0, bytes: 0 }] = await inside<Base[]>`
            SELECT sequence::float8 AS sequence, bytes::float8 AS bytes FROM pix_sandbox_base
            WHERE sandbox = ${this.#sandbox}`;
          const document = baseDocument(base.sequence);
          await inside<{ text: string }[]>`
            SELECT text FROM pix_sandbox_document
            WHERE sandbox = ${this.#sandbox} AND document = ${document} ORDER BY part`.cursor(
            PARTS_AT_ONCE,
            (rows) => {
              for (const { text } of rows) onText(text);
            },
          );
          return base;
        }),
      Number.POSITIVE_INFINITY,
    );
  }

  claim(position: number, line: string): Promise<number | undefined> {
    return this.#links.writing.run(
      (sql) =>
        sql
          .begin(async (inside) => {
            await endIfIdle(inside);
            const [row] = await inside<[{ writer: number }?]>`
              UPDATE pix_sandbox_base SET writer = writer + 1 WHERE sandbox = ${this.#sandbox}
              RETURNING writer::float8 AS writer`;
            if (!row || !(await this.#insert(inside, position, line))) throw new NotLastError();
            return row.writer;
          })
          .catch((error: unknown) => {
            if (error instanceof NotLastError) return undefined;
            throw error;
          }),
      TIMEOUT_MS,
    );
  }

  confirm(writer: number): Promise<boolean> {
    return this.#links.writing.run(async (sql) => {
      const { count } = await sql`
        UPDATE pix_sandbox_base SET writer = ${writer}
        WHERE sandbox = ${this.#sandbox} AND writer = ${writer}`;
      return count > 0;
    }, TIMEOUT_MS);
  }

  replaceBase(
    writer: number,
    { sequence, texts, beforeLast, line }: Parameters<JournalTables["replaceBase"]>[1],
  ): Promise<Base | undefined> {
    const sandbox = this.#sandbox;
    const document = baseDocument(sequence);
    return this.#links.compacting.run(
      (sql) =>
        sql
          .begin(async (inside) => {
            // A state that was stored at this position before, but did not count.
            await inside`DELETE FROM pix_sandbox_document WHERE sandbox = ${sandbox} AND document = ${document}`;
            const bytes = await this.#insertParts(inside, document, texts);
            await beforeLast();
            await endIfIdle(inside);
            // The row stays locked until the end, so that no other process becomes the writer meanwhile.
            const { count } = await inside`
            UPDATE pix_sandbox_base SET sequence = ${sequence}, bytes = ${bytes}
            WHERE sandbox = ${sandbox} AND writer = ${writer}`;
            if (count === 0) throw new NotWriterError();
            await inside`
            DELETE FROM pix_sandbox_document
            WHERE sandbox = ${sandbox} AND starts_with(document, 'base:') AND document <> ${document}`;
            const drop = () => inside`
              DELETE FROM pix_sandbox_journal
              WHERE sandbox = ${sandbox} AND (sequence < ${sequence} OR ${line !== undefined})`;
            // The last line remains: the next one is added only after it.
            await drop();
            // An append whose connection was lost may have been under way: the first statement waited for it, but only
            // a later one sees its lines.
            if (line !== undefined) await drop();
            if (line !== undefined)
              await inside`
              INSERT INTO pix_sandbox_journal (sandbox, sequence, line)
              VALUES (${sandbox}, ${sequence}, ${line})`;
            return { sequence, bytes };
          })
          .catch((error: unknown) => {
            if (error instanceof NotWriterError) return undefined;
            throw error;
          }),
      Number.POSITIVE_INFINITY,
    );
  }

  replaceDocument(writer: number, document: string, texts: Iterable<string>): Promise<boolean> {
    const sandbox = this.#sandbox;
    return this.#links.documents.run(
      (sql) =>
        sql.begin(async (inside) => {
          const { count } = await inside`
            DELETE FROM pix_sandbox_document WHERE sandbox = ${sandbox} AND document = ${document}`;
          await this.#insertParts(inside, document, texts);
          await endIfIdle(inside);
          const rows = await inside`
            SELECT FROM pix_sandbox_base WHERE sandbox = ${sandbox} AND writer = ${writer} FOR SHARE`;
          if (rows.length === 0) throw new TakenOverError();
          return count > 0;
        }),
      Number.POSITIVE_INFINITY,
    );
  }

  async readDocument(document: string): Promise<readonly string[] | undefined> {
    // In one statement, since another one may replace the document meanwhile.
    const rows = await this.#links.documents.run(
      (sql) => sql<{ text: string }[]>`
        SELECT text FROM pix_sandbox_document
        WHERE sandbox = ${this.#sandbox} AND document = ${document} ORDER BY part`,
      Number.POSITIVE_INFINITY,
    );
    return rows.length === 0 ? undefined : rows.map(({ text }) => text);
  }

  documentsNamed(prefix: string): Promise<readonly { document: string; text: string }[]> {
    return this.#links.documents.run(
      (sql) => sql<{ document: string; text: string }[]>`
        SELECT document, text FROM pix_sandbox_document
        WHERE sandbox = ${this.#sandbox} AND part = 0 AND starts_with(document, ${prefix})`,
      Number.POSITIVE_INFINITY,
    );
  }

  async notify(): Promise<void> {
    await this.#links.reading.run((sql) => sql.notify(this.#channel, ""), TIMEOUT_MS);
  }

  listen(onHint: () => void): void {
    this.#links.reading.listen(this.#channel, onHint);
  }

  close(): void {
    for (const link of Object.values(this.#links)) link.close();
  }

  get #channel(): string {
    return `pix_sandbox:${this.#sandbox}`;
  }

  /** @returns the size of the texts in bytes */
  async #insertParts(sql: SqlTag, document: string, texts: Iterable<string>): Promise<number> {
    let bytes = 0;
    let part = 0;
    for (const text of joined(texts)) {
      await sql`
        INSERT INTO pix_sandbox_document (sandbox, document, part, text)
        VALUES (${this.#sandbox}, ${document}, ${part++}, ${text})`;
      bytes += Buffer.byteLength(text);
    }
    return bytes;
  }

  /**
   * The line before is locked, so that it cannot be dropped meanwhile: after a later state has replaced it, the key of
   * the next one would be free again.
   */
  async #insert(sql: SqlTag, position: number, lines: string): Promise<boolean> {
    try {
      const { count } = await sql`
        WITH last AS MATERIALIZED (
          SELECT sequence FROM pix_sandbox_journal
          WHERE sandbox = ${this.#sandbox} AND sequence = ${position} FOR KEY SHARE
        )
        INSERT INTO pix_sandbox_journal (sandbox, sequence, line)
        SELECT ${this.#sandbox}, last.sequence + added.number, added.line
        FROM last, unnest(string_to_array(${lines.slice(0, -1)}, E'\n')) WITH ORDINALITY AS added (line, number)`;
      return count > 0;
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
  }
}

/** A statement, in or outside a transaction. */
type SqlTag = (
  text: TemplateStringsArray,
  ...values: readonly (string | number)[]
) => PromiseLike<{ readonly count: number }>;

/**
 * Lets the database end this transaction when its process has stopped or cannot be reached any more: the row that it
 * locks next would otherwise prevent every other process from becoming the writer.
 */
async function endIfIdle(inside: SqlTag): Promise<void> {
  await inside`SELECT set_config('idle_in_transaction_session_timeout', ${String(IDLE_MS)}, true)`;
}

/** The position is not the last one. */
class NotLastError extends Error {}

/** Another process has become the writer. */
class NotWriterError extends Error {}

/** The pieces as texts: each ends with a whole character. */
export function* textsOf(pieces: Iterable<Buffer>): Generator<string> {
  for (const piece of pieces) yield piece.toString();
}

/** Joins texts until they have the size of a part. */
function* joined(texts: Iterable<string>): Generator<string> {
  let part = "";
  for (const text of texts) {
    part += text;
    if (part.length < PART_CHARACTERS) continue;
    yield part;
    part = "";
  }
  if (part !== "") yield part;
}
