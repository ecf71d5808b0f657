import { readFile, stat } from "node:fs/promises";
import * as z from "zod";
import { type AssumptionChanges, readChoice } from "../../core/assumptions/table.ts";
import { type Change, Records } from "../../core/state/records.ts";
import type { WireRequest } from "../../core/state/wire.ts";
import { changeSchema } from "../../store/format/schema.ts";
import { StateFileError } from "../../store/errors.ts";
import { review } from "../../http/schemas/finding.ts";
import type { WireReview } from "../../review/report.ts";
import { type Language, LANGUAGE_NAMES } from "../../text/languages.ts";
import { type Message, say } from "../../text/message.ts";
import { END_OF_TIME_MS } from "../../wire/timestamp.ts";
import { toUrl } from "../../wire/url.ts";

/** A trace: what has happened in a sandbox, so that its reader can look at each moment and go on from there. */
export interface Trace {
  readonly type: "pix-sandbox-trace";
  readonly version: 1;
  /** The version of the program that wrote it. */
  readonly program: string;
  /** Real time, in ISO 8601. */
  readonly written_at: string;
  /** Whether personal data and tokens were replaced. */
  readonly masked: boolean;
  readonly assumptions: AssumptionChanges;
  /** The records before the first step. */
  readonly start: Step;
  /** The commits since then, the oldest first. */
  readonly steps: readonly Step[];
  /** The requests of the gateway, the oldest first. */
  readonly requests: readonly TracedRequest[];
  /** The tests that the caller has named, in the order in which they began. */
  readonly tests: readonly TracedTest[];
  /** The review at the end, as its route responds in each language. */
  readonly reports: Readonly<Record<Language, WireReview>>;
}

export interface TracedRequest extends WireRequest {
  /** The id of its test. */
  readonly test?: number | undefined;
}

/** A test, and the steps in which it ran. */
export interface TracedTest {
  readonly id: number;
  readonly name: string;
  /** Null if it is about the whole sandbox. */
  readonly integration: string | null;
  /** How many steps were before it. */
  readonly from: number;
  /** How many there are with its own. */
  readonly until: number;
}

/** The part of a trace that a recorder stores. */
export type Recorded = Pick<Trace, "start" | "steps" | "requests" | "tests">;
/** The part that records are read from. */
export type Steps = Pick<Trace, "start" | "steps">;

/** A commit of the store. */
export interface Step {
  /** Sandbox time, in epoch milliseconds. */
  readonly at: number;
  /** The number of the newest event after it. */
  readonly event: number;
  readonly change: Change;
}

const step = z.strictObject({ at: z.number(), event: z.int().min(0), change: changeSchema });
const texts = z.record(z.string(), z.string());

const traceSchema = z.strictObject({
  type: z.literal("pix-sandbox-trace"),
  version: z.literal(1),
  program: z.string(),
  written_at: z.iso.datetime(),
  masked: z.boolean(),
  assumptions: z.record(z.string(), z.unknown()),
  start: step,
  steps: z.array(step),
  requests: z.array(
    z.looseObject({
      id: z.string().regex(/^req_[1-9]\d{0,9}$/),
      at: z.iso.datetime(),
      method: z.string(),
      path: z.string(),
      headers: texts,
      body: z.string().nullable(),
      status: z.int(),
      response_headers: texts,
      response: z.string().nullable(),
      lost: z.boolean(),
      duration_ms: z.number(),
      integration: z.string().nullable(),
      test: z.int().optional(),
    }),
  ),
  tests: z.array(
    z.strictObject({
      id: z.int(),
      name: z.string(),
      integration: z.string().nullable(),
      from: z.int().min(0),
      until: z.int().min(0),
    }),
  ),
  reports: z.record(z.enum(LANGUAGE_NAMES), review),
});

/** A larger file is no trace. */
const MAX_TRACE_BYTES = 32 * 1024 * 1024;

/** Checks what a file says to be a trace. @throws StateFileError */
export function checkTrace(value: unknown, name: string): Trace {
  const { success, error } = traceSchema.safeParse(value);
  const [issue] = error?.issues ?? [];
  if (!success) throw notATrace(name, `${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`);
  const trace = value as Trace;
  const flaw =
    flawOf(trace.assumptions, "assumptions") ?? flawIn(trace.start) ?? flawIn(trace.steps);
  if (flaw !== undefined) throw notATrace(name, flaw);
  return trace;
}

/** Finds what the schema of a state file, which a user trusts, lets pass: times and addresses that are none. */
function flawIn(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, one] of Object.entries(value) as [string, unknown][]) {
    const flaw = flawOf(one, name) ?? flawIn(one);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

function flawOf(value: unknown, name: string): string | undefined {
  if (typeof value === "number" && /^at$|Ms$/.test(name))
    return Math.abs(value) < END_OF_TIME_MS ? undefined : `${name} is no time`;
  if (typeof value === "string" && (name === "url" || name === "webhookUrl"))
    return /^https?:$/.test(toUrl(value)?.protocol ?? "") ? undefined : `${name} is no address`;
  if (name !== "assumptions" && name !== "changes") return undefined;
  const wrong = Object.entries(value as object).find(
    ([assumption, choice]) => "refusal" in readChoice(assumption, choice),
  );
  return wrong && `${JSON.stringify(wrong[0])} has an unknown choice`;
}

/**
 * Reads the trace of a file.
 * @throws StateFileError if it holds none, or cannot be read
 */
export async function readTraceFile(file: string): Promise<Trace> {
  try {
    const { size } = await stat(file);
    if (size > MAX_TRACE_BYTES) throw notATrace(file, say`it is too large`);
    return readTrace(await readFile(file, "utf8"), file);
  } catch (error) {
    if (error instanceof StateFileError) throw error;
    throw new StateFileError(say`The trace ${file} cannot be read: ${(error as Error).message}.`);
  }
}

/**
 * Reads the trace in an HTML file.
 * @throws StateFileError if it holds none
 */
export function readTrace(html: string, name: string): Trace {
  const [, text] = /<script type="application\/json" id="trace">(.*?)<\/script>/s.exec(html) ?? [];
  if (text === undefined) throw notATrace(name, say`it has no element with the id "trace"`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notATrace(name, say`its data is not JSON`);
  }
  return checkTrace(value, name);
}

function notATrace(name: string, reason: string | Message): StateFileError {
  return new StateFileError(
    say`The file ${name} is not a trace of this version of pix-sandbox (${reason}). Write one with serve --trace FILE.`,
  );
}

/**
 * The records as they were after some steps.
 * @param count how many of the steps; default: all
 */
export function recordsAt({ start, steps }: Steps, count = steps.length): Records {
  const records = new Records();
  for (const { change, event } of [start, ...steps.slice(0, count)]) {
    records.apply(change);
    records.continueAfter(event);
  }
  return records;
}

/** The sandbox time after some steps, in epoch milliseconds. */
export function timeAt({ start, steps }: Steps, count = steps.length): number {
  return (steps[count - 1] ?? start).at;
}
