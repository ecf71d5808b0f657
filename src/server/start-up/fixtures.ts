import { readFile } from "node:fs/promises";
import * as z from "zod";
import type { Assumptions } from "../../core/assumptions/table.ts";
import {
  jsonError,
  isTooDeep,
  MAX_JSON_LEVELS,
  toCanonicalText,
  withoutByteOrderMark,
} from "../../wire/json.ts";
import { unreadable } from "../../text/file-reason.ts";
import { type FieldError, FixtureError } from "../../core/records/errors.ts";
import type { Fixture, RecordFixture } from "../../core/operations/fixture-loader.ts";
import { readerOf } from "../../http/parse/bodies.ts";
import type { BodyReader } from "../../http/parse/body.ts";
import { readFault } from "../../http/routes/faults.ts";
import {
  type Draft,
  type Kind,
  PAYIN_STATUSES,
  PAYOUT_STATUSES,
} from "../../core/records/transaction.ts";
import { toWireNames } from "../../text/plain/camel-case.ts";
import { joined, type Message, say } from "../../text/message.ts";
import { english } from "../../text/languages.ts";

/** Unread fixtures, and the name of their source in messages. */
export interface FixtureSource {
  readonly title: Message;
  readonly value: unknown;
}

type Entry = Readonly<Record<string, unknown>>;
type List = "payins" | "payouts" | "faults";

/** The integration of an entry that names none; commands use the same. */
const TOKEN = "sandbox";
const NOT_AN_OBJECT = say`it must be a JSON object.`;
const NOT_A_LIST = say`it must be a list.`;
const TOO_DEEP = say`: it is nested more than ${MAX_JSON_LEVELS} levels deep.`;
const NO_TOKEN = say`token must be text, and not empty.`;
/** The messages of the schemas, which give the English text. */
const MESSAGES = [NOT_AN_OBJECT, NOT_A_LIST, NO_TOKEN];
const entries = z.array(
  z.custom<Entry>((value) => isObject(value), english(NOT_AN_OBJECT)),
  english(NOT_A_LIST),
);
const file = z.strictObject(
  { payins: entries.optional(), payouts: entries.optional(), faults: entries.optional() },
  english(NOT_AN_OBJECT),
);
const token = z
  .string(english(NO_TOKEN))
  .trim()
  // A header cannot contain control characters.
  .regex(/^[^\p{Cc}]+$/u, english(NO_TOKEN));
const STATUSES = { payin: z.enum(PAYIN_STATUSES), payout: z.enum(PAYOUT_STATUSES) };

/** @throws FixtureError for a file that cannot be read, is not JSON or has not the lists of fixtures */
export async function readFixtureFile(name: string): Promise<FixtureSource> {
  const title = say`The fixtures file ${name}`;
  const text = await readFile(name, "utf8").catch((error: Error) => {
    throw new FixtureError(title, say` cannot be read: ${unreadable(error)}.`);
  });
  const content = withoutByteOrderMark(text);
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    throw new FixtureError(title, say` is not JSON: ${jsonError(content)}.`);
  }
  check(file, value, title);
  return { title, value };
}

/** Converts fixtures with the member names of the programmatic API. */
export function toFixtureSource(fixtures: object): FixtureSource {
  const lists = Object.entries(fixtures).map(([list, all]: [string, unknown]) => [
    list,
    Array.isArray(all)
      ? all.map((entry: unknown) => (isObject(entry) ? toWireNames(entry as Entry) : entry))
      : all,
  ]);
  const given = lists.filter(([, all]) => all !== undefined);
  return {
    title: say`The option fixtures`,
    value: Object.fromEntries(given),
  };
}

/**
 * Reads fixtures: each entry as the gateway reads a request under the assumptions of its integration.
 * @throws FixtureError for the first error.
 */
export function readFixtures(
  sources: readonly FixtureSource[],
  assumptionsOf: (integration: string) => Assumptions,
): readonly Fixture[] {
  const strict = new Map<Assumptions, Assumptions>();
  const strictFor = (integration: string): Assumptions => {
    const effective = assumptionsOf(integration);
    // One object for equal choices, so that readers are built once.
    const assumptions = strict.get(effective) ?? { ...effective, unknown_field: "reject" };
    strict.set(effective, assumptions);
    return assumptions;
  };
  const all = numbered(sources.flatMap(entriesOf));
  return all.map((entry) => {
    if (entry.list === "payins")
      return readRecord(entry, "payin", (integration) => readerOf("payin", strictFor(integration)));
    if (entry.list === "payouts")
      return readRecord(entry, "payout", (of) => readerOf("payout", strictFor(of)));
    const { name, place, value } = entry;
    const { token: given, ...fault } = value;
    const integration =
      given === undefined ? null : check(token, given, joined([place, ".token"], ""));
    return { kind: "fault", name, place, integration, draft: read(readFault, fault, place) };
  });
}

interface PlacedEntry {
  readonly list: List;
  readonly name: string;
  readonly place: Message;
  readonly value: Entry;
}

function entriesOf({ title, value }: FixtureSource): PlacedEntry[] {
  const lists = check(file, value, title);
  return (["payins", "payouts", "faults"] as const).flatMap((list) =>
    (lists[list] ?? []).map((entry, index) => {
      const place = joined([title, `, ${list}.${index}`], "");
      // Like a request's body.
      if (isTooDeep(entry)) throw new FixtureError(place, TOO_DEEP);
      return { list, name: `${list} ${toCanonicalText(entry)}`, place, value: entry };
    }),
  );
}

/** An entry is identified by its content, not its position; equal entries are counted. */
function numbered(all: readonly PlacedEntry[]): PlacedEntry[] {
  const counts = new Map<string, number>();
  return all.map((entry) => {
    const count = (counts.get(entry.name) ?? 0) + 1;
    counts.set(entry.name, count);
    return { ...entry, name: `${count} ${entry.name}` };
  });
}

function readRecord(
  { name, place, value }: PlacedEntry,
  kind: Kind,
  readerFor: (integration: string) => BodyReader<Draft>,
): RecordFixture {
  const { token: given = TOKEN, status = "waiting", ...body } = value;
  const integration = check(token, given, joined([place, ".token"], ""));
  return {
    kind,
    name,
    place,
    integration,
    status: check(STATUSES[kind], status, joined([place, ".status"], "")),
    draft: read(readerFor(integration), body, place),
  };
}

function read<Read>(reader: BodyReader<Read>, body: Entry, place: Message): Read {
  const fields: FieldError[] = [];
  const draft = reader(body, fields);
  if (draft !== undefined) return draft;
  const messages = fields.map(({ message }) => message);
  throw new FixtureError(joined([place, `.${fields[0]?.field}`], ""), say`: ${joined(messages)}`);
}

function check<Value>(schema: z.ZodType<Value>, value: unknown, place: Message): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0] as z.core.$ZodIssue;
  const path = issue.path.join(".");
  const at = path === "" ? place : joined([place, `, ${path}`], "");
  if (issue.code === "unrecognized_keys")
    throw new FixtureError(
      at,
      say`: ${JSON.stringify(issue.keys[0])} is none of payins, payouts and faults.`,
    );
  if (schema instanceof z.ZodEnum)
    throw new FixtureError(at, say`: status must be one of ${schema.options.join(", ")}.`);
  const message = MESSAGES.find((one) => english(one) === issue.message) ?? issue.message;
  throw new FixtureError(at, say`: ${message}`);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
