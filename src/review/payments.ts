import { keyOf } from "./tally.ts";

/** What a payout is for, read from the text of its request or webhook. */
export interface Payment {
  /** Its integration, receiver and value. */
  readonly name: string;
  readonly description: string;
}

/** Reads the body of a call or of a webhook; undefined if it has no payout, or is not complete. */
export function paymentIn(integration: string, text: string | undefined): Payment | undefined {
  const members = membersOf(text);
  const {
    receiver_cpf: receiver,
    value,
    description = "",
  } = membersOf(members?.["data"]) ?? members ?? {};
  if (typeof receiver !== "string" || typeof description !== "string") return undefined;
  return { name: keyOf(integration, receiver, String(value)), description };
}

function membersOf(given: unknown): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = typeof given === "string" ? JSON.parse(given) : given;
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether two descriptions name the same purpose: they are equal, but for a count of the attempts. */
export function haveSamePurpose(one: string, other: string): boolean {
  if (one === other || withoutAttempt(one) === withoutAttempt(other)) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short !== "" && long.startsWith(short) && COUNTER.test(long.slice(short.length));
}

/** What follows the same text: ` (2)`, `-2`, `#2`. A longer number names another purpose. */
const COUNTER = /^[\s(#_.:/-]+\d{1,2}\)?$/;
const ATTEMPT =
  /^(?:attempt|retry|try|tentativa|reenvio)\b[\s#_.nº°-]*(?!\d{3})\d*\)?[\s:/-]+(?=.*\p{L})(?=.*\d)|[\s(#_.:/-]*\b(?:attempt|retry|try|tentativa|reenvio)[\s#_.:nº°-]*\d*\)?$/iu;

function withoutAttempt(description: string): string {
  return description.replace(ATTEMPT, "");
}
