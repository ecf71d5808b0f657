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

/** The values that an effect allows. */
export type AllowedValues =
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "number"; readonly min: number; readonly max: number }
  | { readonly kind: "json_object" };

/** The value of an effect: the text after `=`. */
interface EffectValue {
  /** Stands for the value in documentation, such as `N`. */
  readonly placeholder: string;
  readonly allowed: AllowedValues;
  /** The allowed values in words. */
  readonly range: Message;
  /** Returns the text in its usual form; undefined if it is not allowed. */
  readonly read: (text: string) => string | undefined;
}

/** How a fault changes the sending of one webhook. */
export interface WebhookBehavior {
  /** The time from creation until the first attempt is due, in milliseconds of sandbox time. */
  readonly firstDelayMs: number;
  /** Whether the first attempt waits until the next webhook to the same address has left. */
  readonly leavesBehindNext: boolean;
  /** Whether the first attempt is sent twice at the same time. */
  readonly isSentTwiceAtOnce: boolean;
  /** Whether the webhook is sent once more after its delivery. */
  readonly isSentAgain: boolean;
  /** Whether the response to the call that caused the event waits for the first attempt. */
  readonly delaysAnswer: boolean;
  /** Whether the scheduled attempt that follows `made` earlier ones is recorded as failed without being sent. */
  dropsAttempt(made: number): boolean;
  /** The text that is signed in place of the body. */
  signedText(body: string): string;
}

export interface EffectRow {
  readonly on: "call" | "webhook";
  readonly value?: EffectValue;
  readonly summary: Message;
  /** What it changes about a webhook, by the effect's value. */
  readonly behavior?: (value: number) => Partial<WebhookBehavior>;
}

/** No client waits longer than ten minutes. */
const MAX_LATENCY_MS = 600_000;
/** A year: the clock cannot be advanced further at once. */
const MAX_DELAY_MS = 366 * 86_400_000;
const MAX_DROPPED = 100;
/** How long a reordered webhook waits for another to its address, in sandbox time. */
const REORDER_WAIT_MS = 30_000;

/**
 * Every fault effect. The grammar of its text, its documentation and what it does to a webhook come from its row;
 * what an effect does to a call is done by the gateway's pipeline.
 */
