import {
  type EffectKind,
  effectKindsOn,
  type EffectRow,
  EFFECTS,
  type EffectValue,
  type FaultPlace,
  readEffect,
} from "../../core/faults/effects.ts";
import { TOP_LEVEL_CODES } from "../../core/records/errors.ts";
import { MAX_FAULT_TIMES } from "../../core/faults/fault.ts";
import type { WebhookPayin, WebhookPayout } from "../../core/records/transaction.ts";
import type { WireFault } from "../../core/state/wire.ts";
import { type Message, say } from "../../text/message.ts";

/** The fields of the form that adds a fault, as the user has filled them in. */
export interface FaultForm {
  readonly on: FaultPlace;
  readonly kind: EffectKind;
  /** The text after `=`; empty for an effect without a value. */
  readonly value: string;
  readonly times: string;
  readonly probability: string;
  readonly match: readonly MatchRow[];
  /** Null for all integrations. */
  readonly integration: string | null;
}

/** A member that the request's body, or the event's `data`, must have. */
export interface MatchRow {
  readonly name: string;
  readonly value: string;
  /** Whether the value is JSON, such as a number; else it is text. */
  readonly isJson: boolean;
}

export type FaultField = "value" | "times" | "probability" | `name ${number}` | `match ${number}`;

/** What is wrong in a form, by field; or what to send, and the command that does the same. */
export type FaultReading =
  | { readonly errors: Readonly<Partial<Record<FaultField, Message>>> }
  | {
      readonly body: FaultBody;
      /** The words after `pix-sandbox`; undefined if the command has no words for it. */
      readonly command: readonly string[] | undefined;
    };

/** The body of `POST /_sandbox/faults`. */
export interface FaultBody {
  readonly on: FaultPlace;
  readonly effect: string;
  readonly times?: number;
  readonly probability?: number;
  readonly match?: Readonly<Record<string, unknown>>;
}

export function emptyFaultForm(integration: string | null): FaultForm {
  return {
    ...toPlace("payins.create"),
    times: "",
    probability: "",
    match: [],
    integration,
  };
}

/** The form for another place: its effect stays if that place allows it. */
export function withPlace(form: FaultForm, on: FaultPlace): FaultForm {
  return effectKindsOn(on).includes(form.kind) ? { ...form, on } : { ...form, ...toPlace(on) };
}

/** The form with another effect. */
export function withKind(form: FaultForm, kind: EffectKind): FaultForm {
  return { ...form, kind, value: firstValue(kind) };
}

/** The form with another name in a row of `match`. A known member decides whether its value is text. */
export function withName(form: FaultForm, index: number, name: string): FaultForm {
  const isJson = NOT_TEXT.has(name);
  const isKnown = MEMBERS[form.on].some((member) => member === name);
  return withMatch(form, index, isKnown ? { name, isJson } : { name });
}

/** The form with a change in a row of `match`. */
export function withMatch(form: FaultForm, index: number, change: Partial<MatchRow>): FaultForm {
  return {
    ...form,
    match: form.match.map((row, at) => (at === index ? { ...row, ...change } : row)),
  };
}

/** The names of the members that a request, or the data of an event, has. */
export function membersOf(on: FaultPlace): readonly string[] {
  return MEMBERS[on];
}

/** The text of a field. */
export function textOf({ match, ...form }: FaultForm, field: FaultField): string {
  if (field === "value" || field === "times" || field === "probability") return form[field];
  const [member, index] = field.split(" ");
  const row = match[Number(index)];
  return (member === "name" ? row?.name : row?.value) ?? "";
}

