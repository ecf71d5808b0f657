import { timingSafeEqual } from "node:crypto";
import { STANDARD_ASSUMPTIONS } from "../core/assumptions/table.ts";
import { type EventSource, payinDeliveries, payoutDeliveries } from "../core/webhooks/event.ts";
import type { Payin } from "../core/payments/payin.ts";
import type { Payout } from "../core/payments/payout.ts";
import { authenticate, PREFIX, withoutPrefix } from "./signature.ts";

/** A webhook as somebody received it. */
export interface CapturedWebhook {
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes, as far as they are still what was sent. */
  readonly body: Buffer;
  /** Whether only what the body says was kept: then `body` is one way to write that. */
  readonly isParsed?: boolean;
}

export interface Verification {
  /** `whsec_…`, or what somebody takes for it. */
  readonly secret: string;
  readonly nowMs: number;
  /** How far off the timestamp may lie. */
  readonly toleranceMs: number;
}

/** What merchants get wrong. */
export type Mistake =
  | "missing_header"
  | "malformed_header"
  | "empty_body"
  | "body_changed"
  | "wrong_content"
  | "secret_not_decoded"
  | "secret_with_quotes_or_blanks"
  | "wrong_secret"
  | "stale_timestamp"
  | "future_timestamp";

/** What is wrong with a webhook, in a sentence. */
export interface Flaw {
  readonly mistake: Mistake;
  readonly message: string;
}

export type Verdict =
  | {
      readonly isValid: true;
      readonly id: string;
      readonly signedAtMs: number;
      /** What another verifier may take offence at. */
      readonly warnings: readonly string[];
    }
  | ({ readonly isValid: false } & Flaw);

/**
 * Says whether a webhook's signature of Standard Webhooks 1.0.0 holds, and otherwise which of the usual mistakes
 * was made: it tries what the webhook may have been before that.
 */
export function verifyWebhook(webhook: CapturedWebhook, verification: Verification): Verdict {
  const missing = findMissingHeaders(webhook.headers);
  if (missing) return { isValid: false, ...missing };
  const signed = readSigned(webhook);
  const { secret } = verification;
  const key = toKey(secret);
  const holds =
    !webhook.isParsed &&
    signed.timestampSeconds < FIRST_MILLISECONDS &&
    key !== undefined &&
    isSignedWith(key, standardContent(signed), signed);
  const untimely = findUntimely(signed.timestampSeconds, verification);
  if (holds && !untimely) {
    const { id, timestampSeconds } = signed;
    const warnings = [...warnOfSecret(secret), ...warnOfTimestamp(signed)];
    return { isValid: true, id, signedAtMs: timestampSeconds * 1000, warnings };
  }
  const flaw = findMalformed(signed) ?? (holds && untimely ? untimely : findFlaw(signed, secret));
  return { isValid: false, ...flaw };
}

/** What a signature is made over, and what there is of signatures. */
interface Signed {
  readonly id: string;
  /** As it stands in the header. */
  readonly timestamp: string;
  readonly timestampSeconds: number;
  readonly body: Buffer;
  readonly isParsed: boolean;
  /** What stands in the header. */
  readonly entries: readonly string[];
  /** What of it can be compared: base64, without the `v1,`. */
  readonly signatures: readonly string[];
  readonly contentLength: string | undefined;
}

/** Pieces that are signed one behind the other. */
type Content = readonly (string | Buffer)[];

/** Reads the headers as `standardwebhooks` does. */
function readSigned({ headers, body, isParsed = false }: CapturedWebhook): Signed {
  const timestamp = headers["webhook-timestamp"] ?? "";
  const entries = (headers["webhook-signature"] ?? "").split(" ").filter((entry) => entry !== "");
  return {
    id: headers["webhook-id"] ?? "",
    timestamp,
    timestampSeconds: Number.parseInt(timestamp, 10),
    body,
    isParsed,
    entries,
    signatures: entries
      .map((entry) => entry.split(","))
      .flatMap(([version, signature]) =>
        version === "v1" && signature !== undefined ? [signature] : [],
      ),
    contentLength: headers["content-length"],
  };
}

