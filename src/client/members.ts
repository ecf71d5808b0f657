import { closest } from "../text/suggestion.ts";
import type {
  CallOptions,
  NewFault,
  NewPayin,
  NewPayout,
  PayinFilter,
  PayoutFilter,
  WaitOptions,
  WebhookConfiguration,
  WebhookFilter,
} from "./records.ts";

/** The names of all members of a type: the compiler says if one is missing. */
export type NamesOf<Value> = Readonly<Record<keyof Value, true>>;

export const NEW_PAYIN: NamesOf<NewPayin> = {
  value: true,
  description: true,
  buyerCpf: true,
  buyerName: true,
  buyerEmail: true,
  expiration: true,
  generateQrcode: true,
  webhookUrl: true,
};
export const NEW_PAYOUT: NamesOf<NewPayout> = {
  value: true,
  description: true,
  receiverCpf: true,
  receiverName: true,
  receiverEmail: true,
  pixKey: true,
  pixKeyType: true,
  webhookUrl: true,
};
export const CALL_OPTIONS: NamesOf<CallOptions> = { idempotencyKey: true };
export const PAYIN_FILTER: NamesOf<PayinFilter> = { status: true, pixId: true };
export const PAYOUT_FILTER: NamesOf<PayoutFilter> = { status: true };
export const WEBHOOK_FILTER: NamesOf<WebhookFilter> = {
  type: true,
  transactionId: true,
  status: true,
};
export const WAIT_OPTIONS: NamesOf<WaitOptions> = {
  type: true,
  transactionId: true,
  id: true,
  timeoutMs: true,
};
export const CONFIGURATION: NamesOf<WebhookConfiguration> = { webhookUrl: true, events: true };
export const NEW_FAULT: NamesOf<NewFault> = {
  on: true,
  effect: true,
  match: true,
  times: true,
  probability: true,
};

/**
 * Refuses members that a function does not take: TypeScript does so too, for literals.
 * @param caller the function, such as `payins.create()`
 * @throws TypeError with a suggestion
 */
export function assertMembers(caller: string, given: unknown, names: object): void {
  const known = Object.keys(names);
  if (typeof given !== "object" || given === null)
    throw new TypeError(
      `${caller} takes an object with ${known.join(", ")}, not ${JSON.stringify(given)}.`,
    );
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new TypeError(
      `Unknown member ${JSON.stringify(unknown)} of ${caller}. ${advise(unknown, known)}`,
    );
}

/** What to write in place of an unknown name. */
export function advise(unknown: string, known: readonly string[]): string {
  const meant = closest(unknown, known);
  return meant === undefined
    ? `Use ${known.join(", ")}.`
    : `Did you mean ${JSON.stringify(meant)}?`;
}
