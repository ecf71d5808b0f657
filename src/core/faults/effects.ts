import { TOP_LEVEL_CODES, type TopLevelCode } from "../records/errors.ts";
import { isTooDeep, MAX_JSON_LEVELS } from "../../wire/json.ts";
import { joined, type Message, say, verbatim } from "../../text/message.ts";

/** What a fault can act on: calls of one gateway operation, or webhooks. */
export const FAULT_PLACES = [
  "payins.create",
  "payouts.create",
  "payins.simulate",
  "payouts.simulate",
  "webhook",
] as const;
export type FaultPlace = (typeof FAULT_PLACES)[number];
export type FaultyOperation = Exclude<FaultPlace, "webhook">;

/** The value of an effect, after its `=`. */
export interface EffectValue {
  /** Stands for it in documentation. */
  readonly placeholder: "CODE" | "N" | "JSON";
  /** The allowed values in words. */
  readonly range: Message;
  /** Returns its text in the usual form; undefined if it is not allowed. */
  readonly read: (text: string) => string | undefined;
}

export interface EffectRow {
  readonly value?: EffectValue;
  readonly summary: Message;
}

const CODE: EffectValue = {
  placeholder: "CODE",
  range: verbatim(TOP_LEVEL_CODES.join(", ")),
  read: (text) => TOP_LEVEL_CODES.find((code) => code === text),
};
const PATCH: EffectValue = {
  placeholder: "JSON",
  range: say`an object of at most ${MAX_JSON_LEVELS} levels`,
  read(text) {
    try {
      const patch: unknown = JSON.parse(text);
      return isJsonObject(patch) && !isTooDeep(patch) ? JSON.stringify(patch) : undefined;
    } catch {
      return undefined;
    }
  },
};
const upTo = (max: number): EffectValue => ({
  placeholder: "N",
  range: say`${1} to ${max}`,
  read: (text) => (/^[1-9]\d{0,11}$/.test(text) && Number(text) <= max ? text : undefined),
});

const ON_CALLS = {
  error: {
    value: CODE,
    summary: say`Refuses the call with this error. Nothing is created, and the idempotency key stays unused.`,
  },
  latency_ms: {
    value: upTo(600_000), // no client waits longer
    summary: say`Waits N milliseconds of real time, then handles the call.`,
  },
  lost_answer: {
    summary: say`Handles the call, then closes the connection without a response. A retry with the same key gets the first response.`,
  },
  hold: {
    summary: say`Holds the call before it is handled, until the fault is released.`,
  },
  patch_body: {
    value: PATCH,
    summary: say`Handles the call, then changes the JSON of the response by a merge patch (RFC 7396), such as \`{"pix_id":null}\`. A repeat with the same key gets the unchanged response.`,
  },
} as const satisfies Record<string, EffectRow>;

const ON_WEBHOOKS = {
  duplicate: {
    summary: say`Sends the webhook once more after its delivery.`,
  },
  duplicate_at_once: {
    summary: say`Sends the first attempt twice at the same time.`,
  },
  delay_ms: {
    value: upTo(366 * 86_400_000), // the clock cannot be advanced further at once
    summary: say`Delays the first attempt by N milliseconds of sandbox time.`,
  },
  reorder: {
    summary: say`Sends the webhook after the next one to the same address. Waits at most 30 s for that one.`,
  },
  drop_attempts: {
    value: upTo(100),
    summary: say`Does not send the first N attempts, and records them as failed.`,
  },
  bad_signature: {
    summary: say`Signs different bytes from those it sends, at every attempt.`,
  },
  early: {
    summary: say`Responds to the call that caused the event only after the first attempt.`,
  },
} as const satisfies Record<string, EffectRow>;

/** Every fault effect: the grammar of its text and its documentation. */
export const EFFECTS = { ...ON_CALLS, ...ON_WEBHOOKS };

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
  const [, kind = "", given = ""] = /^([a-z_]+)(?:=(.+))?$/s.exec(text.trim()) ?? [];
  if (!Object.hasOwn(EFFECTS, kind)) return undefined;
  const { value }: EffectRow = EFFECTS[kind as EffectKind];
  if (!value) return given === "" ? kind : undefined;
  const read = value.read(given);
  return read && `${kind}=${read}`;
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
  return Object.keys(place === "webhook" ? ON_WEBHOOKS : ON_CALLS) as EffectKind[];
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
    return value ? say`${formOf(kind)} (${value.range})` : verbatim(kind);
  });
}

/** The text of an effect, with a placeholder for its value. */
export function formOf(kind: EffectKind): string {
  const { value }: EffectRow = EFFECTS[kind];
  return value ? `${kind}=${value.placeholder}` : kind;
}

/** Changes JSON text by a merge patch: members are replaced, `null` removes one, objects are merged. */
export function patchJson(text: string, patch: string): string {
  return JSON.stringify(merge(JSON.parse(text), JSON.parse(patch)));
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
