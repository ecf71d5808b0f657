import { escapeUnit } from "../../text/plain/safe-text.ts";

/** A shorter value is not found as a part of a text. */
export const SHORTEST_PART = 3;
/** How many characters of a value find it in a text. */
const PREFIX = SHORTEST_PART;
/** Shorter values are replaced only as words of their own: they are parts of others. */
const WORD = 6;

interface Replacement {
  readonly from: string;
  readonly to: string;
  readonly isWord: boolean;
}

/** Replaces many values in texts in one pass, whatever their case is, and also as they stand in addresses and in base64. */
export class Replacer {
  /** By the first characters, in lower case; the longest values come first. */
  readonly #byPrefix = new Map<string, Replacement[]>();
  /** Which pairs of characters begin a value, by their hash: most places of a text begin none. */
  readonly #begins = new Uint8Array(1 << 16);
  readonly #known = new Set<string>();

  add(value: string, to: string): void {
    for (const form of FORMS) this.#addForm(form(value), form(to), value.length < WORD);
  }

  replace(text: string): string {
    const lower = text.toLowerCase();
    // The lower case of a few letters is longer.
    const searched = lower.length === text.length ? lower : text;
    let replaced = "";
    let done = 0;
    for (let at = 0; at + PREFIX <= searched.length; at++) {
      if (this.#begins[hashAt(searched, at)] === 0) continue;
      const found = this.#findAt(searched, at);
      if (!found) continue;
      replaced += text.slice(done, at) + found.to;
      done = at + found.from.length;
      at = done - 1;
    }
    return done === 0 ? text : replaced + text.slice(done);
  }

  #findAt(text: string, at: number): Replacement | undefined {
    return this.#byPrefix
      .get(text.slice(at, at + PREFIX))
      ?.find(
        ({ from, isWord }) =>
          text.startsWith(from, at) && !(isWord && isInWord(text, at, from.length)),
      );
  }

  #addForm(value: string, to: string, isWord: boolean): void {
    const from = value.toLowerCase();
    if (from.length < PREFIX || this.#known.has(from)) return;
    this.#known.add(from);
    const prefix = from.slice(0, PREFIX);
    const all = this.#byPrefix.get(prefix) ?? [];
    all.push({ from, to, isWord });
    all.sort((one, other) => other.from.length - one.from.length);
    this.#byPrefix.set(prefix, all);
    this.#begins[hashAt(from, 0)] = 1;
  }
}

function hashAt(text: string, at: number): number {
  return ((text.charCodeAt(at) << 8) ^ text.charCodeAt(at + 1)) & 0xffff;
}

function isInWord(text: string, at: number, length: number): boolean {
  return LETTER.test(text[at - 1] ?? "") || LETTER.test(text[at + length] ?? "");
}

const LETTER = /[\p{L}\p{N}]/u;

/** The ways in which a value stands in texts. */
const FORMS: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => encodeURIComponent(value.replaceAll(/\p{Surrogate}/gu, "\ufffd")),
  // In an address that leaves the @ of an e-mail as it is.
  (value) =>
    encodeURIComponent(value.replaceAll(/\p{Surrogate}/gu, "\ufffd")).replaceAll("%40", "@"),
  // In a form.
  (value) => new URLSearchParams({ value }).toString().slice("value=".length),
  (value) => value.normalize("NFD").replaceAll(/\p{M}/gu, ""),
  (value) => value.normalize("NFD"),
  (value) => Buffer.from(value).toString("base64"),
  (value) => Buffer.from(value).toString("base64url"),
  (value) => JSON.stringify(value).slice(1, -1),
  // JSON of programs that write ASCII only.
  (value) =>
    JSON.stringify(value)
      .slice(1, -1)
      .replaceAll(/[\u0080-\uffff]/g, escapeUnit),
];
