import { unreadable } from "../../text/file-reason.ts";
import { DELIVERY_STATUSES } from "../../core/records/delivery.ts";
import { readFile } from "node:fs/promises";
import * as z from "zod";
import { effectRule, FAULT_PLACES, isEffectOn, readEffect } from "../../core/faults/effects.ts";
import { isTooDeep, MAX_JSON_LEVELS } from "../../wire/json.ts";
import { withoutByteOrderMark } from "../../text/plain/byte-order-mark.ts";
import { PlayError } from "../play-error.ts";
import { SIGNATURES, SPELLINGS } from "../hand-made-webhook.ts";
import { hasStrayAny, referencesIn } from "./references.ts";
import { shippedScenarios } from "./shipped.ts";
import { PROGRAM } from "../../platform/program.ts";
import { english, LANGUAGE_NAMES } from "../../text/languages.ts";
import {
  joined,
  listed,
  type Message,
  say,
  translatable,
  translated,
  verbatim,
} from "../../text/message.ts";

/** A list of steps: actions and expectations, in order. */
export interface Scenario {
  readonly about: Message;
  readonly steps: readonly Step[];
}

/** A step: its verb and other members. */
export type Step = { [V in Verb]: { readonly verb: V } & z.output<(typeof SCHEMAS)[V]> }[Verb];
export type StepOf<V extends Verb> = Extract<Step, { verb: V }>;
export type Verb = keyof typeof SCHEMAS;

/** The messages of the schemas, by their English texts. */
const MESSAGES = new Map<string, Message>();

/** Zod carries a text. @returns the English one, by which {@link check} finds the message */
function asText(message: Message): string {
  const text = english(message);
  MESSAGES.set(text, message);
  return text;
}

const MERCHANT_ANSWERS = asText(
  say`Use HTTP statuses from 200, or nothing to close the connection.`,
);
const PROBABILITY = asText(say`Use a number from 0 to 1.`);
const httpStatus = (min: number, message: string) =>
  z.int(message).min(min, message).max(599, message);
const filled = z
  .string(asText(say`Use a string.`))
  .trim()
  .min(1, asText(say`The value is empty.`));
const name = z
  .string(asText(say`Use a name.`))
  .regex(/^[A-Za-z]\w*$/, asText(say`Use a name of letters, digits and underscores.`));
const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, asText(say`Invalid header name.`));
const headerText = filled.regex(/^[\t -~\u0080-\u00ff]*$/, asText(say`Invalid header value.`));
const members = z.record(z.string(), z.unknown(), asText(say`Use an object.`));
const yes = z.literal(true, asText(say`Use true.`));
const count = z.int(asText(say`Use a whole number.`)).min(0, asText(say`Use a whole number.`));
const duration = z
  .string(asText(say`Use a duration, such as 5m.`))
  .regex(
    /^\d+(\.\d+)?(ms|s|m|h|d)$/,
    asText(say`Use a duration, such as 500ms, 30s, 5m, 2h or 1d.`),
  );
/** English, or the text in each language. */
const description = z
  .union([filled, z.record(z.enum(LANGUAGE_NAMES), filled)], asText(say`Use a string.`))
  .transform((given): Message =>
    typeof given === "string" ? translatable(given) : translated(given),
  );
const oneOf = <Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, asText(say`Use one of ${values.join(", ")}.`));
/** The members of every step. */
const says = {
  says: description.optional(),
  /** The step shows a mistake: it is skipped if a handler under test is the merchant. */
  only: oneOf(["own_handler"]).optional(),
};

/** The expected response of a call. Default: status 200. */
const answer = z
  .strictObject(
    {
      status: httpStatus(100, asText(say`Use an HTTP status.`)).optional(),
      /** The error's code. */
      code: filled.optional(),
      /** By lower-case name; null means that the header must be absent. */
      headers: z.record(z.string(), z.string().nullable(), asText(say`Use an object.`)).optional(),
      body: members.optional(),
      /** The connection is lost before the response. */
      lost: yes.optional(),
    },
    asText(say`Use an object.`),
  )
  .optional();
const named = { as: name.optional() };
const creation = { ...says, key: headerText.optional(), ...named, answer, later: yes.optional() };

