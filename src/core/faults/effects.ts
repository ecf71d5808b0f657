import { GatewayError, type TopLevelCode } from "../errors.ts";
import { isSameJson } from "../idempotency/repeat.ts";
import type { Magic } from "./magic-values.ts";
import type { LocalizedText } from "../localized-text.ts";

/** The gateway's operations that a fault can act on. */
export const FAULTY_OPERATIONS = [
  "payins.create",
  "payouts.create",
  "payins.simulate",
  "payouts.simulate",
] as const;
export type FaultyOperation = (typeof FAULTY_OPERATIONS)[number];

/** What a fault can act on: a call of an operation, or a webhook. */
export const FAULT_PLACES = [...FAULTY_OPERATIONS, "webhook"] as const;
export type FaultPlace = (typeof FAULT_PLACES)[number];

/** What a fault does to a call of an operation. */
export type OperationEffect =
  /** It is refused where a rule would refuse it: with nothing done, and its key not taken. */
  | { readonly kind: "error"; readonly code: TopLevelCode }
  /** It waits before its work, in real time. */
  | { readonly kind: "latency_ms"; readonly ms: number }
  /** Its work is done, then the connection dies. */
  | { readonly kind: "lost_answer" }
  /** It waits before its work until it is released. */
  | { readonly kind: "hold" };

/** What a fault does to a webhook; what it is, the delivery says from its creation on. */
export type WebhookEffect =
  /** Once it is delivered, its bytes are sent once more. */
  | { readonly kind: "duplicate" }
  /** Its first attempt is made twice at the same time. */
  | { readonly kind: "duplicate_at_once" }
  /** Its first attempt is due so much later, in sandbox time. */
  | { readonly kind: "delay_ms"; readonly ms: number }
  /** Its first attempt leaves behind that of the next webhook to its address. */
  | { readonly kind: "reorder" }
  /** So many attempts are not sent, and are recorded as failed. */
  | { readonly kind: "drop_attempts"; readonly count: number }
  /** What signs it are other bytes than those that are sent. */
  | { readonly kind: "bad_signature" }
  /** The call that caused it is answered only after its first attempt. */
  | { readonly kind: "early" };

export type Effect = OperationEffect | WebhookEffect;

/** A failure that somebody ordered. */
export interface Fault {
  readonly id: string;
  /** Whose calls and webhooks it acts on; everyone's where it is null. */
  readonly integration: string | null;
  /** Counts the faults of that integration. */
  readonly ordinal: number;
  readonly on: FaultPlace;
  readonly effect: Effect;
  /** Members that the request's body, or the event's `data`, must have. */
  readonly match?: Members | undefined;
  /** How often it still acts; for ever where it is absent. */
  readonly times?: number | undefined;
  /** How likely it is to act where it could, from 0 to 1; always where it is absent. */
  readonly probability?: number | undefined;
  readonly used: number;
  /** How often chance was asked. */
  readonly drawn: number;
  /** The fixture that it was made from, if any. */
  readonly fixture?: string | undefined;
}

export type Members = Readonly<Record<string, unknown>>;
/** A fault as somebody orders it. */
export type FaultDraft = Pick<Fault, "on" | "effect" | "match" | "times" | "probability">;

/** The codes that an injected error can have. */
export const INJECTED_CODES = [
  "VALIDATION_ERROR",
  "NO_ACTIVE_CREDENTIAL",
  "DUPLICATED_VALUE",
  "NOT_PROCESSABLE",
  "EXTERNAL_ERROR",
] as const satisfies readonly TopLevelCode[];

/** Ten minutes: no client waits longer. */
const MAX_LATENCY_MS = 600_000;
/** A year, which is how far the clock can be advanced at once. */
const MAX_DELAY_MS = 366 * 86_400_000;
const MAX_DROPPED = 100;

const OPERATION_CHOICES = `error=CODE (${INJECTED_CODES.join(", ")}), latency_ms=N (1 to ${MAX_LATENCY_MS}), lost_answer, hold`;
const WEBHOOK_CHOICES = `duplicate, duplicate_at_once, delay_ms=N (1 to ${MAX_DELAY_MS}), reorder, drop_attempts=N (1 to ${MAX_DROPPED}), bad_signature, early`;

/** Reads an effect's text, such as `error=EXTERNAL_ERROR`; undefined where it is none. */
export function readEffect(text: string): Effect | undefined {
  const [, kind = "", value] = /^([a-z_]+)(?:=([A-Za-z0-9_]+))?$/.exec(text.trim()) ?? [];
  switch (kind) {
    case "error": {
      const code = INJECTED_CODES.find((one) => one === value);
      return code && { kind, code };
    }
    case "latency_ms": {
      const ms = readWhole(value, MAX_LATENCY_MS);
      return ms === undefined ? undefined : { kind, ms };
    }
    case "delay_ms": {
      const ms = readWhole(value, MAX_DELAY_MS);
      return ms === undefined ? undefined : { kind, ms };
    }
    case "drop_attempts": {
      const count = readWhole(value, MAX_DROPPED);
      return count === undefined ? undefined : { kind, count };
    }
    case "lost_answer":
    case "hold":
    case "duplicate":
    case "duplicate_at_once":
    case "reorder":
    case "bad_signature":
    case "early":
      return value === undefined ? { kind } : undefined;
    default:
      return undefined;
  }
}

