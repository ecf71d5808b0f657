import { type CliError, usageError } from "../terminal/errors.ts";
import { isTooDeep } from "../../wire/json.ts";
import type { Io } from "../terminal/io.ts";
import { readBytes } from "../terminal/read-bytes.ts";
import { PROGRAM } from "../../platform/program.ts";
import { say } from "../../text/message.ts";

/** A webhook request that the merchant captured. */
export interface CapturedRequest {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body's bytes, as captured. */
  readonly body: Buffer;
  /** Whether the capture contains the body as a JSON value. Then `body` is our serialization of it. */
  readonly isParsed: boolean;
}

/** More than any webhook, in the event of a serverless function or a log. */
const MAX_LEVELS = 100;

/** The accepted forms of a capture. */
const FORMS = say`Pass the request as it arrived (header lines, an empty line, the body), JSON with headers and body, or the output of webhooks show --json.`;

/**
 * Reads a capture from a file, by default from stdin.
 * @throws CliError for an invalid capture, or if stdin is a terminal.
 */
export async function readCapturedRequest(
  file: string | undefined,
  io: Pick<Io, "stdin" | "cwd">,
): Promise<CapturedRequest> {
  if (file === undefined && io.stdin.isTTY) {
    throw usageError(
      say`Pass the file with the captured request, or pipe it in.`,
      say`${PROGRAM} webhooks verify captured.http; or: ${PROGRAM} webhooks show ID --json | ${PROGRAM} webhooks verify`,
    );
  }
  const bytes = withoutMark(await readBytes(file ?? "-", io));
  const text = bytes.toString("latin1");
  if (text.trim() === "") throw usageError(say`The captured request is empty.`, FORMS);
  return /^\s*\{/.test(text) ? fromJson(bytes.toString()) : fromHttp(bytes);
}

/** Some editors save files with a byte order mark. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes.toString("utf8", 0, 3) === "\ufeff" ? bytes.subarray(3) : bytes;
}

/** Reads an optional request line, header lines, an empty line, and all bytes of the body. */
function fromHttp(bytes: Buffer): CapturedRequest {
  const text = bytes.toString("latin1");
  const begin = /^(?:\r?\n)*(?:[A-Z]+ \S+(?: HTTP\/[\d.]+)?\r?\n)?/.exec(text)?.[0].length ?? 0;
  const [head = ""] = /^[^]*?(?:\r?\n\r?\n|$)/.exec(text.slice(begin)) ?? [];
  const headers = new Map<string, string>();
  for (const line of head.split(/\r?\n/).filter(Boolean)) {
    const [, name, value = ""] = /^([^\s:]+)[ \t]*:(.*)$/.exec(line) ?? [];
    if (name === undefined) {
      const shown = JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}…` : line);
      throw usageError(say`The captured request has an invalid header line: ${shown}.`, FORMS);
    }
    const before = headers.get(name.toLowerCase());
    // The values of a repeated header are joined, as in HTTP.
    headers.set(name.toLowerCase(), [before, value.trim()].filter(Boolean).join(", "));
  }
  const body = bytes.subarray(begin + head.length);
  return { headers: Object.fromEntries(headers), body, isParsed: false };
}

/** Reads logged headers and body, or a delivery as the sandbox's commands print it. */
function fromJson(text: string): CapturedRequest {
  const logged = parse(text);
  if (isTooDeep(logged, MAX_LEVELS))
    throw usageError(
      say`The captured request is nested more than ${MAX_LEVELS} levels deep.`,
      FORMS,
    );
  if (!isObject(logged)) throw notCaptured();
  const { headers, body, attempts, attempt } = logged;
  if (Array.isArray(attempts) && attempts.length === 0 && attempt === undefined) {
    throw usageError(
      say`The webhook has not been sent yet.`,
      say`Verify it afterwards: ${PROGRAM} webhooks show ID --json | ${PROGRAM} webhooks verify`,
    );
  }
  const sent = headers ?? headersOf(attempt) ?? headersOf(attempts);
  if (!isObject(sent)) throw notCaptured();
  return { headers: toHeaders(sent), ...toBody(body) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usageError(
      say`The captured request is not valid JSON: ${(error as Error).message}.`,
      say`Pass one request, such as one line of webhooks tail --json.`,
    );
  }
}

function notCaptured(): CliError {
  return usageError(say`The captured request has no headers in its JSON.`, FORMS);
}

/** The headers of the attempt, or of the last of several. */
function headersOf(attempts: unknown): unknown {
  const attempt: unknown = Array.isArray(attempts) ? attempts.at(-1) : attempts;
  return isObject(attempt) ? attempt["headers"] : undefined;
}

function toHeaders(logged: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(logged)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [
        name.toLowerCase(),
        Array.isArray(value) ? value.map(toText).join(", ") : toText(value),
      ]),
  );
}

/** An object's own `toString` may not be a function. */
function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Reads a logged body: a text, or a JSON value. */
function toBody(logged: unknown): Pick<CapturedRequest, "body" | "isParsed"> {
  if (logged === undefined || logged === null) return { body: Buffer.alloc(0), isParsed: false };
  if (typeof logged === "string") return { body: Buffer.from(logged), isParsed: false };
  return { body: Buffer.from(JSON.stringify(logged)), isParsed: true };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
