import { createBrCodeWriter, toBrCodeText } from "./br-code.ts";

/** Merchants have one name each. A limit: a caller that sends new names must not fill the memory. */
const MAX_WRITERS = 100;

/** The part of BR Codes that does not depend on the charge. */
export interface BrCodeSettings {
  /** Host and optional path of the charges' locations. The host cannot exist, so that no code can be paid for real. */
  readonly locationBase: string;
  /** The merchant's city. */
  readonly city: string;
}

/** Writes the BR Codes of charges, each with its merchant's name and the charge's location. */
export class BrCodeFactory {
  readonly #locationBase: string;
  readonly #city: string;
  readonly #writers = new Map<string, (pixId: string) => string>();

  constructor({ locationBase, city }: BrCodeSettings) {
    this.#locationBase = `${locationBase}/qr/v2/`;
    this.#city = toBrCodeText(city, 15, "SAO PAULO");
  }

  /** Whether a code's location is below the address of these charges. */
  isOwn(location: string): boolean {
    return location.startsWith(this.#locationBase);
  }

  /** @param provider the merchant's name as the call sent it: any text */
  write(pixId: string, provider: string): string {
    let write = this.#writers.get(provider);
    if (!write) {
      if (this.#writers.size >= MAX_WRITERS) this.#writers.clear();
      write = createBrCodeWriter({
        locationBase: this.#locationBase,
        merchantName: toBrCodeText(provider, 25, "PIX SANDBOX"),
        merchantCity: this.#city,
      });
      this.#writers.set(provider, write);
    }
    return write(pixId);
  }
}