/** Reads a form. */
export function readFaultForm(form: FaultForm): FaultReading {
  const { on, kind, match } = form;
  const { value }: EffectRow = EFFECTS[kind];
  const errors: Partial<Record<FaultField, Message>> = {};
  const effect = readEffect(value ? `${kind}=${form.value.trim()}` : kind);
  if (!effect && value) errors.value = valueRule(value);
  const times = readNumber(form.times, isTimes);
  if (times === undefined) errors.times = TIMES_RULE;
  const probability = readNumber(form.probability, isProbability);
  if (probability === undefined) errors.probability = PROBABILITY_RULE;
  const members = match
    .map((row, index) => ({ ...row, index }))
    .filter(({ name, value: text }) => name !== "" || text !== "");
  const seen = new Set<string>();
  const read = new Map<string, unknown>();
  for (const row of members) {
    if (row.name === "") errors[`name ${row.index}`] = NO_NAME;
    if (seen.has(row.name)) errors[`name ${row.index}`] = SAME_NAME;
    seen.add(row.name);
    const found = row.isJson ? parseJson(row.value) : row.value;
    if (found === undefined) errors[`match ${row.index}`] = NO_JSON;
    read.set(row.name, found);
  }
  if (!effect || Object.keys(errors).length > 0) return { errors };
  const body = {
    on,
    effect,
    ...(times != null && { times }),
    ...(probability != null && { probability }),
    ...(members.length > 0 && { match: Object.fromEntries(read) }),
  };
  const command = [
    "faults",
    "add",
    on,
    effect,
    ...(times == null ? [] : ["--times", String(times)]),
    ...(probability == null ? [] : ["--probability", String(probability)]),
    ...members.flatMap((row) => ["--match", `${row.name}${row.isJson ? ":=" : "="}${row.value}`]),
  ];
  // The command separates a name from its value by these characters.
  const isCommand = members.every(({ name }) => !/[=:]/.test(name));
  return { body, command: isCommand ? command : undefined };
}

/** Whether a fault can still act. */
export function isArmed({ times }: WireFault): boolean {
  return times !== 0;
}

function toPlace(on: FaultPlace): Pick<FaultForm, "on" | "kind" | "value"> {
  const [kind = "error"] = effectKindsOn(on);
  return { on, kind, value: firstValue(kind) };
}

function firstValue(kind: EffectKind): string {
  const { value }: EffectRow = EFFECTS[kind];
  return value?.placeholder === "CODE" ? TOP_LEVEL_CODES[0] : "";
}

function valueRule(value: EffectValue): Message {
  if (value.placeholder === "N") return say`Enter a whole number: ${value.range}.`;
  return say`Enter ${value.range}.`;
}

/** Null for an empty text, undefined for one that is wrong. */
function readNumber(text: string, isAllowed: (text: string) => boolean): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  return isAllowed(trimmed) ? Number(trimmed) : undefined;
}

function isTimes(text: string): boolean {
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= MAX_FAULT_TIMES;
}

function isProbability(text: string): boolean {
  return /^(?=\.?\d)\d*\.?\d*$/.test(text) && Number(text) <= 1;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const TIMES_RULE = say`Enter a whole number: 1 to ${MAX_FAULT_TIMES}. Empty means no limit.`;
const PROBABILITY_RULE = say`Enter a number from 0 to 1, such as 0.5. Empty means always.`;
const NO_NAME = say`Enter the field's name.`;
const SAME_NAME = say`Another row has this name.`;
const NO_JSON = say`Enter JSON, such as 10.5, true or "text".`;

type Member = keyof WebhookPayin | keyof WebhookPayout | "transaction_id";

const PAYIN_MEMBERS = [
  "value",
  "description",
  "buyer_cpf",
  "buyer_name",
  "buyer_email",
  "webhook_url",
  "generate_qrcode",
  "expiration",
] as const;
const PAYOUT_MEMBERS = [
  "value",
  "description",
  "receiver_cpf",
  "receiver_name",
  "receiver_email",
  "webhook_url",
  "pix_key",
  "pix_key_type",
] as const;
const SIMULATION_MEMBERS = ["transaction_id", "status"] as const;

const MEMBERS: Readonly<Record<FaultPlace, readonly Member[]>> = {
  "payins.create": PAYIN_MEMBERS,
  "payouts.create": PAYOUT_MEMBERS,
  "payins.simulate": SIMULATION_MEMBERS,
  "payouts.simulate": SIMULATION_MEMBERS,
  webhook: [
    ...new Set<Member>(["id", "status", ...PAYIN_MEMBERS, ...PAYOUT_MEMBERS]),
    "pix_id",
    "end_to_end_id",
  ],
};
const NOT_TEXT: ReadonlySet<string> = new Set<Member>(["value", "expiration", "generate_qrcode"]);
