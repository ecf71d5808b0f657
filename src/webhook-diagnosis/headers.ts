import type { LocalizedText } from "../text/localized-text.ts";
import { type Flaw, joinSentences, list, quote } from "./flaw.ts";
import type { CapturedWebhook, Signed } from "./signed.ts";

const HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;
/** Names of other products, and forms in which programs store headers: `svix-id`, `x-webhook-id`, `HTTP_WEBHOOK_ID`. */
const RENAMED = /^(?:http-)?(?:x-)?(?:svix|webhooks?)-(id|timestamp|signature)$/;

/** Finds which of the three headers are missing, and whether they arrived under another name. */
export function findMissingHeaders(headers: CapturedWebhook["headers"]): Flaw | undefined {
  const missing = HEADERS.filter((name) => !headers[name]);
  if (missing.length === 0) return undefined;
  const renamed = Object.keys(headers).filter((name) => {
    const [, part] = RENAMED.exec(name.replaceAll("_", "-")) ?? [];
    return headers[name] && missing.some((one) => one === `webhook-${part}`);
  });
  const names = list(missing);
  const others = list(renamed);
  const isOne = missing.length === 1;
  return {
    mistake: "missing_header",
    text: joinSentences([
      {
        en: `${names.en} ${isOne ? "is" : "are"} missing.`,
        pt: `${isOne ? "Falta" : "Faltam"} ${names.pt}.`,
      },
      ...(renamed.length === 0
        ? []
        : [{ en: `Found ${others.en} instead.`, pt: `Em vez disso chegou: ${others.pt}.` }]),
    ]),
  };
}

/** A time in seconds beyond the year 5000 is one in milliseconds. */
export const FIRST_MILLISECONDS = 100_000_000_000;
/** 32 bytes. */
const SIGNATURE = /^v1,[A-Za-z0-9+/]{43}=(?:,|$)/;

/** Finds a timestamp or a signature that does not have the form of Standard Webhooks. */
export function findMalformed({ timestamp, timestampSeconds, entries }: Signed): Flaw | undefined {
  const malformed = (text: LocalizedText): Flaw => ({ mistake: "malformed_header", text });
  const quoted = quote(timestamp);
  if (!/^\d+$/.test(timestamp))
    return malformed({
      en: `webhook-timestamp is ${quoted}, not a whole number of seconds.`,
      pt: `webhook-timestamp é ${quoted}, não um número inteiro de segundos.`,
    });
  if (timestampSeconds >= FIRST_MILLISECONDS)
    return malformed({
      en: `webhook-timestamp is ${quoted}, which looks like milliseconds. It must be in seconds.`,
      pt: `webhook-timestamp é ${quoted}, que parece estar em milissegundos. Deve estar em segundos.`,
    });
  if (entries.some((entry) => SIGNATURE.test(entry))) return undefined;
  return malformed(describeSignature(entries[0] ?? ""));
}

function describeSignature(entry: string): LocalizedText {
  if (entry.startsWith("v1a,"))
    return {
      en: "webhook-signature is asymmetric (v1a). A whsec_ secret cannot verify it.",
      pt: "webhook-signature é assimétrica (v1a). Um segredo whsec_ não consegue verificá-la.",
    };
  const text = entry.replace(/^[\w-]*[,=:]/, "");
  if (/^[0-9a-f]{64}$/i.test(text))
    return {
      en: 'webhook-signature is hexadecimal. It must be "v1," followed by base64.',
      pt: 'webhook-signature está em hexadecimal. Deve ser "v1," seguido de base64.',
    };
  if (!entry.startsWith("v1,"))
    return {
      en: `webhook-signature is ${quote(entry)}, without the "v1," before its base64.`,
      pt: `webhook-signature é ${quote(entry)}, sem o "v1," antes do base64.`,
    };
  return {
    en: `webhook-signature is ${quote(entry)}, not "v1," followed by the base64 of 32 bytes.`,
    pt: `webhook-signature é ${quote(entry)}, não "v1," seguido do base64 de 32 bytes.`,
  };
}