/** Each verb with its members. */
const SCHEMAS = {
  create_payin: z.strictObject({ create_payin: members, ...creation }),
  create_payout: z.strictObject({ create_payout: members, ...creation }),
  answer_of: z.strictObject({ answer_of: name, ...says, answer }),
  simulate: z.strictObject({
    simulate: name,
    status: z.enum(["completed", "canceled"], asText(say`Use completed or canceled.`)).optional(),
    ...says,
    answer,
  }),
  call: z.strictObject({
    call: z
      .string(asText(say`Use a method and a path.`))
      .regex(
        /^(GET|POST|PUT|PATCH|DELETE) \/[!-~]*$/,
        asText(say`Use a method and a path, such as PUT /v1/webhooks.`),
      ),
    body: z.unknown().optional(),
    headers: z.record(headerName, headerText, asText(say`Use an object.`)).optional(),
    key: headerText.optional(),
    ...says,
    ...named,
    answer,
  }),
  pay: z.strictObject({ pay: name, ...says, answer }),
  cancel: z.strictObject({ cancel: name, ...says, answer }),
  expire: z.strictObject({ expire: name, ...says, answer }),
  complete: z.strictObject({ complete: name, ...says, answer }),
  clock: z.strictObject({
    clock: z
      .string(asText(say`Use a string.`))
      .regex(
        /^(freeze|resume|advance \d+(\.\d+)?(ms|s|m|h|d)|set \S.*)$/,
        asText(say`Use freeze, resume, advance with a duration such as 5m, or set with a time.`),
      ),
    ...says,
  }),
  fault: z
    .strictObject({
      fault: filled,
      on: oneOf(FAULT_PLACES),
      times: z
        .int(asText(say`Use a whole number.`))
        .min(1, asText(say`Use 1 or more.`))
        .optional(),
      match: members.optional(),
      probability: z.number(PROBABILITY).min(0, PROBABILITY).max(1, PROBABILITY).optional(),
      ...says,
      ...named,
    })
    .superRefine(({ fault, on }, context) => {
      const effect = readEffect(fault);
      if (effect && isEffectOn(effect, on)) return;
      context.addIssue({
        code: "custom",
        path: ["fault"],
        message: asText(effectRule("fault", on)),
      });
    }),
  release: z.strictObject({ release: name, order: z.array(name).optional(), ...says }),
  clear_faults: z.strictObject({ clear_faults: yes, ...says }),
  merchant_answers: z.strictObject({
    merchant_answers: z
      .array(
        z.union([httpStatus(200, MERCHANT_ANSWERS), z.literal("nothing")], MERCHANT_ANSWERS),
        asText(say`Use a list.`),
      )
      .min(1, asText(say`Use at least one entry.`)),
    ...says,
  }),
  send_webhook: z.strictObject({
    send_webhook: filled,
    of: name.optional(),
    /** Members in place of the record's. */
    data: members.optional(),
    id: headerText.optional(),
    created_at: filled.optional(),
    signature: oneOf(SIGNATURES).default("valid"),
    json: oneOf(SPELLINGS).default("usual"),
    answer: oneOf(["accepted", "refused"]).optional(),
    ...says,
    ...named,
  }),
  settle: z.strictObject({ settle: yes, ...says }),
  wait_for: z.strictObject({
    wait_for: filled,
    of: name.optional(),
    timeout: duration.optional(),
    ...says,
    ...named,
  }),
  expect_record: z.strictObject({ expect_record: name, members, ...says, ...named }),
  expect_webhooks: z.strictObject({
    expect_webhooks: name,
    are: z.array(
      z.strictObject({
        type: filled.optional(),
        status: z
          .enum(DELIVERY_STATUSES, asText(say`Use pending, delivered or failed.`))
          .optional(),
        /** Each attempt's HTTP status or error. */
        attempts: z.array(z.union([z.int(), filled])).optional(),
        data: members.optional(),
      }),
      asText(say`Use a list.`),
    ),
    ...says,
  }),
  expect_received: z.strictObject({
    expect_received: count,
    of: name.optional(),
    type: filled.optional(),
    ids: count.optional(),
    signature: z.enum(["holds", "fails"], asText(say`Use holds or fails.`)).optional(),
    data: members.optional(),
    ...says,
  }),
};

