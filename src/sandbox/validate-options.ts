import { types } from "node:util";
import { type AssumptionChanges, readChoice } from "../core/assumptions/table.ts";
import { isCity } from "../core/payments/br-code.ts";
import { END_OF_TIME_MS, fromIso } from "../core/time/timestamp.ts";
import { toOrigin } from "../core/web-origin.ts";
import type { SandboxOptions } from "./options.ts";

// By hand: what reads schemas is loaded after the start, which it would make longer.

/**
 * The options of a start, as somebody may have written them whom no compiler has checked.
 * @throws TypeError for an option that there is not, and for a value that one does not take.
 */
export function readOptions(options: SandboxOptions): SandboxOptions {
  if (!isObject(options))
    throw new TypeError(
      `The options are an object, not ${tell(options)}; leave them out for none.`,
    );
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(KINDS, name))
      throw new TypeError(
        `There is no option ${JSON.stringify(name)}; there are ${Object.keys(KINDS).join(", ")}.`,
      );
    const { takes, is } = KINDS[name as keyof SandboxOptions];
    if (value !== undefined && !is(value))
      throw new TypeError(`The option ${name} takes ${takes}, not ${tell(value)}.`);
  }
  const { assumptions, corsOrigins } = options;
  return {
    ...options,
    ...(assumptions && { assumptions: readAll(assumptions) }),
    ...(corsOrigins && { corsOrigins: corsOrigins.map((origin) => toOrigin(origin) ?? origin) }),
  };
}

/** What an option takes, in words and as a test. */
interface Kind {
  readonly takes: string;
  readonly is: (value: unknown) => boolean;
}

// An empty host would be every interface of the machine, an empty file the folder.
const TEXT: Kind = { takes: "a text that is not empty", is: isFilled };
const SWITCH: Kind = { takes: "true or false", is: (value) => typeof value === "boolean" };
const AMOUNT = wholeNumber(Number.MAX_SAFE_INTEGER, "a whole number, 0 or more");
const TEXTS: Kind = { takes: "a list of texts", is: listOf(isFilled) };

const KINDS: Readonly<Record<keyof SandboxOptions, Kind>> = {
  host: TEXT,
  port: wholeNumber(65_535, "a whole number from 0 to 65535"),
  stateFile: TEXT,
  durability: oneOf("always", "none"),
  strictState: SWITCH,
  keepDeliveries: AMOUNT,
  keepRequests: AMOUNT,
  fixtures: {
    takes: "a list of file names and of fixtures",
    is: listOf((one) => isFilled(one) || isObject(one)),
  },
  seed: TEXT,
  clock: oneOf("real", "frozen"),
  now: {
    takes: "a time before the year 9000, as a Date or like 2026-11-21T12:00:00Z",
    is: (value) => {
      const ms =
        typeof value === "string" ? fromIso(value) : types.isDate(value) && value.getTime();
      // What is no time is not before any.
      return typeof ms === "number" && ms < END_OF_TIME_MS;
    },
  },
  assumptions: { takes: "an object of choices by their names", is: isObject },
  explain: SWITCH,
  magic: SWITCH,
  credentials: {
    takes: "a list of objects with apiKey, apiSecret and merchantId, each a text",
    is: listOf(
      (one) =>
        isObject(one) &&
        ["apiKey", "apiSecret", "merchantId"].every((name) => isFilled(Reflect.get(one, name))),
    ),
  },
  https: SWITCH,
  publicUrl: {
    takes: "an address like https://pix.example",
    is: (value) => isFilled(value) && /^https?:/i.test(value) && URL.canParse(value),
  },
  city: {
    takes: "a text that leaves a city's name in a BR Code, such as Recife",
    is: (value) => typeof value === "string" && isCity(value),
  },
  allowHosts: TEXTS,
  corsOrigins: {
    takes: "a list of origins without a path, such as http://localhost:5173",
    is: listOf((one) => typeof one === "string" && toOrigin(one) !== undefined),
  },
  webhookAllow: oneOf("all", "loopback"),
  report: { takes: "a function", is: (value) => typeof value === "function" },
};

/** @throws TypeError for an assumption that there is not, and for a choice that one does not have. */
function readAll(said: AssumptionChanges): AssumptionChanges {
  const read = Object.entries(said)
    .filter(([, choice]) => choice !== undefined)
    .map(([name, choice]) => [name, readOne(name, choice)] as const);
  return Object.fromEntries(read);
}

function readOne(name: string, said: unknown): string | number {
  const read = readChoice(name, said);
  if ("refusal" in read) throw new TypeError(`The option assumptions: ${read.refusal}`);
  return read.choice;
}

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(is: (one: unknown) => boolean): Kind["is"] {
  return (value) => Array.isArray(value) && value.every((one) => is(one));
}

function oneOf(...choices: readonly string[]): Kind {
  const is: Kind["is"] = (value) => choices.some((choice) => choice === value);
  return { takes: choices.map((choice) => JSON.stringify(choice)).join(" or "), is };
}

function wholeNumber(most: number, takes: string): Kind {
  return {
    takes,
    is: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most,
  };
}

function tell(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return "this list";
  if (typeof value === "object" && value !== null && !types.isDate(value)) return "an object";
  return typeof value === "function" ? "a function" : String(value);
}
