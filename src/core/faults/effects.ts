import { TOP_LEVEL_CODES, type TopLevelCode } from "../records/errors.ts";
import { isTooDeep, MAX_JSON_LEVELS } from "../../wire/json.ts";
import { joined, type Message, say, verbatim } from "../../text/message.ts";

/** The gateway operations that a fault can act on. */
export const FAULTY_OPERATIONS = [
  "payins.create",
  "payouts.create",
  "payins.simulate",
  "payouts.simulate",
] as const;
export type FaultyOperation = (typeof FAULTY_OPERATIONS)[number];

/** What a fault can act on: calls of one operation, or webhooks. */
export const FAULT_PLACES = [...FAULTY_OPERATIONS, "webhook"] as const;
export type FaultPlace = (typeof FAULT_PLACES)[number];

/** The values that an effect allows, after its `=`. */
export type EffectValue =
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "number"; readonly max: number }
  | { readonly kind: "json_object" };

export interface EffectRow {
  readonly on: "call" | "webhook";
  readonly value?: EffectValue;
  readonly summary: Message;
}

/** No client waits longer than ten minutes. */
const MAX_LATENCY_MS = 600_000;
/** A year: the clock cannot be advanced further at once. */
const MAX_DELAY_MS = 366 * 86_400_000;
const MAX_DROPPED = 100;

/** Every fault effect: the grammar of its text and its documentation. */
export const EFFECTS = {
  error: {
    on: "call",
    value: { kind: "choice", choices: TOP_LEVEL_CODES },
    summary: say`Refuses the call with this error. Nothing is created, and the idempotency key stays unused.`,
  },
  latency_ms: {
    on: "call",
    value: { kind: "number", max: MAX_LATENCY_MS },
    summary: say`Waits N milliseconds of real time, then handles the call.`,
  },
  lost_answer: {
    on: "call",
    summary: say`Handles the call, then closes the connection without a response. A retry with the same key gets the first response.`,
  },
  hold: {
    on: "call",
    summary: say`Holds the call before it is handled, until the fault is released.`,
  },
  patch_body: {
    on: "call",
    value: { kind: "json_object" },
    summary: say`Handles the call, then changes the JSON of the response by a merge patch (RFC 7396), such as \`{"pix_id":null}\`. A repeat with the same key gets the unchanged response.`,
  },
  duplicate: {
    on: "webhook",
    summary: say`Sends the webhook once more after its delivery.`,
  },
  duplicate_at_once: {
    on: "webhook",
    summary: say`Sends the first attempt twice at the same time.`,
  },
  delay_ms: {
    on: "webhook",
    value: { kind: "number", max: MAX_DELAY_MS },
    summary: say`Delays the first attempt by N milliseconds of sandbox time.`,
  },
  reorder: {
    on: "webhook",
    summary: say`Sends the webhook after the next one to the same address. Waits at most 30 s for that one.`,
  },
  drop_attempts: {
    on: "webhook",
    value: { kind: "number", max: MAX_DROPPED },
    summary: say`Does not send the first N attempts, and records them as failed.`,
  },
  bad_signature: {
    on: "webhook",
    summary: say`Signs different bytes from those it sends, at every attempt.`,
  },
  early: {
    on: "webhook",
    summary: say`Responds to the call that caused the event only after the first attempt.`,
  },
} as const satisfies Record<string, EffectRow>;

export type EffectKind = keyof typeof EFFECTS;

/** What a fault does: a text that {@link readEffect} has read, such as `error=EXTERNAL_ERROR`. */
export type Effect = string;

/** An effect on a call. */
export type CallEffect =
  | `error=${TopLevelCode}`
  | `latency_ms=${number}`
  | "lost_answer"
  | "hold"
  | `patch_body=${string}`;

/** An effect on a webhook. */
export type WebhookFaultEffect =
  | "duplicate"
  | "duplicate_at_once"
  | `delay_ms=${number}`
  | "reorder"
  | `drop_attempts=${number}`
  | "bad_signature"
  | "early";