const file = z.strictObject(
  {
    about: description,
    steps: z
      .array(members, asText(say`Use a list of steps.`))
      .min(1, asText(say`Use at least one step.`)),
  },
  asText(say`Use a JSON object.`),
);

export const VERBS = Object.keys(SCHEMAS) as readonly Verb[];

/** @throws PlayError for an unreadable or invalid file, with the step and the member. */
export async function readScenario(path: string, title: string): Promise<Scenario> {
  const content = await readFile(path, "utf8").catch((error: Error) => {
    throw invalid(
      say`The scenario ${title} cannot be read: ${unreadable(error)}.`,
      say`Use a JSON file, or a name from ${PROGRAM} scenario list.`,
    );
  });
  const { about, steps } = check(file, parse(content, title), say`The scenario ${title}`);
  const isShipped = (await shippedScenarios()).get(title) === path;
  const names = new Names();
  return {
    about: isShipped ? about : asWritten(about),
    steps: steps.map((step, index) => {
      const place = say`The scenario ${title}, step ${index + 1}`;
      const read = readStep(step, place);
      names.check(read, place);
      return isShipped || !read.says ? read : { ...read, says: asWritten(read.says) };
    }),
  };
}

/** The catalogues translate only the package's own scenarios: the words of others may mean something else. */
function asWritten(text: Message): Message {
  return "translations" in text ? text : verbatim(english(text));
}

/** A step's description: its `says`, or its verb and the verb's value. */
export function describeStep(step: Step): Message {
  if (step.says !== undefined) return step.says;
  const object = objectOf(step);
  return verbatim(`${step.verb} ${typeof object === "string" ? object : JSON.stringify(object)}`);
}

/** The value of a step's verb, such as the name of a record. */
export function objectOf(step: Step): unknown {
  return (step as unknown as Readonly<Record<string, unknown>>)[step.verb];
}

function readStep(step: Readonly<Record<string, unknown>>, place: Message): Step {
  const verbs = Object.keys(step).filter((member): member is Verb =>
    Object.hasOwn(SCHEMAS, member),
  );
  const [verb, another] = verbs;
  if (verb === undefined) {
    const found = Object.keys(step).map((member) => JSON.stringify(member));
    throw invalid(
      say`${place}: the step has no action; its members are ${found.length === 0 ? say`none` : found.join(", ")}.`,
      say`Give each step one of ${VERBS.join(", ")}.`,
    );
  }
  if (another !== undefined)
    throw invalid(
      say`${place}: the step has two actions, ${verb} and ${another}.`,
      say`Split it into two steps.`,
    );
  const schema: z.ZodType = SCHEMAS[verb];
  return { verb, ...(check(schema, step, place) as object) } as Step;
}

/** The kinds of named values. */
type Kind = "payin" | "payout" | "fault" | "call" | "record" | "webhook";
const TRANSACTION: readonly Kind[] = ["payin", "payout"];

/** What the value of a verb must name, and what `as` names. */
const NAMED: Partial<Record<Verb, { readonly uses?: readonly Kind[]; readonly as?: Kind }>> = {
  create_payin: { as: "payin" },
  create_payout: { as: "payout" },
  simulate: { uses: TRANSACTION },
  pay: { uses: ["payin"] },
  expire: { uses: ["payin"] },
  complete: { uses: ["payout"] },
  cancel: { uses: TRANSACTION },
  call: { as: "call" },
  fault: { as: "fault" },
  release: { uses: ["fault"] },
  send_webhook: { as: "webhook" },
  wait_for: { as: "webhook" },
  expect_record: { uses: TRANSACTION, as: "record" },
  expect_webhooks: { uses: TRANSACTION },
};

/** The members with expectations; the `data` of send_webhook is sent. */
const EXPECTED: ReadonlySet<string> = new Set(["answer", "members", "are", "data"]);

/** Checks the names of steps: each is defined once, before its first use. */
class Names {
  readonly #kinds = new Map<string, Kind>();
  /** The calls with a later response. */
  readonly #later = new Set<string>();

