import { readFile } from "node:fs/promises";
import * as z from "zod";
import { effectRule, FAULT_PLACES, isEffectOn, readEffect } from "../../core/faults/effects.ts";
import { withoutByteOrderMark } from "../../core/byte-order-mark.ts";
import { usageError } from "../errors.ts";
import { t, tell, tellSentence } from "../language.ts";
import { hasStrayAny, referencesIn } from "./references.ts";

/** What happens, in order, and what is expected of it. */
export interface Scenario {
  readonly about: string;
  readonly steps: readonly Step[];
}

/** A step: its verb, and what stands beside it. */
export type Step = { [V in Verb]: { readonly verb: V } & z.output<(typeof SCHEMAS)[V]> }[Verb];
export type StepOf<V extends Verb> = Extract<Step, { verb: V }>;
export type Verb = keyof typeof SCHEMAS;

const MERCHANT_ANSWERS =
  "It takes HTTP statuses from 200 on, and nothing for a connection that is closed.";
const PROBABILITY = "It takes a number from 0 to 1.";
const httpStatus = (min: number, message: string) =>
  z.int(message).min(min, message).max(599, message);
const filled = z.string("It takes a text.").trim().min(1, "It must not be empty.");
const name = z
  .string("It takes a name.")
  .regex(/^[A-Za-z]\w*$/, "It takes a name of letters, digits and underscores.");
const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, "It is no name of a header.");
const headerText = filled.regex(/^[\t -~\u0080-\u00ff]*$/, "It holds what no header can carry.");
const members = z.record(z.string(), z.unknown(), "It takes an object.");
const yes = z.literal(true, "It takes true.");
const count = z.int("It takes a whole number.").min(0, "It takes a whole number.");
const duration = z
  .string("It takes a duration, such as 5m.")
  .regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/, "It takes a duration, such as 500ms, 30s, 5m, 2h or 1d.");
const says = { says: filled.optional() };

/** What a call is to be answered; where nothing is said, 200. */
const answer = z
  .strictObject(
    {
      status: httpStatus(100, "It takes an HTTP status.").optional(),
      /** The error's code. */
      code: filled.optional(),
      /** By their names in lower case; null is one that must not be there. */
      headers: z.record(z.string(), z.string().nullable(), "It takes an object.").optional(),
      body: members.optional(),
      /** The connection dies before there is any. */
      lost: yes.optional(),
    },
    "It takes an object.",
  )
  .optional();
const named = { as: name.optional() };
const creation = { ...says, key: headerText.optional(), ...named, answer, later: yes.optional() };

/** Every verb, with the members that can stand beside it. */
const SCHEMAS = {
  create_payin: z.strictObject({ create_payin: members, ...creation }),
  create_payout: z.strictObject({ create_payout: members, ...creation }),
  answer_of: z.strictObject({ answer_of: name, ...says, answer }),
  simulate: z.strictObject({
    simulate: name,
    status: z.enum(["completed", "canceled"], "It takes completed or canceled.").optional(),
    ...says,
    answer,
  }),
  call: z.strictObject({
    call: z
      .string("It takes a method and a path.")
      .regex(
        /^(GET|POST|PUT|PATCH|DELETE) \/[!-~]*$/,
        "It takes a method and a path, such as PUT /v1/webhooks.",
      ),
    body: z.unknown().optional(),
    headers: z.record(headerName, headerText, "It takes an object.").optional(),
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
      .string("It takes a text.")
      .regex(
        /^(freeze|resume|advance \d+(\.\d+)?(ms|s|m|h|d)|set \S.*)$/,
        "It takes freeze, resume, advance with a duration such as 5m, or set with a time.",
      ),
    ...says,
  }),
  fault: z
    .strictObject({
      fault: filled,
      on: z.enum(FAULT_PLACES, { error: () => t`It takes one of ${FAULT_PLACES.join(", ")}.` }),
      times: z.int("It takes a whole number.").min(1, "It takes 1 or more.").optional(),
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
        message: tellSentence(effectRule("fault", on)),
      });
    }),
  release: z.strictObject({ release: name, order: z.array(name).optional(), ...says }),
  clear_faults: z.strictObject({ clear_faults: yes, ...says }),
  merchant_answers: z.strictObject({
    merchant_answers: z
      .array(
        z.union([httpStatus(200, MERCHANT_ANSWERS), z.literal("nothing")], MERCHANT_ANSWERS),
        "It takes a list.",
      )
      .min(1, "It takes at least one."),
    ...says,
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
          .enum(["pending", "delivered", "failed"], "It takes pending, delivered or failed.")
          .optional(),
        /** Each one's HTTP status, or what there was instead. */
        attempts: z.array(z.union([z.int(), filled])).optional(),
        data: members.optional(),
      }),
      "It takes a list.",
    ),
    ...says,
  }),
  expect_received: z.strictObject({
    expect_received: count,
    of: name.optional(),
    type: filled.optional(),
    ids: count.optional(),
    signature: z.enum(["holds", "fails"], "It takes holds or fails.").optional(),
    data: members.optional(),
    ...says,
  }),
};

