import type { LocalizedText } from "../text/localized-text.ts";
import { SECRET_PREFIX } from "../wire/signing-secret.ts";
import { withoutPrefix } from "./signature.ts";
import { earlierBodies } from "./body-changes.ts";
import { type Flaw, joinSentences, quote, untranslated } from "./flaw.ts";
import {
  type Content,
  isSignedWith,
  type Signed,
  standardContent,
  toKey,
  keysOf,
} from "./signed.ts";

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
    if (first) return { ...first, text: joinSentences(flaws.map(({ text }) => text)) };
  }
  if (isEmpty(signed.body)) return { mistake: "empty_body", text: describeEmpty(signed.body) };
  return { mistake: "wrong_secret", text: describeMismatch(signed, secret) };
}

/** Whether a body is empty, or is the text that programs write for an empty body or for an object. */
function isEmpty(body: Buffer): boolean {
  const text = body.subarray(0, 100).toString().trim();
  return ["", "{}", "null", "undefined", "[object Object]"].includes(text);
}

function describeEmpty(body: Buffer): LocalizedText {
  if (body.length === 0)
    return {
      en: "The body is empty, but the signature is of another body.",
      pt: "O corpo está vazio, mas a assinatura é de outro corpo.",
    };
  const quoted = quote(body.toString());
  return {
    en: `The body is ${quoted}, but the signature is of another body.`,
    pt: `O corpo é ${quoted}, mas a assinatura é de outro corpo.`,
  };
}

function describeMismatch({ body, contentLength }: Signed, secret: string): LocalizedText {
  const sentences: LocalizedText[] = [MISMATCH];
  if (toKey(trim(secret)) === undefined) sentences.push(NO_SECRET);
  if (contentLength !== undefined && Number(contentLength) > body.length)
    sentences.push({
      en: `The body has ${body.length} bytes, but content-length is ${quote(contentLength)}.`,
      pt: `O corpo tem ${body.length} bytes, mas content-length é ${quote(contentLength)}.`,
    });
  return joinSentences(sentences);
}

const MISMATCH = {
  en: "The signature was made with another secret, or the id, timestamp or body was changed afterwards.",
  pt: "A assinatura foi feita com outro segredo, ou o id, o timestamp ou o corpo mudou depois.",
};
const NO_SECRET = {
  en: "The given secret is not valid: a secret is whsec_ followed by base64.",
  pt: "O segredo informado não é válido: um segredo é whsec_ seguido de base64.",
};

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
  text: {
    en: "The signature is correct for the secret without the quotes or spaces around it.",
    pt: "A assinatura confere para o segredo sem as aspas ou os espaços em volta.",
  },
};
const NOT_DECODED: Flaw = {
  mistake: "secret_not_decoded",
  text: {
    en: "The signature was made with the text of the secret as the key, not with the decoded base64.",
    pt: "A assinatura foi feita com o texto do segredo como chave, não com o base64 decodificado.",
  },
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
    flaw: wrongContent(untranslated("timestamp.body")),
  };
  yield { value: [String(timestampSeconds), body], flaw: wrongContent(NO_DOT) };
  yield { value: [`${id}.`, body], flaw: wrongContent(untranslated("id.body")) };
}

const ONLY_PARSED = {
  en: "the capture holds only the parsed body",
  pt: "a captura contém só o corpo já interpretado",
};
const BODY_ALONE = { en: "the body alone", pt: "o corpo sozinho" };
const NO_DOT = { en: "timestamp and body without a dot", pt: "timestamp e corpo sem ponto" };

function bodyChanged({ en, pt }: LocalizedText): Flaw {
  return {
    mistake: "body_changed",
    text: {
      en: `The signature is correct for other bytes of this body: ${en}.`,
      pt: `A assinatura confere para outros bytes deste corpo: ${pt}.`,
    },
  };
}

function wrongContent({ en, pt }: LocalizedText): Flaw {
  return {
    mistake: "wrong_content",
    text: {
      en: `The signature was made over ${en}, not over id.timestamp.body.`,
      pt: `A assinatura foi feita sobre ${pt}, não sobre id.timestamp.body.`,
    },
  };
}