/** The text that {@link readEffect} reads. */
export function writeEffect(effect: Effect): string {
  switch (effect.kind) {
    case "error":
      return `error=${effect.code}`;
    case "latency_ms":
    case "delay_ms":
      return `${effect.kind}=${effect.ms}`;
    case "drop_attempts":
      return `drop_attempts=${effect.count}`;
    case "lost_answer":
    case "hold":
    case "duplicate":
    case "duplicate_at_once":
    case "reorder":
    case "bad_signature":
    case "early":
      return effect.kind;
  }
}

export function isOperationEffect(effect: Effect): effect is OperationEffect {
  return ["error", "latency_ms", "lost_answer", "hold"].includes(effect.kind);
}

/** Whether an effect is one for calls where calls are meant, and one for webhooks where they are. */
export function isEffectOn(effect: Effect, on: FaultPlace): boolean {
  return isOperationEffect(effect) === (on !== "webhook");
}

/** Which effects there are, at one place or at any. */
export function effectRule(name: string, on?: FaultPlace): LocalizedText {
  const list =
    on === undefined
      ? `${OPERATION_CHOICES}, ${WEBHOOK_CHOICES}`
      : on === "webhook"
        ? WEBHOOK_CHOICES
        : OPERATION_CHOICES;
  return { en: `${name} must be one of ${list}.`, pt: `${name} deve ser um de ${list}.` };
}

/** What an injected error says. */
export function injectedError(code: TopLevelCode): GatewayError {
  return new GatewayError(code, {
    en: "A fault of the sandbox refuses this call, as it was asked to; nothing was done.",
    pt: "Uma falha do sandbox recusa esta chamada, como foi pedido; nada foi feito.",
  });
}

/** What a call suffers, and what has been used for it by then. */
export interface CallFault {
  readonly effect?: OperationEffect | undefined;
  /** The fault's id; there is none where the call asked for it itself. */
  readonly id?: string | undefined;
  /** What happens to the webhooks that the call causes, beside the faults that are ordered. */
  readonly webhook?: WebhookEffect | undefined;
  /** The meaning of a value in the call, where that is what it suffers from. */
  readonly magic?: Magic | undefined;
  /** To be committed with what the call changes. */
  readonly uses?: FaultUses | undefined;
}

/**
 * The faults that one decision uses, and what they are like then. Of those that could act at a place the
 * one that was created first does, and it alone: a call suffers one fault, and so does a webhook.
 */
export class FaultUses {
  readonly #records: { readonly faults: ReadonlyMap<string, Fault> };
  readonly #chance: (faultId: string, counter: number) => number;
  readonly #changed = new Map<string, Fault>();
  /** Whether at an address a webhook waits for another to go before it, where this decision has changed that. */
  readonly awaited = new Map<string, boolean>();

  /** @param chance a number from 0 up to 1, the same one for the same fault and counter */
  constructor(
    records: { readonly faults: ReadonlyMap<string, Fault> },
    chance: (faultId: string, counter: number) => number,
  ) {
    this.#records = records;
    this.#chance = chance;
  }

  /** What is to be committed: the faults as they now are. */
  get change(): { readonly faults?: readonly Fault[] } {
    return this.#changed.size === 0 ? {} : { faults: [...this.#changed.values()] };
  }

  /** The fault that acts now; it has been used then. */
  take(on: FaultPlace, integration: string, members: () => Members): Fault | undefined {
    for (const kept of this.#records.faults.values()) {
      const fault = this.#changed.get(kept.id) ?? kept;
      if (!isFor(fault, on, integration) || !isMatch(fault.match, members)) continue;
      const { probability, drawn, times } = fault;
      const isDrawn = probability !== undefined;
      const acts = !isDrawn || this.#chance(fault.id, drawn) < probability;
      const after = {
        ...fault,
        ...(isDrawn && { drawn: drawn + 1 }),
        ...(acts && { used: fault.used + 1, ...(times !== undefined && { times: times - 1 }) }),
      };
      this.#changed.set(fault.id, after);
      if (acts) return after;
    }
    return undefined;
  }
}

function isFor({ on, integration, times }: Fault, at: FaultPlace, whose: string): boolean {
  return on === at && (integration === null || integration === whose) && times !== 0;
}

function isMatch(match: Members | undefined, members: () => Members): boolean {
  if (match === undefined) return true;
  const found = members();
  return Object.entries(match).every(
    ([name, value]) =>
      Object.hasOwn(found, name) && isSameJson(JSON.stringify(value), JSON.stringify(found[name])),
  );
}

function readWhole(text: string | undefined, max: number): number | undefined {
  if (text === undefined || !/^[1-9]\d{0,11}$/.test(text)) return undefined;
  const number = Number(text);
  return number <= max ? number : undefined;
}
