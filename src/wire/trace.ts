import type { Language } from "../text/languages.ts";

/** The lists of a trace, by their routes below `/_sandbox`. */
export const TRACE_ROWS = [
  "/payins",
  "/payouts",
  "/deliveries",
  "/requests",
  "/faults",
  "/snapshots",
  "/integrations",
] as const;

/** A row of a list; `integration` is null for a row of all of them. */
export interface Row {
  readonly id?: string;
  readonly integration: string | null;
  /** Of a webhook. */
  readonly transaction_id?: string;
  /** Of a request or a webhook. */
  readonly body?: string | null;
  /** Of a fault. */
  readonly match?: object;
}

export type TraceRows = Readonly<Record<(typeof TRACE_ROWS)[number], readonly Row[]>>;

/** The data of a trace's file: what the routes that the page reads responded when it was written. */
export interface Trace {
  /** The version of the program that wrote it. */
  readonly program: string;
  /** Real time, in ISO 8601. */
  readonly written_at: string;
  readonly rows: TraceRows;
  readonly values: Readonly<Record<"/clock", object>>;
  /** The responses that have texts of the program. */
  readonly texts: Readonly<Record<Language, TraceTexts>>;
}

type TraceTexts = Readonly<Record<"/report" | "/report/rules" | "/assumptions", object>>;