const file = z.strictObject(
  {
    about: filled,
    steps: z.array(members, "It takes a list of steps.").min(1, "It takes at least one step."),
  },
  "It holds no JSON object.",
);

export const VERBS = Object.keys(SCHEMAS) as readonly Verb[];

/** @throws CliError for a file that cannot be read, and for what is wrong in it: the step and the member. */
export async function readScenario(path: string, title: string): Promise<Scenario> {
  const text = await readFile(path, "utf8").catch((error: Error) => {
    throw usageError(
      t`The story ${title} cannot be read: ${error.message}.`,
      t`Name a JSON file, or one of those that pix-sandbox scenario list shows.`,
    );
  });
  const { about, steps } = check(file, parse(text, title), t`The story ${title}`);
  const names = new Names();
  return {
    about,
    steps: steps.map((step, index) => {
      const place = t`The story ${title}, step ${index + 1}`;
      const read = readStep(step, place);
      names.take(read, place);
      return read;
    }),
  };
}

/** What a step does, in its own words or in those of its verb. */
export function wordsOf(step: Step): string {
  if (step.says !== undefined) return step.says;
  const object = (step as unknown as Readonly<Record<string, unknown>>)[step.verb];
  return `${step.verb} ${typeof object === "string" ? object : JSON.stringify(object)}`;
}

function readStep(step: Readonly<Record<string, unknown>>, place: string): Step {
  const verbs = Object.keys(step).filter((member): member is Verb =>
    Object.hasOwn(SCHEMAS, member),
  );
  const [verb, another] = verbs;
  if (verb === undefined) {
    const found = Object.keys(step).map((member) => JSON.stringify(member));
    throw usageError(
      t`${place}: nothing in it says what it does; it has ${found.join(", ") || t`no members`}.`,
      t`Each step has one of ${VERBS.join(", ")}.`,
    );
  }
  if (another !== undefined)
    throw usageError(
      t`${place} does two things, ${verb} and ${another}.`,
      t`Make two steps of it.`,
    );
  const schema: z.ZodType = SCHEMAS[verb];
  return { verb, ...(check(schema, step, place) as object) } as Step;
}

/** What is known by a name, once the step has been that gave it. */
type Kind = "payin" | "payout" | "fault" | "call" | "later" | "record" | "webhook";

/** The members in which a step says what it expects. */
const EXPECTED: ReadonlySet<string> = new Set(["answer", "members", "are", "data"]);

/** The names that steps give and use: each is given once, and before it is used. */
class Names {
  readonly #kinds = new Map<string, Kind>();
  /** The calls that are answered later. */
  readonly #later = new Set<string>();

