// What the values of an option can be. Not zod schemas: loading zod would delay a start and each help. The schema of
// the config file is made from these checks.
import { types } from "node:util";
import { END_OF_TIME_MS, fromIso } from "../../wire/timestamp.ts";
import { isWebhookUrl } from "../../core/records/webhook-url.ts";
import { toUrl } from "../../wire/names.ts";
import { listed, type Message, say } from "../../text/message.ts";

/** The values of an option: the same for a flag, a variable, the config file and `startSandbox`. */
export interface Check<Value = unknown> {
  /** How a flag and the config file write a value. An `object` has no text. */
  readonly kind: "switch" | "number" | "choice" | "text" | "list" | "object";
  /** Completes "must be …" and "Use …". */
  readonly rule: Message;
  readonly accepts: (value: unknown) => value is Value;
  /** Of a `number`. */
  readonly max?: number;
  /** Of a `choice`. */
  readonly choices?: readonly string[];
  /** Of a `list`: the check of each value. */
  readonly item?: Check<string>;
  /** Whether errors do not show the value. */
  readonly isSecret?: boolean;
}

export const toggle: Check<boolean> = {
  kind: "switch",
  rule: say`true or false`,
  accepts: (value) => typeof value === "boolean",
};

/** A whole number from 0 on. */
export function wholeNumber(max = Number.MAX_SAFE_INTEGER): Check<number> {
  return {
    kind: "number",
    rule:
      max === Number.MAX_SAFE_INTEGER
        ? say`a whole number, 0 or more`
        : say`a whole number from 0 to ${max}`,
    accepts: (value): value is number =>
      Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max,
    max,
  };
}

export function oneOf<const Choice extends string>(...choices: readonly Choice[]): Check<Choice> {
  const quoted = choices.map((choice) => JSON.stringify(choice));
  return {
    kind: "choice",
    rule: listed(quoted, "or"),
    accepts: (value): value is Choice => choices.some((choice) => choice === value),
    choices,
  };
}

/** A text that is not blank: an empty host would mean all interfaces, an empty file name the folder. */
export const filledText: Check<string> = {
  kind: "text",
  rule: say`a non-empty string`,
  accepts: isFilled,
};

export function textThat(
  isValid: (text: string) => boolean,
  rule: Message,
  isSecret = false,
): Check<string> {
  const accepts = (value: unknown): value is string => typeof value === "string" && isValid(value);
  return { kind: "text", rule, accepts, isSecret };
}

/** @param rule of the list; that of `item` completes "Use …" */
export function listOf(item: Check<string>, rule: Message): Check<readonly string[]> {
  return { ...valuesThat(item.accepts, rule), kind: "list", item };
}

export const filledTexts = listOf(filledText, say`a list of non-empty strings`);

/** A list that is no text, such as of objects. */
export function valuesThat<Item>(
  accepts: (value: unknown) => value is Item,
  rule: Message,
): Check<readonly Item[]> {
  return valueThat((value) => Array.isArray(value) && value.every((one) => accepts(one)), rule);
}

/** A value that is no text, such as a function. */
export function valueThat<Value>(
  isValid: (value: unknown) => boolean,
  rule: Message,
): Check<Value> {
  return { kind: "object", rule, accepts: (value): value is Value => isValid(value) };
}

export function isFilled(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a text is two hosts, as `from=to`, of which webhooks may go to the second. */
export function isHostRewrite(text: string): boolean {
  const [from, to, more] = text.split("=").map((host) => toUrl(`http://${host}/`));
  const areHosts = [from, to].every(
    (url) => url !== undefined && url.href === `http://${url.hostname}/`,
  );
  return areHosts && more === undefined && isWebhookUrl(to?.href ?? "");
}

/** The two hosts of a rewrite, as a URL has them. */
export function readHostRewrite(text: string): [from: string, to: string] {
  const [from = "", to = ""] = text.split("=").map((host) => toUrl(`http://${host}/`)?.hostname);
  return [from, to];
}

/** Whether a URL has only a host and a path: a BR Code cannot contain a query. */
export function isPublicUrl(text: string): boolean {
  return /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/i.test(text) && toUrl(text) !== undefined;
}

/** Whether a Date, or a text in ISO 8601, can be the sandbox's time at the start. */
export function isStartTime(value: unknown): boolean {
  const ms = typeof value === "string" ? fromIso(value) : types.isDate(value) && value.getTime();
  // An invalid Date is NaN, which is not less than anything.
  return typeof ms === "number" && ms < END_OF_TIME_MS;
}
