import { addToCrc, crcOf } from "./br-code-damage.ts";
import { FIELDS, IDS } from "./br-code-fields.ts";

/**
 * Writes a dynamic BR Code without an amount: the payer reads the amount from the location.
 * @param values of the fields that differ from one charge or merchant to another: 26-25, 59 and 60
 * @throws RangeError if a value does not fit its field; `toBrCodeText` makes names fit.
 */
export function writeBrCode(values: Readonly<Record<string, string>>): string {
  const write = (id: string): string => {
    const inner = IDS.filter((one) => one.startsWith(`${id}-`)).map(write);
    const value = inner.join("") || (values[id] ?? FIELDS[id]?.own ?? "");
    const isRight = FIELDS[id]?.rule?.[0].test(value) && /^[ -~]*$/.test(value);
    if (values[id] !== undefined && !isRight)
      throw new RangeError(`Field ${id} of a BR Code cannot be ${JSON.stringify(value)}.`);
    return value && id.slice(-2) + String(value.length).padStart(2, "0") + value;
  };
  const outer = IDS.filter((id) => id.length === 2).map(write);
  const text = `${outer.join("")}6304`;
  return text + crcOf(text);
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

/** The part of BR Codes that does not depend on the charge. */
export interface BrCodeSettings {
  /** Host and optional path of the charges' locations. The host cannot exist, so that no code can be paid for real. */
  readonly locationBase: string;
  /** The merchant's city. */
  readonly city: string;
}

/** Merchants have one name each. A limit: a caller that sends new names must not fill the memory. */
const MAX_MERCHANTS = 100;
/** In place of a charge's id. */
const ANY_ID = "|".repeat(32);

/** What all codes of a merchant have before and after the charge's id. */
interface MerchantCode {
  readonly before: string;
  readonly crcBefore: number;
  readonly after: string;
}

/** Writes the BR Codes of charges, each with its merchant's name and the charge's location. */
export class BrCodeFactory {
  readonly #locationBase: string;
  readonly #city: string;
  readonly #merchants = new Map<string, MerchantCode>();

  constructor({ locationBase, city }: BrCodeSettings) {
    this.#locationBase = `${locationBase}/qr/v2/`;
    this.#city = toBrCodeText(city, 15, "SAO PAULO");
  }

  /** Whether a code's location is below the address of these charges. */
  isOwn(location: string): boolean {
    return location.startsWith(this.#locationBase);
  }

  /**
   * @param pixId the charge's id: 32 characters
   * @param provider the merchant's name as the call sent it: any text
   */
  write(pixId: string, provider: string): string {
    const { before, crcBefore, after } = this.#merchants.get(provider) ?? this.#prepare(provider);
    return before + pixId + after + crcOf(after, addToCrc(pixId, crcBefore));
  }

  #prepare(provider: string): MerchantCode {
    const code = writeBrCode({
      "26-25": this.#locationBase + ANY_ID,
      "59": toBrCodeText(provider, 25, "PIX SANDBOX"),
      "60": this.#city,
    });
    const [before = "", after = ""] = code.slice(0, -4).split(ANY_ID);
    const merchant = { before, crcBefore: addToCrc(before), after };
    if (this.#merchants.size >= MAX_MERCHANTS) this.#merchants.clear();
    this.#merchants.set(provider, merchant);
    return merchant;
  }
}
