import * as z from "zod";
import { invalidFields } from "../../core/errors.ts";
import {
  type Effect,
  effectRule,
  FAULT_PLACES,
  type FaultPlace,
  isEffectOn,
  readEffect,
} from "../../core/faults/effects.ts";
import type { Fault, FaultDraft, Members } from "../../core/faults/fault.ts";
import { toWireFault } from "../../core/wire.ts";
import { readJson, readOptionalJson } from "../body.ts";
import { createReader } from "../body-reader.ts";
import { type Call, readId } from "../call.ts";
import type { Context } from "../context.ts";
import { type Answer, toAnswer, toListAnswer } from "../answer.ts";
import { readToken } from "../token.ts";
import { pageQuery, readQuery, toPage } from "../query.ts";
import { unknownRecord } from "../refusals.ts";

type Handler = (call: Call) => Promise<Answer>;

/** Not a record: Zod leaves a member named `__proto__` out of those, and what is left would match every call. */
const members = z.unknown().refine(isObject).meta({ type: "object" });

/** Strict, so that a name that is misspelt does not mean every call, for ever. */
export const faultBody = z
  .strictObject({
    on: z.enum(FAULT_PLACES),
    effect: z.string(),
    match: members.optional(),
    times: z.int().min(1).max(1_000_000).optional(),
    probability: z.number().min(0).max(1).optional(),
  })
  .refine(({ on, effect }) => isEffectFor(effect, on), {
    path: ["effect"],
    // Looked at even where other members are at fault: one answer names them all.
    when: ({ value }) => typeof (value as { effect?: unknown }).effect === "string",
  });

export const releaseBody = z.strictObject({
  order: z.array(z.union([z.int().min(0), z.string()])).default([]),
});
export const faultsQuery = pageQuery;

/** `GET /_sandbox/faults`: an integration's own, or all; those that are used up too. */
export function listFaults({ gateway }: Context): Handler {
  return async (call) => {
    const { limit, after } = readQuery(call, faultsQuery);
    const page = await gateway.read(readToken(call), (view) => view.faultPage({ limit, after }));
    return toPage(page, (fault) => toWire(gateway, fault));
  };
}

/** `POST /_sandbox/faults`: for one integration, or for everyone. */
export function createFault({ gateway }: Context): Handler {
  return async (call) => {
    const reading = readFault(await readJson(call));
    if ("fields" in reading) throw invalidFields(reading.fields);
    const fault = await gateway.faults.create(readToken(call), reading.draft);
    return toAnswer(toWire(gateway, fault));
  };
}

/** `GET /_sandbox/faults/{id}`. */
export function showFault({ gateway }: Context): Handler {
  return async (call) => {
    const id = readId(call);
    const fault = await gateway.read(readToken(call), (view) => view.fault(id));
    if (!fault) throw unknownRecord("fault", id);
    return toAnswer(toWire(gateway, fault));
  };
}

/** `DELETE /_sandbox/faults`: answers those that are gone; the calls that they held go on. */
export function clearFaults({ gateway }: Context): Handler {
  return async (call) => {
    await readOptionalJson(call);
    const removed = await gateway.faults.remove(readToken(call));
    return toListAnswer({ data: removed, next: null }, (fault) => toWire(gateway, fault));
  };
}

/** `DELETE /_sandbox/faults/{id}`. */
export function removeFault({ gateway }: Context): Handler {
  return async (call) => {
    const id = readId(call);
    await readOptionalJson(call);
    const [fault] = await gateway.faults.remove(readToken(call), id);
    if (!fault) throw unknownRecord("fault", id);
    return toAnswer(toWire(gateway, fault));
  };
}

/** `POST /_sandbox/faults/{id}/release`: answers when the calls that were held are done. */
export function releaseFault({ gateway }: Context): Handler {
  return async (call) => {
    const id = readId(call);
    const reading = readRelease((await readOptionalJson(call)) ?? {});
    if ("fields" in reading) throw invalidFields(reading.fields);
    const fault = await gateway.faults.release(readToken(call), id, reading.draft);
    if (!fault) throw unknownRecord("fault", id);
    return toAnswer(toWire(gateway, fault));
  };
}

export const readFault = createReader(
  faultBody,
  {
    on: {
      en: `on must be one of ${FAULT_PLACES.join(", ")}.`,
      pt: `on deve ser um de ${FAULT_PLACES.join(", ")}.`,
    },
    effect: ({ on }) =>
      effectRule(
        "effect",
        FAULT_PLACES.find((place) => place === on),
      ),
    match: {
      en: "match must be an object: members that the request's body, or the event's data, must have.",
      pt: "match deve ser um objeto: campos que o corpo da requisição, ou os dados do evento, devem ter.",
    },
    times: {
      en: "times must be an integer from 1 to 1000000.",
      pt: "times deve ser um número inteiro de 1 a 1000000.",
    },
    probability: {
      en: "probability must be a number from 0 to 1.",
      pt: "probability deve ser um número de 0 a 1.",
    },
  },
  ({ on, effect, match, times, probability }): FaultDraft => ({
    on,
    // What the schema has let through can be read.
    effect: readEffect(effect) as Effect,
    ...(match !== undefined && { match: { ...(match as Members) } }),
    ...(times !== undefined && { times }),
    ...(probability !== undefined && { probability }),
  }),
);

const readRelease = createReader(
  releaseBody,
  {
    order: {
      en: "order must be a list of held calls: each by its place of arrival, from 0 on, or by its x-idempotency-key.",
      pt: "order deve ser uma lista de chamadas retidas: cada uma pela posição de chegada, a partir de 0, ou por sua x-idempotency-key.",
    },
  },
  ({ order }) => order,
);

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEffectFor(text: string, on: FaultPlace): boolean {
  const effect = readEffect(text);
  if (effect === undefined) return false;
  // Where the place is wrong, that is what is said.
  return !FAULT_PLACES.includes(on) || isEffectOn(effect, on);
}

function toWire(gateway: Context["gateway"], fault: Fault) {
  return toWireFault(fault, gateway.faults.heldKeys(fault.id));
}
