import { readdirSync, readFileSync } from "node:fs";
import type { Json } from "./gateway.ts";

/** The folder of valid requests, of those that are refused or taken, and of stories. */
export const FIXTURES = new URL("../../fixtures/", import.meta.url);

/** A request as a fixture describes it. */
export interface Request {
  readonly method: string;
  readonly path: string;
  /** The file of `fixtures/requests` that the body begins as. */
  readonly base?: string;
  /** Members in place of the base's, or beside them. */
  readonly members?: Json;
  /** The same as JSON text, for what JSON.stringify would write in another way. */
  readonly texts?: Readonly<Record<string, string>>;
  readonly without?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly omit_headers?: readonly string[];
  /** The whole body, in place of a base: as JSON, as text, as hexadecimal bytes, or by a name of GENERATED. */
  readonly body?: unknown;
  readonly raw?: string;
  readonly bytes?: string;
  readonly generate?: string;
  readonly is_chunked?: boolean;
  /** Everything that is written to the socket, a byte a character. */
  readonly socket?: string;
}

export interface Case {
  readonly name: string;
  /** What there is before the request, by a name of GIVENS; `{id}` stands for its id. */
  readonly given?: string;
  readonly request: Request;
}

export interface Refusal extends Case {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly answer: unknown;
}

export interface Acceptance extends Case {
  /** Members of the record, where they are not those that were sent. */
  readonly record?: Json;
}

/** The files of one of its folders, by their names. */
export function readFolder<Content>(folder: string): Map<string, Content> {
  const files = readdirSync(new URL(`${folder}/`, FIXTURES)).toSorted();
  return new Map(
    files.map((file) => {
      const text = readFileSync(new URL(`${folder}/${file}`, FIXTURES), "utf8");
      return [file.replace(/\.json$/, ""), JSON.parse(text) as Content] as const;
    }),
  );
}