/** The key that a secret holds; undefined where it is no base64 as verifiers read it. */
function toKey(secret: string): Buffer | undefined {
  const text = withoutPrefix(secret);
  const isBase64 = text.length >= 4 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  return isBase64 ? Buffer.from(text, "base64") : undefined;
}

function standardContent({ id, timestampSeconds, body }: Signed): Content {
  return [`${id}.${timestampSeconds}.`, body];
}

function isSignedWith(key: Buffer, content: Content, { signatures }: Signed): boolean {
  const expected = Buffer.from(authenticate(key, ...content));
  return signatures.some((signature) => {
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

const HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;
/** How others name them, and how programs keep headers: `svix-id`, `x-webhook-id`, `HTTP_WEBHOOK_ID`. */
const RENAMED = /^(?:http-)?(?:x-)?(?:svix|webhooks?)-(id|timestamp|signature)$/;

function findMissingHeaders(headers: CapturedWebhook["headers"]): Flaw | undefined {
  const missing = HEADERS.filter((name) => !headers[name]);
  if (missing.length === 0) return undefined;
  const renamed = Object.keys(headers).flatMap((name) => {
    const [, part] = RENAMED.exec(name.replaceAll("_", "-")) ?? [];
    const meant = missing.find((one) => one === `webhook-${part}`);
    return meant === undefined || !headers[name] ? [] : [`${meant} came as ${name}`];
  });
  return {
    mistake: "missing_header",
    message: [
      `${list(missing)} ${missing.length === 1 ? "is" : "are"} missing.`,
      ...(renamed.length > 0 ? [`It seems that ${list(renamed)}.`] : []),
    ].join(" "),
  };
}

/** A time in seconds beyond the year 5000 is one in milliseconds. */
const FIRST_MILLISECONDS = 100_000_000_000;
/** 32 bytes. */
const SIGNATURE = /^v1,[A-Za-z0-9+/]{43}=(?:,|$)/;

function findMalformed({ timestamp, timestampSeconds, entries }: Signed): Flaw | undefined {
  const malformed = (message: string): Flaw => ({ mistake: "malformed_header", message });
  if (!/^\d+$/.test(timestamp))
    return malformed(`webhook-timestamp is ${quote(timestamp)}, and no whole number of seconds.`);
  if (timestampSeconds >= FIRST_MILLISECONDS) {
    return malformed(
      `webhook-timestamp is ${quote(timestamp)}: milliseconds or less, where seconds belong.`,
    );
  }
  if (entries.some((entry) => SIGNATURE.test(entry))) return undefined;
  return malformed(`webhook-signature ${describeSignature(entries[0] ?? "")}.`);
}

function describeSignature(entry: string): string {
  if (entry.startsWith("v1a,"))
    return "is an asymmetric one (v1a), which no whsec_ secret verifies";
  const text = entry.replace(/^[\w-]*[,=:]/, "");
  if (/^[0-9a-f]{64}$/i.test(text)) return "is hexadecimal, where v1, and base64 belong";
  if (!entry.startsWith("v1,")) return `is ${quote(entry)} and lacks the v1, before its base64`;
  return `is ${quote(entry)}, and not v1, and the base64 of 32 bytes`;
}

function findUntimely(
  timestampSeconds: number,
  { nowMs, toleranceMs }: Verification,
): Flaw | undefined {
  const ageSeconds = Math.floor(nowMs / 1000) - timestampSeconds;
  if (Math.abs(ageSeconds) * 1000 <= toleranceMs) return undefined;
  const distance = toDuration(Math.abs(ageSeconds));
  const limit = `a verifier that allows ${toDuration(toleranceMs / 1000)} refuses it`;
  return ageSeconds > 0
    ? {
        mistake: "stale_timestamp",
        message: `The signature holds, but it was made ${distance} ago, and ${limit}.`,
      }
    : {
        mistake: "future_timestamp",
        message: `The signature holds, but its time lies ${distance} ahead, and ${limit}.`,
      };
}

function warnOfSecret(secret: string): string[] {
  const isWhole = withoutPrefix(secret) !== secret;
  return isWhole ? [] : ["The secret lacks its whsec_, which some verifiers ask for."];
}

function warnOfTimestamp({ timestamp }: Signed): string[] {
  const isWhole = /^\d+$/.test(timestamp);
  return isWhole
    ? []
    : [`webhook-timestamp is ${quote(timestamp)}, which stricter verifiers refuse.`];
}

/** Something that may have been so, and what went wrong where it was. */
interface Guess<Value> {
  readonly value: Value;
  readonly flaw?: Flaw;
}

/** What went wrong, where the signature does not hold and its form is right. */
function findFlaw(signed: Signed, secret: string): Flaw {
  const contents = [...guessContents(signed)];
  for (const key of guessKeys(secret)) {
    const content = contents.find(({ value }) => isSignedWith(key.value, value, signed));
    if (!content) continue;
    const flaws = [content.flaw, key.flaw].filter((flaw) => flaw !== undefined);
    const [first] = flaws;
    if (first) return { ...first, message: flaws.map(({ message }) => message).join(" ") };
  }
  if (isEmpty(signed.body)) {
    return {
      mistake: "empty_body",
      message: `The body is ${signed.body.length === 0 ? "empty" : quote(signed.body.toString())}, and something else was signed.`,
    };
  }
  return { mistake: "wrong_secret", message: describeMismatch(signed, secret) };
}

/** Nothing, and what is written where there was nothing left to read, or an object in place of its text. */
function isEmpty(body: Buffer): boolean {
  const text = body.subarray(0, 100).toString().trim();
  return ["", "{}", "null", "undefined", "[object Object]"].includes(text);
}

function describeMismatch({ body, contentLength }: Signed, secret: string): string {
  const sentences = [
    "The signature was made with another secret, or id, timestamp or content of the body were changed since.",
  ];
  if (toKey(tidy(secret)) === undefined)
    sentences.push("What was given as the secret is none: that is whsec_ and base64.");
  if (contentLength !== undefined && Number(contentLength) > body.length) {
    sentences.push(
      `The body has ${body.length} bytes of the ${quote(contentLength)} that content-length announces.`,
    );
  }
  return sentences.join(" ");
}

function* guessKeys(secret: string): Generator<Guess<Buffer>> {
  const given = toKey(secret);
  if (given) yield { value: given };
  const text = tidy(secret);
  const meant = toKey(text);
  if (meant) {
    yield {
      value: meant,
      flaw: {
        mistake: "secret_with_quotes_or_blanks",
        message: "The signature holds for the secret without the quotes or blanks around it.",
      },
    };
  }
  const bare = withoutPrefix(text);
  for (const written of [`${PREFIX}${bare}`, bare]) {
    yield {
      value: Buffer.from(written),
      flaw: {
        mistake: "secret_not_decoded",
        message:
          "The signature was made with the secret's text as the key, not with what it decodes to.",
      },
    };
  }
}

function tidy(secret: string): string {
  return secret.replace(/^[\s"'`]+|[\s"'`]+$/g, "");
}

function* guessContents(signed: Signed): Generator<Guess<Content>> {
  const { id, timestampSeconds, body, isParsed } = signed;
  const asItIs = standardContent(signed);
  yield isParsed
    ? { value: asItIs, flaw: reSerialised("only what it says was kept") }
    : { value: asItIs };
  for (const [change, earlier] of earlierBodies(body.toString()))
    yield {
      value: standardContent({ ...signed, body: Buffer.from(earlier) }),
      flaw: reSerialised(change),
    };
  const others: readonly (readonly [string, Content])[] = [
    ["the body alone", [body]],
    ["timestamp.body", [`${timestampSeconds}.`, body]],
    ["timestamp and body without a dot", [String(timestampSeconds), body]],
    ["id.body", [`${id}.`, body]],
  ];
  for (const [what, value] of others) {
    yield {
      value,
      flaw: {
        mistake: "wrong_content",
        message: `The signature was made over ${what}, and not over id.timestamp.body.`,
      },
    };
  }
}

function reSerialised(change: string): Flaw {
  return {
    mistake: "body_changed",
    message: `The signature holds for another writing of this body: ${change}.`,
  };
}

/** What a body may have been, and what happened to it since. */
function* earlierBodies(
  text: string,
): Generator<readonly [change: string, earlier: string | Buffer]> {
  yield ["a line end was added", text.replace(/\r?\n$/, "")];
  yield ["the line end behind it was cut off", `${text}\n`];
  yield ["a byte order mark was put before it", text.replace(/^\ufeff/, "")];
  yield ["its line ends became CRLF", text.replaceAll("\r\n", "\n")];
  yield ["blanks or a byte order mark were added", text.replaceAll("\r\n", "\n").trim()];
  yield ["its UTF-8 was read as Latin-1", Buffer.from(text, "latin1")];
  const value = parse(text);
  if (typeof value === "string") yield ["it was written as a string inside JSON", value];
  const style = STYLES.find(({ write }) => tryTo(() => write(value)) === text.trim());
  for (const written of writings(value)) yield [style?.change ?? REWRITTEN, written];
  for (const model of webhookModels()) {
    for (const written of writings(orderLike(value, model)))
      yield ["it was parsed and written anew, its members in another order", written];
  }
}

const REWRITTEN = "it was parsed and written anew, with other blanks, escapes or numbers";

/** How programs write JSON, and what has probably happened to a body that is written so. */
const STYLES: readonly { readonly change: string; readonly write: (value: unknown) => string }[] = [
  {
    change: "it was parsed and written anew without blanks, as JSON.stringify does",
    write: (value) => JSON.stringify(value),
  },
  {
    change: "it was parsed and written anew with blanks, as Python's json.dumps does",
    write: (value) => toAscii(withBlanks(value)),
  },
  {
    change:
      "it was parsed and written anew with blanks, as json.dumps with ensure_ascii=False does",
    write: withBlanks,
  },
  {
    change: "it was parsed and written anew with escaped slashes, as PHP's json_encode does",
    write: (value) => toAscii(JSON.stringify(value)).replaceAll("/", String.raw`\/`),
  },
  {
    change: "it was parsed and written anew with an indent of 2, as jq does",
    write: (value) => JSON.stringify(value, null, 2),
  },
];

/** One blank behind each comma and colon. */
function withBlanks(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(/,\n */g, ", ").replace(/\n */g, "");
}

function toAscii(json: string): string {
  return json.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Undefined where it is no JSON. */
function parse(text: string): unknown {
  return tryTo(() => JSON.parse(text.trim()) as unknown);
}

/** A value in each of the styles, with and without a line end; none where it cannot be written. */
function* writings(value: unknown): Generator<string> {
  if (value === undefined) return;
  for (const { write } of STYLES) {
    const written = tryTo(() => write(value));
    // It is nested too deeply for any webhook.
    if (written === undefined) return;
    yield written;
    yield `${written}\n`;
  }
}

function tryTo<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** A webhook of a payin and one of a payout, for the order of their members. */
function webhookModels(): unknown[] {
  const source: EventSource = {
    assumptions: STANDARD_ASSUMPTIONS,
    configuration: undefined,
    eventId: () => "",
    nextEventNumber: () => 0,
    nowMs: 0,
  };
  // A record that has every member, so that the order is the one that webhooks are written in, whatever they get.
  const full = new Proxy<object>(
    { status: "paid" },
    { get: (known, name): unknown => Reflect.get(known, name) ?? 0 },
  );
  return [
    ...payinDeliveries(full as Payin, source),
    ...payoutDeliveries(full as Payout, source),
  ].map(({ body }) => JSON.parse(body) as unknown);
}

/** The same value with its members in the order of the model's; those that the model lacks come last. */
function orderLike(value: unknown, model: unknown): unknown {
  if (!isObject(value) || !isObject(model)) return value;
  const names = new Set([...Object.keys(model), ...Object.keys(value)]);
  return Object.fromEntries(
    [...names]
      .filter((name) => Object.hasOwn(value, name))
      .map((name) => [name, orderLike(value[name], model[name])]),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function list(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** How much of a header is quoted. */
const MAX_QUOTED = 80;

function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
}

/** About how long that is. */
function toDuration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 2 * 3600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
