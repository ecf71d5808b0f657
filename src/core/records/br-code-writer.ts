/** The name of the arrangement in a template's field 00. */
export const PIX = "br.gov.bcb.pix";

/** The address of a charge, in field 25 of a template. A template has 99 characters; the arrangement's name leaves 77. */
export const LOCATION = /^(?=.{1,77}$)(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?\/[!-~]*$/i;

/** The part of BR Codes that does not depend on the charge. */
export interface BrCodeSettings {
  /** Host and optional path of the charges' locations. The host cannot exist, so that no code can be paid for real. */
  readonly locationBase: string;
  /** The merchant's city. */
  readonly city: string;
}

const toField = (id: string, value: string): string =>
  id + String(value.length).padStart(2, "0") + value;

/** Whether locations below a host and path fit into BR Codes. */
export function fitsBrCode(locationBase: string): boolean {
  return LOCATION.test(`${locationBase}/qr/v2/${"0".repeat(32)}`);
}

/** Writes the BR Codes of charges: dynamic and without an amount, which the payer reads from the location. */
export function createBrCodes({ locationBase, city }: BrCodeSettings) {
  const base = `${locationBase}/qr/v2/`;
  const place = toField("60", toBrCodeText(city, 15, "SAO PAULO"));
  return {
    /** Whether a location is below the address of these charges. */
    isOwn: (location: string): boolean => location.startsWith(base),
    /**
     * @param pixId the charge's id: 32 characters. The location has it: field 62-05 is too short.
     * @param provider the merchant's name as the call sent it: any text
     */
    write(pixId: string, provider: string): string {
      const account = toField("26", toField("00", PIX) + toField("25", base + pixId));
      const name = toField("59", toBrCodeText(provider, 25, "PIX SANDBOX"));
      const text = `000201010212${account}5204000053039865802BR${name}${place}62070503***6304`;
      return text + crcOf(text);
    },
  };
}

/**
 * Folds a text to the characters that fields 59 and 60 allow, cut at `maxLength`; `fallback` if nothing is left.
 * Banks refuse accents and `&` ("Esperado ANS"). Letters, digits, blanks, `.`, `-` and `_` stay, since banks
 * accept codes with them; other punctuation becomes a blank.
 */
export function toBrCodeText(text: string, maxLength: number, fallback: string): string {
  const ascii = text.normalize("NFKD").replace(/[^\s!-~]/g, "");
  const folded = ascii.replace(/[^\w.-]+/g, " ");
  return folded.trim().slice(0, maxLength).trimEnd() || fallback;
}

/** Whether a city's name has any character that field 60 allows. */
export function isCity(text: string): boolean {
  return toBrCodeText(text, 15, "") !== "";
}

/** CRC-16/CCITT-FALSE of a text's UTF-8 bytes, as field 63 has it: that of "123456789" is 29B1. */
export function crcOf(text: string): string {
  const isAscii = /^[\0-~]*$/.test(text); // of each code that the sandbox writes: encoding takes longer than all else
  return crcOfLatin1(isAscii ? text : String.fromCharCode(...new TextEncoder().encode(text)));
}

/** The same of characters below U+0100, each as one byte. */
export function crcOfLatin1(text: string): string {
  let crc = 0xffff;
  for (let index = 0; index < text.length; index++) {
    crc = ((crc >>> 8) | ((crc & 0xff) << 8)) ^ (text.charCodeAt(index) & 0xff);
    crc ^= (crc & 0xff) >>> 4;
    crc ^= (crc << 12) & 0xffff;
    crc ^= (crc & 0xff) << 5;
  }
  return crc.toString(16).toUpperCase().padStart(4, "0");
}
