import * as z from "zod";
import { invalidFields } from "../../core/records/errors.ts";
import {
  type Effect,
  effectKindsOn,
  EFFECTS,
  effectForms,
  effectRule,
  FAULT_PLACES,
  type FaultPlace,
  isEffectOn,
  readEffect,
} from "../../core/faults/effects.ts";
import {
  type Fault,
  type FaultDraft,
  MAX_FAULT_TIMES,
  type Members,
} from "../../core/faults/fault.ts";
import type { Gateway } from "../../core/operations/gateway.ts";
import { toWireFault } from "../../core/state/wire.ts";
import {
  CLEAR_FAULTS,
  CREATE_FAULT,
  LIST_FAULTS,
  RELEASE_FAULT,
  REMOVE_FAULT,
  SHOW_FAULT,
} from "../../core/state/wire-routes.ts";
import { toAnswer, toListAnswer } from "../calls/answer.ts";
import { createReader } from "../parse/readers.ts";
import { readJson, readOptionalJson } from "../parse/body.ts";
import { readId } from "../calls/call.ts";
import { readToken } from "../calls/headers.ts";
import { listQuery, PAGE, readQuery, toPage } from "../parse/query.ts";
import { unknownRecord } from "../calls/refusals.ts";
import { defineRoute, fixedBody } from "../definitions/route.ts";
import { fault, faultExample } from "../schemas/fault.ts";
import { listOf, pageOf } from "../schemas/members.ts";
import { joined, type Message, say } from "../../text/message.ts";
import { closest } from "../../text/suggestion.ts";
import { english } from "../../text/languages.ts";

const faultPage = pageOf(fault, {
  id: "FaultPage",
  description: "Faults in the order of their creation.",
  example: faultExample,
});

const removedFaults = listOf(fault, {
  id: "RemovedFaults",
  description: "All faults that were removed.",
  example: faultExample,
});

/** Not z.record: it drops a member named `__proto__`, and the rest would match every call. */
const members = z.unknown().refine(isObject).meta({
  type: "object",
  description: "Members that the request's body, or the event's `data`, must have; equal as JSON.",
});

/** Strict: a misspelled name must not mean every call, for ever. */
const faultBody = z
  .strictObject({
    on: z.enum(FAULT_PLACES).meta({ description: "The operation or webhook that it acts on." }),
    effect: z.string().meta({
      description: `On a call, one of ${english(joined(effectForms("call"), ", "))}. On a webhook, one of ${english(joined(effectForms("webhook"), ", "))}.`,
    }),
    match: members.optional(),
    times: z.int().min(1).max(MAX_FAULT_TIMES).optional().meta({
      description: "How often it applies. Default: always.",
    }),
    probability: z.number().min(0).max(1).optional().meta({
      description:
        "The probability that it applies; the draws depend on the seed. Default: always.",
    }),
  })
  .refine(({ on, effect }) => isEffectFor(effect, on), {
    path: ["effect"],
    // Checked even if other members are wrong: one response names them all.
    when: ({ value }) => typeof (value as { effect?: unknown }).effect === "string",
  });

const query = listQuery(PAGE);