  check(step: Step, place: Message): void {
    const { says: _description, only: _condition, ...rest } = step;
    for (const [member, value] of Object.entries(rest))
      if (hasStrayAny(value, EXPECTED.has(member) && step.verb !== "send_webhook"))
        throw invalid(
          say`${place}, member ${JSON.stringify(member)}: use {{any}} only as a whole expected value.`,
        );
    for (const reference of referencesIn(rest))
      if (reference !== "any" && reference !== "merchant") this.#use(reference, place);
    const { uses, as } = NAMED[step.verb] ?? {};
    const isLater = "later" in step && step.later;
    if (isLater && (step.as === undefined || step.answer !== undefined))
      throw invalid(
        say`${place}, member "later": the response comes later.`,
        say`Name the step with as, and expect its response in a step answer_of.`,
      );
    if (step.verb === "answer_of") this.#useLater(step.answer_of, place);
    if (step.verb === "release") for (const held of step.order ?? []) this.#useLater(held, place);
    if (uses) this.#use(String(objectOf(step)), place, uses);
    if ("of" in step && step.of !== undefined) this.#use(step.of, place, TRANSACTION);
    if (as === undefined || !("as" in step) || step.as === undefined) return;
    this.#define(step.as, as, place);
    if (isLater) this.#later.add(step.as);
  }

  #define(given: string, kind: Kind, place: Message): void {
    if (given === "any" || given === "merchant" || this.#kinds.has(given))
      throw invalid(
        say`${place}, member "as": the name ${JSON.stringify(given)} is in use.`,
        say`Use another name in each step.`,
      );
    this.#kinds.set(given, kind);
  }

  #use(used: string, place: Message, kinds?: readonly Kind[]): void {
    const kind = this.#kinds.get(used);
    if (kind !== undefined && (kinds === undefined || kinds.includes(kind))) return;
    const known = [...this.#kinds].filter(
      ([, each]) => kinds === undefined || kinds.includes(each),
    );
    throw invalid(
      kinds === undefined
        ? say`${place}: no earlier step defines the name ${JSON.stringify(used)}.`
        : say`${place}: no earlier step defines a ${listed(kinds, "or")} with the name ${JSON.stringify(used)}.`,
      known.length === 0
        ? say`A step defines a name with "as".`
        : say`Use one of ${known.map(([each]) => each).join(", ")}.`,
    );
  }

  #useLater(used: string, place: Message): void {
    this.#use(used, place);
    if (!this.#later.has(used))
      throw invalid(
        say`${place}: ${JSON.stringify(used)} is not a call with a later response.`,
        say`A step that creates a record can set "later": true.`,
      );
  }
}

function check<Value>(schema: z.ZodType<Value>, value: unknown, place: Message): Value {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const issues = result.error.issues as [z.core.$ZodIssue, ...z.core.$ZodIssue[]];
  // A misspelled member is the reason why another one is missing.
  const misspelled = issues.find(({ code }) => code === "unrecognized_keys");
  const issue = misspelled ?? issues[0];
  const path = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    const member = [path, issue.keys[0]].filter(Boolean).join(".");
    const known = schema instanceof z.ZodObject && path === "" ? Object.keys(schema.shape) : [];
    throw invalid(
      say`${place}: unknown member ${JSON.stringify(member)}.`,
      known.length === 0 ? undefined : say`Use one of ${known.join(", ")}.`,
    );
  }
  const at = path === "" ? place : joined([place, say`member ${JSON.stringify(path)}`], ", ");
  const isMissing = issue.code !== "custom" && path !== "" && issue.input === undefined;
  const reason = MESSAGES.get(issue.message) ?? issue.message;
  const reasons = isMissing ? [say`The member is required.`, reason] : [reason];
  throw invalid(joined([at, joined(reasons)], ": "));
}

function invalid(text: Message, hint?: Message): PlayError {
  return new PlayError("USAGE", text, hint);
}

/** More than the gateway accepts: a scenario can show that it refuses a body. */
const MAX_LEVELS = 100;

function parse(text: string, title: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(withoutByteOrderMark(text));
  } catch (error) {
    throw invalid(say`The scenario ${title} is not JSON: ${(error as Error).message}.`);
  }
  if (!isTooDeep(value, MAX_LEVELS)) return value;
  throw invalid(
    say`The scenario ${title} is nested more than ${MAX_LEVELS} levels deep.`,
    say`The gateway accepts bodies of at most ${MAX_JSON_LEVELS} levels.`,
  );
}