  take(step: Step, place: string): void {
    const { says: _words, ...said } = step;
    for (const [member, value] of Object.entries(said))
      if (hasStrayAny(value, EXPECTED.has(member)))
        throw usageError(
          t`${place}, member ${JSON.stringify(member)}: {{any}} stands where something is expected, as the whole of it.`,
        );
    for (const reference of referencesIn(said))
      if (reference !== "any" && reference !== "merchant") this.#use(reference, place);
    switch (step.verb) {
      case "create_payin":
      case "create_payout":
        if (step.later && (step.as === undefined || step.answer !== undefined))
          throw usageError(
            t`${place}, member "later": its answer comes later.`,
            t`Give it a name with as, and let a step answer_of expect its answer.`,
          );
        this.#give(step.as, step.verb === "create_payin" ? "payin" : "payout", place);
        if (step.later && step.as !== undefined) this.#later.add(step.as);
        return;
      case "answer_of":
        return this.#useLater(step.answer_of, place);
      case "simulate":
        return this.#use(step.simulate, place, ["payin", "payout"]);
      case "pay":
        return this.#use(step.pay, place, ["payin"]);
      case "expire":
        return this.#use(step.expire, place, ["payin"]);
      case "complete":
        return this.#use(step.complete, place, ["payout"]);
      case "cancel":
        return this.#use(step.cancel, place, ["payin", "payout"]);
      case "call":
        return this.#give(step.as, "call", place);
      case "fault":
        return this.#give(step.as, "fault", place);
      case "release":
        for (const held of step.order ?? []) this.#useLater(held, place);
        return this.#use(step.release, place, ["fault"]);
      case "wait_for":
        if (step.of !== undefined) this.#use(step.of, place, ["payin", "payout"]);
        return this.#give(step.as, "webhook", place);
      case "expect_record":
        this.#use(step.expect_record, place, ["payin", "payout"]);
        return this.#give(step.as, "record", place);
      case "expect_webhooks":
        return this.#use(step.expect_webhooks, place, ["payin", "payout"]);
      case "expect_received":
        if (step.of !== undefined) this.#use(step.of, place, ["payin", "payout"]);
        return;
      case "clock":
      case "clear_faults":
      case "merchant_answers":
      case "settle":
    }
  }

  #give(given: string | undefined, kind: Kind, place: string): void {
    if (given === undefined) return;
    if (given === "any" || given === "merchant" || this.#kinds.has(given))
      throw usageError(
        t`${place}, member "as": the name ${JSON.stringify(given)} is taken.`,
        t`Each step gives another name.`,
      );
    this.#kinds.set(given, kind);
  }

  #use(used: string, place: string, kinds?: readonly Kind[]): void {
    const kind = this.#kinds.get(used);
    if (kind !== undefined && (kinds === undefined || kinds.includes(kind))) return;
    const known = [...this.#kinds].filter(
      ([, each]) => kinds === undefined || kinds.includes(each),
    );
    throw usageError(
      kinds === undefined
        ? t`${place}: no step before it names anything ${JSON.stringify(used)}.`
        : t`${place}: no step before it names a ${kinds.join(t` or `)} ${JSON.stringify(used)}.`,
      known.length === 0
        ? t`A step gives a name with "as".`
        : t`There are ${known.map(([each]) => each).join(", ")}.`,
    );
  }

  #useLater(used: string, place: string): void {
    this.#use(used, place);
    if (!this.#later.has(used))
      throw usageError(
        t`${place}: ${JSON.stringify(used)} is no call that is answered later.`,
        t`A step that creates a record can say "later": true.`,
      );
  }
}

function check<Value>(schema: z.ZodType<Value>, value: unknown, place: string): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues as [z.core.$ZodIssue, ...z.core.$ZodIssue[]];
  // What is misspelt is why another is missing.
  const misspelt = issues.find(({ code }) => code === "unrecognized_keys");
  const issue = misspelt ?? issues[0];
  const path = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    const member = [path, issue.keys[0]].filter(Boolean).join(".");
    const known = schema instanceof z.ZodObject && path === "" ? Object.keys(schema.shape) : [];
    throw usageError(
      t`${place}, member ${JSON.stringify(member)}: there is no such member there.`,
      known.length === 0 ? undefined : t`There are ${known.join(", ")}.`,
    );
  }
  const member = path === "" ? "" : `, ${t`member ${JSON.stringify(path)}`}`;
  const isMissing = issue.code !== "custom" && path !== "" && at(value, issue.path) === undefined;
  throw usageError(
    `${place}${member}: ${isMissing ? `${t`It is required.`} ` : ""}${tell(issue.message)}`,
  );
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (found, member) => (found as Readonly<Record<PropertyKey, unknown>> | undefined)?.[member],
    value,
  );
}

function parse(text: string, title: string): unknown {
  try {
    return JSON.parse(withoutByteOrderMark(text));
  } catch (error) {
    throw usageError(t`The story ${title} is not JSON: ${(error as Error).message}.`);
  }
}
