import type { Trace } from "../../src/wire/trace.ts";

/** Reads the data of a trace's file. */
export function readTrace(html: string): Trace {
  const [, data = ""] =
    /<script type="application\/json" id="trace">(.*?)<\/script>/s.exec(html) ?? [];
  return JSON.parse(data) as Trace;
}
