import { toIso } from "../../wire/timestamp.ts";

/** A strong hash of a text: at least 128 hexadecimal digits (SHA-512). */
export type Digest = (text: string) => string;

/** The ISPB of the central bank's examples; no institution has it. */
const ISPB = "12345678";

/**
 * Draws all random parts of a record from the seed, its integration and its ordinal. The same seed and
 * requests give the same ids, and parallel integrations do not affect each other.
 */
export class Ids {
  readonly #digest: Digest;
  readonly #seed: string;
  readonly #drawNonce: (() => string) | undefined;
  /** Part of every draw; empty in the first generation, so that a given seed replays it. */
  #generation = "";

  /** @param drawNonce returns a text that never repeats; absent when a seed was given, so that ids repeat */
  constructor(digest: Digest, seed: string, drawNonce?: () => string) {
    this.#digest = digest;
    this.#seed = seed;
    this.#drawNonce = drawNonce;
  }

  /**
   * Starts a new generation: no id drawn from now on equals an earlier one, although ordinals start
   * again. Does nothing when a seed was given.
   */
  startGeneration(): void {
    if (this.#drawNonce) this.#generation = `\n${this.#drawNonce()}`;
  }

  payin(integration: string, ordinal: number) {
    const digits = this.#draw(integration, ordinal, "payin");
    // A part of a text keeps all of it in memory, which `join` does not.
    const pix_id = [digits.slice(32, 48), digits.slice(48, 64)].join("");
    return { id: toUuid(digits), pix_id, acquirer_id: toUuid(digits.slice(64, 96)) };
  }

  payout(integration: string, ordinal: number) {
    return { id: toUuid(this.#draw(integration, ordinal, "payout")), pix_id: "", acquirer_id: "" };
  }

  /** An idempotency key for a call without one; `counter` counts the integration's keys. */
  key(integration: string, counter: number): string {
    return toUuid(this.#draw(integration, counter, "key"));
  }

  event(integration: string, ordinal: number, type: string): string {
    return `evt_${this.#draw(integration, ordinal, type).slice(0, 32)}`;
  }

  /** `E`, the payer's institution, the UTC minute and 11 letters or digits: 32 characters. */
  endToEnd(integration: string, ordinal: number, nowMs: number): string {
    const drawn = this.#draw(integration, ordinal, "end-to-end").slice(0, 11);
    return `E${ISPB}${toIso(nowMs).replace(/\D/g, "").slice(0, 12)}${drawn}`;
  }

  fault(integration: string | null, ordinal: number): string {
    return `flt_${this.#draw(integration ?? "", ordinal, "fault").slice(0, 32)}`;
  }

  /** A number from 0 up to 1: the same for the same seed, name and counter. */
  chance(name: string, counter: number): number {
    return Number.parseInt(this.#draw(name, counter, "chance").slice(0, 13), 16) / 2 ** 52;
  }

  #draw(integration: string, ordinal: number, purpose: string): string {
    return this.#digest(`${this.#seed}\n${purpose}\n${ordinal}\n${integration}${this.#generation}`);
  }
}

/** Formats the first 32 digits as a version 4 UUID. */
function toUuid(digits: string): string {
  const variant = "89ab".charAt(Number.parseInt(digits.charAt(16), 16) & 3);
  const [low, mid, high] = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(13, 16)];
  return [low, mid, `4${high}`, variant + digits.slice(17, 20), digits.slice(20, 32)].join("-");
}
