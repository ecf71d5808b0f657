import { SECRET_PREFIX } from "../wire/forms.ts";
import { withoutPrefix } from "./signature.ts";
import { earlierBodies } from "./body-changes.ts";
import { type Flaw, quote } from "./flaw.ts";
import {
  type Content,
  isSignedWith,
  type Signed,
  standardContent,
  toKey,
  keysOf,
} from "./signed.ts";
import { joined, type Message, say, verbatim } from "../text/message.ts";

/** A key or a content that may have been signed, and the mistake that was made if it was. */
interface Guess<Value> {
  readonly value: Value;
  readonly flaw?: Flaw;
}

/** Finds out why a well-formed signature is not correct: tries keys and contents that may have been used. */
export function diagnose(signed: Signed, secret: string): Flaw {
  const contents = [...guessContents(signed)];
  for (const key of guessKeys(secret)) {
    const content = contents.find(({ value }) => isSignedWith(key.value, value, signed));
    if (!content) continue;
    const flaws = [content.flaw, key.flaw].filter((flaw) => flaw !== undefined);
    const [first] = flaws;
    if (first) return { ...first, text: joined(flaws.map(({ text }) => text)) };
  }
  if (isEmpty(signed.body)) return { mistake: "empty_body", text: describeEmpty(signed.body) };
  return { mistake: "wrong_secret", text: describeMismatch(signed, secret) };
}

/** Whether a body is empty, or is the text that programs write for an empty body or for an object. */
function isEmpty(body: Buffer): boolean {
  const text = body.subarray(0, 100).toString().trim();
  return ["", "{}", "null", "undefined", "[object Object]"].includes(text);
}

function describeEmpty(body: Buffer): Message {
  if (body.length === 0) return say`The body is empty, but the signature is of another body.`;
  const quoted = quote(body.toString());
  return say`The body is ${quoted}, but the signature is of another body.`;
}

function describeMismatch({ body, contentLength }: Signed, secret: string): Message {
  const sentences: Message[] = [MISMATCH];
  if (toKey(trim(secret)) === undefined) sentences.push(NO_SECRET);
  if (contentLength !== undefined && Number(contentLength) > body.length)
    sentences.push(
      say`The body has ${body.length} bytes, but content-length is ${quote(contentLength)}.`,
    );
  return joined(sentences);
}

const MISMATCH = say`The signature was made with another secret, or the id, timestamp or body was changed afterwards.`;
const NO_SECRET = say`The given secret is not valid: a secret is whsec_ followed by base64.`;

function* guessKeys(secret: string): Generator<Guess<Buffer>> {
  for (const value of keysOf(secret)) yield { value };
  const text = trim(secret);
  const trimmed = toKey(text);
  if (trimmed) yield { value: trimmed, flaw: NOT_TRIMMED };
  const bare = withoutPrefix(text);
  for (const written of [`${SECRET_PREFIX}${bare}`, bare])
    yield { value: Buffer.from(written), flaw: NOT_DECODED };
}

const NOT_TRIMMED: Flaw = {
  mistake: "secret_with_quotes_or_blanks",
  text: say`The signature is correct for the secret without the quotes or spaces around it.`,
};
const NOT_DECODED: Flaw = {
  mistake: "secret_not_decoded",
  text: say`The signature was made with the text of the secret as the key, not with the decoded base64.`,
};

/** A secret without the quotes and spaces around it. */
function trim(secret: string): string {
  return secret.replace(/^[\s"'`]+|[\s"'`]+$/g, "");
}

function* guessContents(signed: Signed): Generator<Guess<Content>> {
  const { id, timestampSeconds, body, isParsed } = signed;
  const given = standardContent(signed);
  yield isParsed ? { value: given, flaw: bodyChanged(ONLY_PARSED) } : { value: given };
  for (const { change, body: earlier } of earlierBodies(body.toString()))
    yield {
      value: standardContent({ ...signed, body: Buffer.from(earlier) }),
      flaw: bodyChanged(change),
    };
  yield { value: [body], flaw: wrongContent(BODY_ALONE) };
  yield {
    value: [`${timestampSeconds}.`, body],
    flaw: wrongContent(verbatim("timestamp.body")),
  };
  yield { value: [String(timestampSeconds), body], flaw: wrongContent(NO_DOT) };
  yield { value: [`${id}.`, body], flaw: wrongContent(verbatim("id.body")) };
}

const ONLY_PARSED = say`the capture holds only the parsed body`;
const BODY_ALONE = say`the body alone`;
const NO_DOT = say`timestamp and body without a dot`;

function bodyChanged(reason: Message): Flaw {
  return {
    mistake: "body_changed",
    text: say`The signature is correct for other bytes of this body: ${reason}.`,
  };
}

function wrongContent(reason: Message): Flaw {
  return {
    mistake: "wrong_content",
    text: say`The signature was made over ${reason}, not over id.timestamp.body.`,
  };
}