export const routes = [
  defineRoute({
    at: LIST_FAULTS,
    id: "listFaults",
    tag: "Faults",
    summary: "Lists the faults, with how often each was used.",
    caller: "integration",
    query,
    answer: faultPage,
    refusals: ["unwritable"],
    handle: async (call, { gateway }) => {
      const request = readQuery(call, query);
      const page = await gateway.read(readToken(call), (view) => view.faultPage(request));
      return toPage(request, page, (one) => toWire(gateway, one));
    },
  }),

  defineRoute({
    at: CREATE_FAULT,
    id: "createFault",
    tag: "Faults",
    summary:
      "Creates a fault, for one integration or for all. If several faults match, only the oldest applies.",
    caller: "integration",
    body: fixedBody("FaultRequest", faultBody, {
      error: { on: "payouts.create", effect: "error=EXTERNAL_ERROR", times: 1 },
      duplicate: { on: "webhook", effect: "duplicate", match: { buyer_cpf: "12345678909" } },
    }),
    answer: fault,
    refusals: ["unwritable"],
    handle: async (call, { gateway }) => {
      const reading = readFault(await readJson(call));
      if ("fields" in reading) throw invalidFields(reading.fields);
      const created = await gateway.faults.create(readToken(call), reading.draft);
      return toAnswer(toWire(gateway, created));
    },
  }),

  defineRoute({
    at: CLEAR_FAULTS,
    id: "clearFaults",
    tag: "Faults",
    summary: "Removes all faults; the calls that they hold continue.",
    caller: "integration",
    answer: removedFaults,
    refusals: ["unwritable"],
    handle: async (call, { gateway }) => {
      await readOptionalJson(call);
      const removed = await gateway.faults.remove(readToken(call));
      return toListAnswer({ data: removed, next: null }, (one) => toWire(gateway, one));
    },
  }),

  defineRoute({
    at: SHOW_FAULT,
    id: "showFault",
    tag: "Faults",
    summary: "Shows a fault, and the calls that it holds.",
    caller: "integration",
    answer: fault,
    refusals: ["unknownRecord", "unwritable"],
    handle: async (call, { gateway }) => {
      const id = readId(call);
      const found = await gateway.read(readToken(call), (view) => view.fault(id));
      if (!found) throw unknownRecord("fault", id);
      return toAnswer(toWire(gateway, found));
    },
  }),

  defineRoute({
    at: REMOVE_FAULT,
    id: "removeFault",
    tag: "Faults",
    summary: "Removes a fault; the calls that it holds continue.",
    caller: "integration",
    answer: fault,
    refusals: ["unknownRecord", "unwritable"],
    handle: async (call, { gateway }) => {
      const id = readId(call);
      await readOptionalJson(call);
      const [removed] = await gateway.faults.remove(readToken(call), id);
      if (!removed) throw unknownRecord("fault", id);
      return toAnswer(toWire(gateway, removed));
    },
  }),

  defineRoute({
    at: RELEASE_FAULT,
    id: "releaseFault",
    tag: "Faults",
    summary:
      "Releases the calls that a fault holds, in the order of their arrival; responds when they are done. Later calls are held again.",
    caller: "integration",
    answer: fault,
    refusals: ["unknownRecord", "unwritable"],
    handle: async (call, { gateway }) => {
      const id = readId(call);
      await readOptionalJson(call);
      const released = await gateway.faults.release(readToken(call), id);
      if (!released) throw unknownRecord("fault", id);
      return toAnswer(toWire(gateway, released));
    },
  }),
];

export const readFault = createReader(
  faultBody,
  {
    on: ({ on }) =>
      suggesting(say`on must be one of ${FAULT_PLACES.join(", ")}.`, on, FAULT_PLACES),
    effect: ({ on, effect }) => {
      const place = FAULT_PLACES.find((one) => one === on);
      const [kind] = String(effect).split("=");
      const kinds = place ? effectKindsOn(place) : Object.keys(EFFECTS);
      return suggesting(effectRule("effect", place), kind, kinds);
    },
    match: say`match must be an object: members that the request's body, or the event's data, must have.`,
    times: say`times must be an integer from 1 to ${MAX_FAULT_TIMES}.`,
    probability: say`probability must be a number from 0 to 1.`,
  },
  ({ on, effect, match, times, probability }): FaultDraft => ({
    on,
    // The schema has checked that it can be read.
    effect: readEffect(effect) as Effect,
    ...(match !== undefined && { match: { ...(match as Members) } }),
    ...(times !== undefined && { times }),
    ...(probability !== undefined && { probability }),
  }),
);

/** Adds the name that a misspelled one probably means. */
function suggesting(rule: Message, given: unknown, names: readonly string[]): Message {
  const meant = closest(String(given), names);
  return meant === undefined || meant === given
    ? rule
    : say`${rule} Did you mean ${JSON.stringify(meant)}?`;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEffectFor(text: string, on: FaultPlace): boolean {
  const effect = readEffect(text);
  if (effect === undefined) return false;
  // A wrong place is the only error then.
  return !FAULT_PLACES.includes(on) || isEffectOn(effect, on);
}

function toWire(gateway: Gateway, one: Fault) {
  return toWireFault(one, gateway.faults.heldKeys(one.id));
}
