import { withCheckDigits } from "../../core/records/cpf.ts";
import type { Change } from "../../core/state/records.ts";
import type { Trace } from "./trace.ts";

/** What is masked, each in its own way. */
type Kind = "cpf" | "email" | "name" | "phone" | "evp" | "token";

const NAMES = ["Ana Souza", "Bruno Lima", "Carla Rocha", "Davi Alves", "Elisa Costa", "Fabio Dias"];

/** Another value of the same shape. The same number always gives the same one. */
const MASKS: Readonly<Record<Kind, (number: number) => string>> = {
  cpf: (number) => withCheckDigits(String(100_000_000 + number * 7919).slice(-9)),
  email: (number) => `pessoa-${number}@example.com`,
  name: (number) => `${NAMES[number % NAMES.length]} ${number}`,
  phone: (number) => `+55119${String(10_000_000 + number * 7919).slice(-8)}`,
  evp: (number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
  token: (number) => `shop-${number}`,
};

/** The members of requests that are masked. The kind of a Pix key is that of its shape. */
const MEMBERS: Readonly<Record<string, Kind | "key">> = {
  buyer_cpf: "cpf",
  receiver_cpf: "cpf",
  buyer_email: "email",
  receiver_email: "email",
  buyer_name: "name",
  receiver_name: "name",
  pix_key: "key",
};

/** The token of commands and examples: a word that says nothing about anyone. */
const STANDARD_TOKEN = "sandbox";

/** Shorter values are parts of ordinary words. */
const SHORT = 4;

/**
 * Replaces tokens and personal data everywhere in a trace, each value by the same other one; secrets are left out.
 * What a merchant wrote into descriptions or addresses is replaced where it repeats such a value.
 */
export function maskTrace(trace: Trace): Trace {
  const masks = new Masks();
  for (const { change } of [trace.start, ...trace.steps]) masks.learnFrom(change);
  for (const { body, integration } of trace.requests) {
    masks.learn("token", integration);
    masks.learnFromBody(body);
  }
  return { ...(masks.applyTo(trace) as Trace), masked: true };
}

/** The same trace without the secret and what it could be drawn from. */
export function withoutSecrets<Value extends Pick<Trace, "start" | "steps">>(trace: Value): Value {
  const clean = <Step extends Trace["start"]>(step: Step): Step => {
    const { identity: _identity, ...change } = step.change;
    return { ...step, change };
  };
  return { ...trace, start: clean(trace.start), steps: trace.steps.map(clean) };
}

class Masks {
  readonly #byValue = new Map<string, string>();
  /** Values that are masked only where a text is nothing else: as a part of another text they mean something else. */
  readonly #whole = new Map<string, string>();
  readonly #counts = new Map<Kind, number>();
  #pattern: RegExp | undefined;

  learn(kind: Kind, value: string | null | undefined): void {
    if (value === null || value === undefined || value.trim() === "") return;
    if (this.#whole.has(value)) return;
    const number = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, number);
    const masked = MASKS[kind](number);
    this.#whole.set(value, masked);
    if (value === STANDARD_TOKEN || value.length < SHORT) return;
    this.#byValue.set(value, masked);
    // The same value in an address, and with the usual points of a CPF.
    this.#byValue.set(encodeURIComponent(value), encodeURIComponent(masked));
    if (/^\d{11}$/.test(value)) this.#byValue.set(dotted(value), dotted(masked));
  }

  learnFrom(change: Change): void {
    for (const payin of change.payins ?? []) {
      this.learn("token", payin.integration);
      this.learn("cpf", payin.buyerCpf);
      this.learn("name", payin.buyerName);
      this.learn("email", payin.buyerEmail);
    }
    for (const payout of change.payouts ?? []) {
      this.learn("token", payout.integration);
      this.learn("cpf", payout.receiverCpf);
      this.learn("name", payout.receiverName);
      this.learn("email", payout.receiverEmail);
      this.#learnKey(payout.pixKey);
    }
    const others = [
      ...(change.deliveries ?? []),
      ...(change.webhookConfigurations ?? []),
      ...(change.faults ?? []),
      ...(change.changedAssumptions ?? []),
    ];
    for (const { integration } of others) this.learn("token", integration);
  }

  learnFromBody(body: string | null): void {
    for (const [name, value] of membersOf(body)) {
      const kind = MEMBERS[name];
      if (typeof value !== "string" || kind === undefined) continue;
      if (kind === "key") this.#learnKey(value);
      else this.learn(kind, value);
    }
  }

  /** The same value with every text in it masked. */
  applyTo(value: unknown): unknown {
    if (typeof value === "string") return this.#apply(value);
    if (Array.isArray(value)) return value.map((one) => this.applyTo(one));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(([name, one]) => [name, this.applyTo(one)] as const);
    return Object.fromEntries(entries);
  }

  #learnKey(key: string): void {
    const kind = /^\d{11}$/.test(key)
      ? "cpf"
      : key.startsWith("+")
        ? "phone"
        : key.includes("@")
          ? "email"
          : "evp";
    this.learn(kind, key);
  }

  #apply(text: string): string {
    const whole = this.#whole.get(text);
    if (whole !== undefined) return whole;
    this.#pattern ??= new RegExp(
      [...this.#byValue.keys()]
        .toSorted((one, other) => other.length - one.length)
        .map((value) => value.replaceAll(/[$()*+.?[\\\]^{|}/-]/g, "\\$&"))
        .join("|") || "(?!)",
      "g",
    );
    const members = membersOf(text);
    if (members.length > 0) return JSON.stringify(this.applyTo(JSON.parse(text)));
    return text.replaceAll(this.#pattern, (value) => this.#byValue.get(value) ?? value);
  }
}

/** The members of a JSON object in a text; none if it is another text. */
function membersOf(text: string | null): [name: string, value: unknown][] {
  if (text === null || !text.startsWith("{")) return [];
  try {
    return Object.entries(JSON.parse(text) as object);
  } catch {
    return [];
  }
}

function dotted(cpf: string): string {
  return cpf.replace(/^(\d{3})(\d{3})(\d{3})(\d{2})$/, "$1.$2.$3-$4");
}