export const EFFECTS = {
  error: {
    on: "call",
    value: oneOf("CODE", TOP_LEVEL_CODES),
    summary: say`Refuses the call with this error. Nothing is created, and the idempotency key stays unused.`,
  },
  latency_ms: {
    on: "call",
    value: wholeNumber(MAX_LATENCY_MS),
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
    value: mergePatch(),
    summary: say`Handles the call, then changes the JSON of the response by a merge patch (RFC 7396), such as \`{"pix_id":null}\`. A repeat with the same key gets the unchanged response.`,
  },
  duplicate: {
    on: "webhook",
    summary: say`Sends the webhook once more after its delivery.`,
    behavior: () => ({ isSentAgain: true }),
  },
  duplicate_at_once: {
    on: "webhook",
    summary: say`Sends the first attempt twice at the same time.`,
    behavior: () => ({ isSentTwiceAtOnce: true }),
  },
  delay_ms: {
    on: "webhook",
    value: wholeNumber(MAX_DELAY_MS),
    summary: say`Delays the first attempt by N milliseconds of sandbox time.`,
    behavior: (ms) => ({ firstDelayMs: ms }),
  },
  reorder: {
    on: "webhook",
    summary: say`Sends the webhook after the next one to the same address. Waits at most 30 s for that one.`,
    behavior: () => ({ firstDelayMs: REORDER_WAIT_MS, leavesBehindNext: true }),
  },
  drop_attempts: {
    on: "webhook",
    value: wholeNumber(MAX_DROPPED),
    summary: say`Does not send the first N attempts, and records them as failed.`,
    behavior: (count) => ({ dropsAttempt: (made) => made < count }),
  },
  bad_signature: {
    on: "webhook",
    summary: say`Signs different bytes from those it sends, at every attempt.`,
    behavior: () => ({ signedText: (body) => `${body} ` }),
  },
  early: {
    on: "webhook",
    summary: say`Responds to the call that caused the event only after the first attempt.`,
    behavior: () => ({ delaysAnswer: true }),
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
  const { value } = rowOf(kind);
  if (!value || given === undefined) return value || given !== undefined ? undefined : kind;
  const read = value.read(given);
  return read === undefined ? undefined : `${kind}=${read}`;
}

/** The kind and the value of an effect, which is empty if the kind has none. */
export function partsOf(effect: Effect): { readonly kind: EffectKind; readonly value: string } {
  const [kind = "", ...value] = effect.split("=");
  return { kind: kind as EffectKind, value: value.join("=") };
}

function rowOf(effect: Effect): EffectRow {
  return EFFECTS[partsOf(effect).kind];
}

const ORDINARY: WebhookBehavior = {
  firstDelayMs: 0,
  leavesBehindNext: false,
  isSentTwiceAtOnce: false,
  isSentAgain: false,
  delaysAnswer: false,
  dropsAttempt: () => false,
  signedText: (body) => body,
};

/** How a webhook with this fault, or without one, is sent. */
export function behaviorOf(effect: Effect | undefined): WebhookBehavior {
  if (effect === undefined) return ORDINARY;
  return { ...ORDINARY, ...rowOf(effect).behavior?.(Number(partsOf(effect).value)) };
}

export function isOperationEffect(effect: Effect): boolean {
  return rowOf(effect).on === "call";
}

/** Whether a fault at this place can have the effect. */
export function isEffectOn(effect: Effect, on: FaultPlace): boolean {
  return isOperationEffect(effect) === (on !== "webhook");
}

/** The kinds of effects that a fault at this place can have. */
export function effectKindsOn(on: FaultPlace): EffectKind[] {
  const kinds = Object.keys(EFFECTS) as EffectKind[];
  return kinds.filter((kind) => isEffectOn(kind, on));
}

/** States which effects are allowed: at one place, or at any. */
export function effectRule(name: string, on?: FaultPlace): Message {
  const forms = [
    ...(on === "webhook" ? [] : effectForms("call")),
    ...(on === undefined || on === "webhook" ? effectForms("webhook") : []),
  ];
  return say`${name} must be one of ${joined(forms, ", ")}.`;
}

/** The forms of the effects on calls or on webhooks, such as `delay_ms=N`, with the range of N. */
export function effectForms(on: EffectRow["on"]): Message[] {
  return effectKindsOn(on === "call" ? "payins.create" : on).map((kind) => {
    const { value } = rowOf(kind);
    return value ? say`${kind}=${value.placeholder} (${value.range})` : verbatim(kind);
  });
}

/** The same without the ranges. */
export function effectNames(on: EffectRow["on"]): string {
  return effectKindsOn(on === "call" ? "payins.create" : on)
    .map((kind) => [kind, rowOf(kind).value?.placeholder ?? []].flat().join("="))
    .join(", ");
}

function wholeNumber(max: number): EffectValue {
  return {
    placeholder: "N",
    allowed: { kind: "number", min: 1, max },
    range: say`${1} to ${max}`,
    read: (text) => (/^[1-9]\d{0,11}$/.test(text) && Number(text) <= max ? text : undefined),
  };
}

function oneOf(placeholder: string, choices: readonly string[]): EffectValue {
  return {
    placeholder,
    allowed: { kind: "choice", choices },
    range: verbatim(choices.join(", ")),
    read: (text) => choices.find((choice) => choice === text),
  };
}

function mergePatch(): EffectValue {
  return {
    placeholder: "JSON",
    allowed: { kind: "json_object" },
    range: say`an object of at most ${MAX_JSON_LEVELS} levels`,
    read: (text) => {
      const value = parseJson(text);
      return isJsonObject(value) && !isTooDeep(value) ? JSON.stringify(value) : undefined;
    },
  };
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
