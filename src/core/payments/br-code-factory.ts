import { createBrCodeWriter, toBrCodeText } from "./br-code.ts";

/** Merchants have one name each; somebody who sends a new one with each call costs no memory. */
const MAX_WRITERS = 100;

/** What BR codes say beside the charge. */
export interface BrCodeSettings {
  /** Host, and path if any, under which charges are located: one that cannot exist, so that nobody can pay for real. */
  readonly locationBase: string;
  /** Where the merchant is said to be. */
  readonly city: string;
}

/** The BR codes of charges: each says its merchant's name and leads to the charge's own location. */
export class BrCodeFactory {
  readonly #locationBase: string;
  readonly #city: string;
  readonly #writers = new Map<string, (pixId: string) => string>();

  constructor({ locationBase, city }: BrCodeSettings) {
    this.#locationBase = `${locationBase}/qr/v2/`;
    this.#city = toBrCodeText(city, 15, "SAO PAULO");
  }

  /** @param provider the merchant's name as it was sent: any text */
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
