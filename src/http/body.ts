import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { H3Event } from "h3";
import { closeAfterAnswer } from "./disconnect.ts";
import { readHeader } from "./header.ts";
import { HttpRefusal, unreadableBody } from "./refusals.ts";
import { keepBody } from "./request-log.ts";

const MAX_BYTES = 1024 * 1024;
const MAX_LEVELS = 32;

/** Whatever other parameters there are: they say nothing about how JSON reads. */
const JSON_TYPE =
  /^application\/json\s*(?:;(?!\s*charset)[^;]*)*(?:;\s*charset\s*=\s*"?utf-?8"?\s*(?:;[^;]*)*)?$/i;

/**
 * The bytes of a request's body.
 * @throws HttpRefusal 501 for a transfer coding other than chunked, 415 for another content type, 413 over
 * 1 MiB, 400 where it is cut short.
 */
export function readBytes(event: H3Event): Promise<Buffer> {
  const coding = readHeader(event, "transfer-encoding");
  if (coding !== null && coding.toLowerCase() !== "chunked") {
    throw new HttpRefusal(501, "VALIDATION_ERROR", CODED);
  }
  const type = readHeader(event, "content-type");
  if (type === null || (type !== "application/json" && !JSON_TYPE.test(type))) {
    throw new HttpRefusal(415, "VALIDATION_ERROR", WRONG_TYPE);
  }
  const encoding = readHeader(event, "content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw new HttpRefusal(415, "VALIDATION_ERROR", ENCODED);
  }
  const incoming = event.runtime?.node?.req as IncomingMessage | undefined;
  if (Number(readHeader(event, "content-length") ?? 0) > MAX_BYTES) {
    incoming?.resume();
    throw tooLarge(event);
  }
  return incoming ? readIncoming(event, incoming) : readWeb(event);
}

/**
 * The text of a body and its JSON value.
 * @throws HttpRefusal 400 for what cannot be read.
 */
export function parseJson(bytes: Buffer): { text: string; value: unknown } {
  if (bytes.length === 0) throw unreadableBody(EMPTY);
  if (!isUtf8(bytes)) throw unreadableBody(NOT_UTF8);
  const text = bytes.toString();
  const value = parse(text);
  if (isTooDeep(value)) throw unreadableBody(TOO_DEEP);
  return { text, value };
}

/** The JSON value of a request's body. */
export async function readJson(event: H3Event): Promise<unknown> {
  return parseJson(await readBytes(event)).value;
}

/** The same where a body may be left out; undefined then. */
export async function readOptionalJson(event: H3Event): Promise<unknown> {
  const hasBody = event.runtime?.node?.req
    ? readHeader(event, "transfer-encoding") !== null ||
      Number(readHeader(event, "content-length") ?? 0) > 0
    : event.req.body !== null;
  return hasBody ? readJson(event) : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadableBody(text.startsWith("\uFEFF") ? BYTE_ORDER_MARK : NOT_JSON);
  }
}

async function readWeb(event: H3Event): Promise<Buffer> {
  const read = await event.req.arrayBuffer().catch(() => {
    throw unreadableBody(CUT_SHORT);
  });
  const bytes = Buffer.from(read);
  if (bytes.length > MAX_BYTES) throw tooLarge(event);
  keepBody(event, bytes);
  return bytes;
}

/** The rest of the body is read past for a moment, so that the client gets the answer, and then cut off. */
function tooLarge(event: H3Event): HttpRefusal {
  closeAfterAnswer(event);
  return new HttpRefusal(413, "VALIDATION_ERROR", TOO_LARGE);
}

/** Straight from the connection: a tenth faster than through a web stream, and the limit holds for chunked bodies too. */
function readIncoming(event: H3Event, incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BYTES) chunks.push(chunk);
      else reject(tooLarge(event));
    });
    const cutShort = (): void => reject(unreadableBody(CUT_SHORT));
    if (incoming.destroyed) return cutShort();
    incoming.once("close", cutShort);
    incoming.once("end", () => {
      incoming.off("close", cutShort);
      const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      keepBody(event, body);
      resolve(body);
    });
  });
}

/** Without recursion: a body of 10 kB can be nested 5,000 levels deep. */
function isTooDeep(value: unknown): boolean {
  let level = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_LEVELS) return true;
    const next: object[] = [];
    for (const container of level) {
      for (const name in container) {
        const member = container[name as keyof object];
        if (isContainer(member)) next.push(member);
      }
    }
    level = next;
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

const WRONG_TYPE = {
  en: "The content type must be application/json, in UTF-8.",
  pt: "O content type deve ser application/json, em UTF-8.",
};
const CODED = {
  en: "Only the chunked transfer coding is supported. Send the body uncompressed.",
  pt: "A única codificação de transferência aceita é chunked; envie o corpo sem compressão.",
};
const ENCODED = {
  en: "The body must not be compressed: send it without content-encoding.",
  pt: "O corpo não pode ser comprimido: envie-o sem content-encoding.",
};
const TOO_LARGE = { en: "The body is larger than 1 MiB.", pt: "O corpo tem mais de 1 MiB." };
const EMPTY = {
  en: "The body is empty; send a JSON object.",
  pt: "O corpo está vazio; envie um objeto JSON.",
};
const NOT_UTF8 = {
  en: "The body is not well-formed UTF-8.",
  pt: "O corpo não está em UTF-8 válido.",
};
const NOT_JSON = { en: "The body is not JSON.", pt: "O corpo não é JSON." };
const BYTE_ORDER_MARK = {
  en: "The body begins with a byte order mark (U+FEFF), which JSON does not allow; save or send it as UTF-8 without one.",
  pt: "O corpo começa com uma marca de ordem de bytes (U+FEFF), que JSON não permite; salve-o ou envie-o em UTF-8 sem ela.",
};
const TOO_DEEP = {
  en: `The body is nested more than ${MAX_LEVELS} levels deep.`,
  pt: `O corpo tem mais de ${MAX_LEVELS} níveis.`,
};
const CUT_SHORT = { en: "The body was cut short.", pt: "O corpo foi interrompido." };