/** Reads an effect's text, and returns it in its usual form; undefined for any other text. */
export function readEffect(text: string): Effect | undefined {
  const [, kind = "", given] = /^([a-z_]+)(?:=(.+))?$/s.exec(text.trim()) ?? [];
  if (!Object.hasOwn(EFFECTS, kind)) return undefined;
  const { value }: EffectRow = EFFECTS[kind as EffectKind];
  if (!value) return given === undefined ? kind : undefined;
  const read = given === undefined ? undefined : readValue(value, given);
  return read === undefined ? undefined : `${kind}=${read}`;
}

/** The kind and the value of an effect, which is empty if the kind has none. */
export function partsOf(effect: Effect): { readonly kind: EffectKind; readonly value: string } {
  const [kind = "", ...value] = effect.split("=");
  return { kind: kind as EffectKind, value: value.join("=") };
}

/** The number of an effect of this kind; 0 for any other effect. */
export function numberOf(kind: EffectKind, effect: Effect = ""): number {
  const parts = partsOf(effect);
  return parts.kind === kind ? Number(parts.value) : 0;
}

/** The kinds of effects that a fault at this place can have. */
export function effectKindsOn(place: FaultPlace | "call"): EffectKind[] {
  const on = place === "webhook" ? "webhook" : "call";
  return (Object.keys(EFFECTS) as EffectKind[]).filter((kind) => EFFECTS[kind].on === on);
}

/** Whether a fault at this place can have the effect. */
export function isEffectOn(effect: Effect, place: FaultPlace | "call"): boolean {
  return effectKindsOn(place).includes(partsOf(effect).kind);
}

/** States which effects are allowed: at one place, or at any. */
export function effectRule(name: string, place?: FaultPlace): Message {
  const forms = place ? effectForms(place) : [...effectForms("call"), ...effectForms("webhook")];
  return say`${name} must be one of ${joined(forms, ", ")}.`;
}

/** The forms of the effects at a place, such as `delay_ms=N`, with the range of N. */
export function effectForms(place: FaultPlace | "call"): Message[] {
  return effectKindsOn(place).map((kind) => {
    const { value }: EffectRow = EFFECTS[kind];
    return value ? say`${formOf(kind)} (${rangeOf(value)})` : verbatim(kind);
  });
}

/** The text of an effect, with a placeholder for its value. */
export function formOf(kind: EffectKind): string {
  const { value }: EffectRow = EFFECTS[kind];
  return value ? `${kind}=${PLACEHOLDERS[value.kind]}` : kind;
}

export const PLACEHOLDERS = { choice: "CODE", number: "N", json_object: "JSON" } as const;

/** The allowed values in words. */
export function rangeOf(value: EffectValue): Message {
  if (value.kind === "choice") return verbatim(value.choices.join(", "));
  if (value.kind === "number") return say`${1} to ${value.max}`;
  return say`an object of at most ${MAX_JSON_LEVELS} levels`;
}

/** Returns the text of a value in its usual form; undefined if it is not allowed. */
function readValue(value: EffectValue, text: string): string | undefined {
  if (value.kind === "choice") return value.choices.find((choice) => choice === text);
  if (value.kind === "number")
    return /^[1-9]\d{0,11}$/.test(text) && Number(text) <= value.max ? text : undefined;
  const read = parseJson(text);
  return isJsonObject(read) && !isTooDeep(read) ? JSON.stringify(read) : undefined;
}

/** Changes JSON text by a merge patch: members are replaced, `null` removes one, objects are merged. */
export function patchJson(text: string, patch: string): string {
  return JSON.stringify(merge(parseJson(text), parseJson(patch)));
}

function merge(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const members = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch))
    if (value === null) members.delete(name);
    else members.set(name, merge(members.get(name), value));
  return Object.fromEntries(members);
}

function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
