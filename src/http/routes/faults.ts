import * as z from "zod";
import {
  effectKindsOn,
  EFFECTS,
  effectForms,
  effectRule,
  FAULT_PLACES,
  isEffectOn,
  readEffect,
} from "../../core/faults/effects.ts";
import { type Fault, MAX_FAULT_TIMES } from "../../core/faults/fault.ts";
import { toWireFault } from "../../core/state/wire.ts";
import { unknownRecord } from "../calls/refusals.ts";
import type { Context } from "../context/context.ts";
import { collection } from "../definitions/collection.ts";
import { route } from "../definitions/route.ts";
import { createReader, type Members, type Rules } from "../parse/body.ts";
import { listOf } from "../schemas/members.ts";
import { fault } from "../schemas/rows.ts";
import { joined, type Message, say } from "../../text/message.ts";
import { closest } from "../../text/suggestion.ts";
import { english } from "../../text/languages.ts";

const effects = (on: "call" | "webhook") => english(joined(effectForms(on), ", "));

/** Strict: a misspelled name must not mean every call, for ever. */
const faultBody = z
  .strictObject({
    on: z.enum(FAULT_PLACES).describe("The operation or webhook that it acts on."),
    effect: z
      .string()
      .describe(`On a call, one of ${effects("call")}. On a webhook, one of ${effects("webhook")}.`)
      .transform((text) => readEffect(text) ?? text),
    // Not z.record: it drops a member named `__proto__`, and the rest would match every call.
    match: z
      .unknown()
      .refine((value) => typeof value === "object" && value !== null && !Array.isArray(value))
      .meta({
        type: "object",
        description:
          "Members that the request's body, or the event's `data`, must have; equal as JSON.",
      })
      .transform((value) => value as Members)
      .exactOptional(),
    times: z
      .int()
      .min(1)
      .max(MAX_FAULT_TIMES)
      .exactOptional()
      .describe("How often it applies. Default: always."),
    probability: z
      .number()
      .min(0)
      .max(1)
      .exactOptional()
      .describe("The probability that it applies; the draws depend on the seed. Default: always."),
  })
  // A wrong place is the only error then.
  .refine(
    ({ on, effect }) =>
      readEffect(effect) && (!FAULT_PLACES.includes(on) || isEffectOn(effect, on)),
    {
      path: ["effect"],
      // Checked even if other members are wrong: one response names them all.
      when: ({ value }) => typeof (value as { effect?: unknown }).effect === "string",
    },
  );

const FAULT_RULES: Rules = {
  on: ({ on }) => suggesting(say`on must be one of ${FAULT_PLACES.join(", ")}.`, on, FAULT_PLACES),
  effect: ({ on, effect }) => {
    const place = FAULT_PLACES.find((one) => one === on);
    const [kind] = String(effect).split("=");
    const kinds = place ? effectKindsOn(place) : Object.keys(EFFECTS);
    return suggesting(effectRule("effect", place), kind, kinds);
  },
  match: say`match must be an object: members that the request's body, or the event's data, must have.`,
  times: say`times must be an integer from 1 to ${MAX_FAULT_TIMES}.`,
  probability: say`probability must be a number from 0 to 1.`,
};

/** Failures on demand. */
export const faultRoutes = {
  ...collection("faults", {
    noun: "fault",
    row: fault,
    summary: "Lists the faults, with how often each was used.",
    page: ({ view }, ...wanted) => view.page("faults", ...wanted),
    find: ({ view }, id) => view.find("faults", id),
    toWire,
    moves: {
      release:
        "Releases the calls that a fault holds, in the order of their arrival; responds when they are done. Later calls are held again.",
    },
    move: (_release, { token, id }, { gateway }) => gateway.faults.release(token, id),
  }),

  "POST /faults": route({
    summary:
      "Creates a fault, for one integration or for all. If several faults match, only the oldest applies.",
    body: faultBody,
    rules: FAULT_RULES,
    answer: fault,
    run: async ({ token, body }, context) =>
      toWire(await context.gateway.faults.create(token, body), context),
  }),

  "DELETE /faults": route({
    summary: "Removes all faults; the calls that they hold continue.",
    answer: listOf(fault),
    async run({ token }, context) {
      const removed = await context.gateway.faults.remove(token);
      return { data: removed.map((one) => toWire(one, context)), next: null };
    },
  }),

  "DELETE /faults/{id}": route({
    summary: "Removes a fault; the calls that it holds continue.",
    answer: fault,
    async run({ token, id }, context) {
      const [removed] = await context.gateway.faults.remove(token, id);
      if (!removed) throw unknownRecord("fault", id);
      return toWire(removed, context);
    },
  }),
};

export const readFault = createReader(faultBody, FAULT_RULES);

/** Adds the name that a misspelled one probably means. */
function suggesting(rule: Message, given: unknown, names: readonly string[]): Message {
  const meant = closest(String(given), names);
  return meant === undefined || meant === given
    ? rule
    : say`${rule} Did you mean ${JSON.stringify(meant)}?`;
}

function toWire(one: Fault, { gateway }: Context) {
  return toWireFault(one, gateway.faults.heldKeys(one.id));
}
