import { hasCpfCheckDigits, withCheckDigits, isEmail } from "../../core/records/checks.ts";
import type { WireReview } from "../../review/report.ts";
import { type Language, LANGUAGE_NAMES } from "../../text/languages.ts";
import { maskAddresses } from "../../text/plain/safe-text.ts";
import type { Row, Trace } from "../../wire/trace.ts";
import { toUrl } from "../../wire/names.ts";
import { Replacer, SHORTEST_PART } from "./replacer.ts";

/** What is masked, each in its own way. */
type Kind = "cpf" | "email" | "name" | "phone" | "evp" | "token" | "text";

const NAMES = ["Ana Souza", "Bruno Lima", "Carla Rocha", "Davi Alves", "Elisa Costa", "Fabio Dias"];

/** Another value of the same shape. The same number always gives the same one. */
const MASKS: Readonly<Record<Kind, (number: number) => string>> = {
  cpf: (number) => withCheckDigits(String(100_000_000 + number * 7919).slice(-9)),
  email: (number) => `pessoa-${number}@example.com`,
  name: (number) => `${NAMES[number % NAMES.length]} ${number}`,
  phone: (number) => `+55119${String(10_000_000 + number * 7919).slice(-8)}`,
  evp: (number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
  token: (number) => `shop-${number}`,
  text: (number) => `text ${number}`,
};

/** Whether a value has the shape of its mask. */
const ORDINARY: Readonly<Record<Kind, (value: string) => boolean>> = {
  cpf: hasCpfCheckDigits,
  email: (value) => isEmail(value, "77"),
  name: () => true,
  phone: (value) => /^\+55\d{11}$/.test(value),
  evp: (value) => /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(value),
  token: () => true,
  text: () => false,
};

/** The members of requests and records that are masked. The kind of a Pix key is that of its shape. */
const MEMBERS: Readonly<Record<string, Kind | "key">> = {
  buyer_cpf: "cpf",
  receiver_cpf: "cpf",
  buyer_email: "email",
  receiver_email: "email",
  buyer_name: "name",
  receiver_name: "name",
  pix_key: "key",
  integration: "token",
};

/** Members that the program sets: another value would break the page. */
const OWN_MEMBERS: ReadonlySet<string> = new Set(
  "type program written_at at sandbox_at created_at expires_at settled_at next_attempt_at taken_at now id status method mode kind on effect fault verdict implied_by request delivery transaction pix_key_type pix_id acquirer_id qr_code end_to_end_id transaction_id".split(
    " ",
  ),
);

const REDACTED = "[redacted]";
const EMAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
const CPF = /(?<![\d.])(?:\d{11}|\d{3}\.\d{3}\.\d{3}-\d{2})(?![\d-])/g;
/** The user and the password in an address; PHP writes "/" as "\\/" in JSON. */
const USER = /:(?:\\?\/){2}[^\s/?#"\\]*@/g;
/** No e-mail address or CPF is shorter. */
const SHORTEST_FOUND = 5;
const SHORT_TOKEN = 6;
/** How many texts are remembered: a recorder of calls masks for as long as it runs. */
const MAX_TEXTS = 20_000;
/** A shorter secret is a word of a test. */
const SHORTEST_SECRET = 6;
/**
 * Masked only where a text is nothing else: words of addresses and bodies, and the token of commands and examples,
 * which say nothing about anyone.
 */
const PLAIN_WORDS: ReadonlySet<string> = new Set(
  "sandbox http https localhost true false null payin payins payout payouts webhook webhooks simulations value status".split(
    " ",
  ),
);

/**
 * Replaces tokens and personal data everywhere in a trace, each value by the same other one. E-mail addresses and CPFs
 * are found in every text; a name only if it is a buyer's or a receiver's somewhere.
 * @param secrets are replaced too, by no value of their own
 */
export function maskTrace({ texts, ...rest }: Trace, secrets: readonly string[]): Trace {
  const masks = new Masks();
  for (const secret of secrets) masks.hide(secret);
  for (const row of Object.values(rest.rows).flat()) masks.learnFromRow(row);
  masks.learnFromTexts(rest);
  // What rules say is the program's own text; only evidence has values of merchants.
  const ofLanguage = (language: Language) => {
    const report = texts[language]["/report"] as WireReview;
    const rules = report.rules.map((rule) => ({
      ...rule,
      evidence: masks.applyTo(rule.evidence) as typeof rule.evidence,
    }));
    return [language, { ...texts[language], "/report": { ...report, rules } }] as const;
  };
  return {
    ...(masks.applyTo(rest) as typeof rest),
    texts: Object.fromEntries(LANGUAGE_NAMES.map(ofLanguage)) as Trace["texts"],
  };
}

export class Masks {
  /** Values that are masked where a text is nothing else, however short they are. */
  readonly #whole = new Map<string, string>();
  readonly #parts = new Replacer();
  /** Whether some can be found in a JSON text only by reading it. */
  #hasShort = false;
  readonly #counts = new Map<Kind, number>();
  /** The texts in which values were searched. */
  readonly #read = new Set<string>();
  /** The texts that were masked, since the last value was learned. */
  readonly #applied = new Map<string, string>();

  hide(secret: string): void {
    if (secret.length >= SHORTEST_SECRET) this.#parts.add(secret, REDACTED);
  }

  learn(kindOfMember: Kind, value: string | null | undefined): void {
    if (value === null || value === undefined || value.trim() === "" || this.#whole.has(value))
      return;
    // Wherever it stands, such as in a description.
    const kind = hasCpfCheckDigits(value) ? "cpf" : kindOfMember;
    const number = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, number);
    const masked = ORDINARY[kind](value) ? MASKS[kind](number) : reshaped(value, number);
    this.#whole.set(value, masked);
    this.#applied.clear();
    if (value.length < SHORTEST_PART || kind === "text") this.#hasShort = true;
    // A short token is a word that texts contain anyway.
    if (kind === "token" && value.length < SHORT_TOKEN) return;
    if (PLAIN_WORDS.has(value.toLowerCase()) || kind === "text") return;
    this.#parts.add(value, masked);
    // As people write them.
    if (kind === "cpf" && value.length === 11) this.#parts.add(dotted(value), dotted(masked));
    if (kind === "phone" && value.startsWith("+55"))
      for (const length of [1, 3]) this.#parts.add(value.slice(length), masked.slice(length));
  }

  /** Learns from a record, a request or a fault. */
  learnFromRow(row: Row): void {
    this.#learnFromMembers(row);
    this.#learnFromMembers(row.match ?? {});
    this.learnFromBody(row.body ?? null);
  }

  /** Learns from a request's body, or from that of a webhook, which has the members in `data`. */
  learnFromBody(body: string | null): void {
    const members = objectIn(body) ?? {};
    this.#learnFromMembers(members);
    this.#learnFromMembers((members as { readonly data?: unknown }).data ?? {});
  }

  #learnFromMembers(members: unknown): void {
    for (const [name, value] of Object.entries(members as object)) {
      const kind = MEMBERS[name];
      if ((typeof value !== "string" && typeof value !== "number") || kind === undefined) continue;
      if (kind === "key") this.learnKey(String(value));
      else this.learn(kind, String(value));
    }
  }

  /** Learns the e-mail addresses and CPFs in all texts of a value. */
  learnFromTexts(value: unknown): void {
    if (typeof value === "object" && value !== null) {
      for (const [name, one] of Object.entries(value))
        if (!OWN_MEMBERS.has(name)) this.learnFromTexts(one);
    }
    if (typeof value !== "string" || value.length < SHORTEST_FOUND || this.#read.has(value)) return;
    if (this.#read.size >= MAX_TEXTS) this.#read.clear();
    this.#read.add(value);
    // What precedes the host of an address is no e-mail address.
    const text = (value.includes("%") ? decoded(value) : value).replace(USER, "://");
    if (text.includes("@")) for (const [email] of text.matchAll(EMAIL)) this.learn("email", email);
    for (const [found] of text.matchAll(CPF)) {
      const cpf = found.replaceAll(/[.-]/g, "");
      if (hasCpfCheckDigits(cpf)) this.learn("cpf", cpf);
    }
  }

  /** The same value with every text in it masked. @param isOwn whether the program chose the names of its members */
  applyTo(value: unknown, isOwn = true): unknown {
    if (typeof value === "string") return this.#apply(value);
    // A CPF without quotes.
    if (typeof value === "number" && value > 1e8 && this.#whole.has(String(value)))
      return Number(this.#apply(String(value)));
    if (Array.isArray(value)) return value.map((one) => this.applyTo(one, isOwn));
    if (typeof value !== "object" || value === null) return value;
    // Without a prototype: a member of a merchant can have its name.
    const masked = Object.create(null) as Record<string, unknown>;
    for (const [name, one] of Object.entries(value)) {
      if (isOwn) masked[name] = OWN_MEMBERS.has(name) ? one : this.applyTo(one);
      else masked[this.#apply(name)] = this.applyTo(one, isOwn);
    }
    return masked;
  }

  /** Learns a Pix key, or an idempotency key. */
  learnKey(key: string): void {
    const kind = /^\d{11}$/.test(key)
      ? "cpf"
      : key.startsWith("+")
        ? "phone"
        : key.includes("@")
          ? "email"
          : "evp";
    this.learn(kind, key);
  }

  /** The same text masked. Most texts of a trace are in it several times. */
  #apply(text: string): string {
    const known = this.#whole.get(text) ?? this.#applied.get(text);
    if (known !== undefined) return known;
    const masked = this.#masked(maskAddresses(text));
    if (this.#applied.size >= MAX_TEXTS) this.#applied.clear();
    this.#applied.set(text, masked);
    return masked;
  }

  #masked(text: string): string {
    if (isAddress(text)) {
      const masked = this.#parts.replace(text);
      // A masked name can be no part of one.
      return isAddress(masked) ? masked : "https://masked.example/";
    }
    const object = this.#hasShort ? objectIn(text) : undefined;
    if (object === undefined) return this.#parts.replace(text);
    const masked = JSON.stringify(this.applyTo(object, false));
    // Its exact bytes can matter: a webhook's are signed.
    return masked === JSON.stringify(object) ? text : masked;
  }
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && toUrl(text) !== undefined;
}

/** The JSON object in a text; undefined if it is another text. */
function objectIn(text: string | null): object | undefined {
  if (text === null || !text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

/** Other letters and digits in the place of each: a value that is not valid stays so, for the same reason. */
function reshaped(value: string, number: number): string {
  const drawn = value.replaceAll(/[1-9]|[a-f]|[g-z]|[A-F]|[G-Z]/g, (one, index: number) => {
    // The version of a UUID is part of its shape.
    if (value.length === UUID_LENGTH && (index === 14 || index === 19)) return one;
    const range = RANGES.find((each) => each.includes(one)) ?? one;
    return range[(number * 7919 + index * 31 + (index % 7) * number) % range.length] ?? one;
  });
  return hasCpfCheckDigits(drawn)
    ? `${drawn.slice(0, -1)}${(Number(drawn.at(-1)) + 1) % 10}`
    : drawn;
}

const UUID_LENGTH = 36;
const RANGES = ["123456789", "abcdef", "ghijklmnopqrstuvwxyz", "ABCDEF", "GHIJKLMNOPQRSTUVWXYZ"];

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function dotted(cpf: string): string {
  return cpf.replace(/^(\d{3})(\d{3})(\d{3})(\d{2})$/, "$1.$2.$3-$4");
}
