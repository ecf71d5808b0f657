import { say } from "../../text/message.ts";
import type { Row, Trace, TraceRows } from "../../wire/trace.ts";
import { language, t } from "./language.ts";

/** The data of the trace that this page is; undefined if it is the page of a sandbox. */
export const trace = readTrace();

function readTrace(): Trace | undefined {
  const text = document.querySelector("#trace")?.textContent;
  return text == null ? undefined : (JSON.parse(text) as Trace);
}

/**
 * Answers a call of a control route with what the sandbox had when the trace was written.
 * @param integration whose rows the page shows; null for all
 */
export function answerFrom(
  { rows, values, texts }: Trace,
  method: string,
  address: string,
  integration: string | null,
): Response {
  if (method !== "GET") return Response.json({ message: t(CANNOT_CHANGE) }, { status: 422 });
  const [path = "", query] = address.split("?");
  const value = (texts[language.value] as Answers)[path] ?? (values as Answers)[path];
  if (value !== undefined) return Response.json(value);
  const list = rowsOf(rows, path);
  if (list) {
    const of = new URLSearchParams(query).get("transaction_id");
    const isShown = (row: Row): boolean =>
      (integration === null || row.integration === null || row.integration === integration) &&
      (of === null || row.transaction_id === of);
    return Response.json({ data: list.filter(isShown), next: null });
  }
  const end = path.lastIndexOf("/");
  const id = decodeURIComponent(path.slice(end + 1));
  const row = rowsOf(rows, path.slice(0, end))?.find((one) => one.id === id);
  return row ? Response.json(row) : Response.json({ message: t(NOT_HERE) }, { status: 404 });
}

type Answers = Readonly<Record<string, object | undefined>>;

function rowsOf(rows: TraceRows, path: string): readonly Row[] | undefined {
  return (rows as Readonly<Record<string, readonly Row[] | undefined>>)[path];
}

export const CANNOT_CHANGE = say`A trace cannot be changed.`;
const NOT_HERE = say`The trace does not have this record.`;
