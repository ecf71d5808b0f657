/**
 * The rows of `docs/assumptions.md` as a hidden gateway draws them, and what a client can learn of each from outside.
 * Nothing in this folder imports from `src`: the gateway is a second reading of the specification.
 */

/** The choices that a seed draws. The first of each row is the table's default. */
export const ROWS = {
  "value.unit": ["reais", "centavos"],
  country_code: ["two_letters", "br_only"],
  "cpf.check": ["shape", "check_digits"],
  "phone.size": ["either", "words", "size"],
  "evp.form": ["any", "lower_v4"],
  "email.size": ["any", "77"],
  "payin.generate_qrcode": ["false", "true"],
  "qr_code_base64.form": ["bare", "data_uri"],
  "payin.v2": ["only"],
  "payin.simulation_status": ["completed_only", "also_canceled"],
  "payin.paid_status": ["paid", "completed"],
  "payin.expiry_event": ["none", "webhook"],
  "payout.recipient": ["receiver_cpf", "pix_key"],
  "payout.rival": ["cancel", "reject", "allow"],
  "payout.auto": ["never", "complete_after:5", "complete_after:3600"],
  // A careful client stops at the first sign of production: more of these would judge nothing else.
  environment: [...Array<"staging">(9).fill("staging"), "production"],
  "simulation.final": ["reject", "repeat"],
  "simulation.message": ["only"],
  "header.missing": ["validation", "unauthorized"],
  credentials: ["any", "listed"],
  "error.status": ["distinct", "always_400"],
  "error.language": ["en", "pt"],
  unknown_field: ["ignore", "reject"],
  "idempotency.repeat": ["replay", "reject"],
  "idempotency.mismatch": ["reject", "replay"],
  "idempotency.retention_seconds": ["86400", "3600", "60"],
  "webhook.configuration": ["only"],
  "webhook.payload": ["only"],
  "webhook.signature": ["standard_webhooks", "none"],
  "webhook.success": ["2xx", "only_200"],
  "webhook.timeout_seconds": ["10", "5", "2"],
  "webhook.retries": ["laptop", "production", "none"],
  "rate_limit.per_minute": ["0", "30", "600"],
} as const satisfies Record<string, readonly string[]>;

export type Row = keyof typeof ROWS;
/** The choice in force of each row, written as in `--assume ROW=CHOICE`. */
export type Choices = Record<Row, string>;

type Observable = true | string | ((choices: Choices) => true | string);

/**
 * Whether a client from outside can ever observe a row: true, or the reason why not. Only the documented operations
 * count, and an absence counts only if it ends at a known time: that something never happens cannot be observed.
 */
export const OBSERVABLE: Record<Row, Observable> = {
  ...(Object.fromEntries(Object.keys(ROWS).map((row) => [row, true])) as Record<Row, true>),
  "payin.v2": "The specification does not give the path of the second version.",
  "payin.paid_status": "In staging no buyer pays, and a simulation always gives `completed`.",
  "payout.recipient": (choices) =>
    choices["payout.rival"] !== "allow" ||
    "With `payout.rival=allow` payouts to one recipient never meet.",
  "payout.auto": (choices) =>
    autoSeconds(choices) <= 60 || "A payout that still waits may complete later, or never.",
  "idempotency.retention_seconds":
    "Each look is another call, which repeats the operation once the key is forgotten: only a lower bound shows.",
  "webhook.configuration": "The specification does not give the path of the configuration.",
  "webhook.success": (choices) =>
    choices["webhook.retries"] !== "none" ||
    "With `webhook.retries=none` a failure looks like a success.",
  "rate_limit.per_minute": (choices) =>
    isLimited(choices) || "No number of calls proves that there is no limit, or a higher one.",
};

/** The rows that a client cannot observe with these choices, each with the reason. */
export function unobservable(choices: Choices): Partial<Record<Row, string>> {
  const reasons: Partial<Record<Row, string>> = {};
  for (const row of rowNames) {
    const answer = OBSERVABLE[row];
    const reason =
      choices.environment === "production" && row !== "environment"
        ? "A careful client stops at the first sign of production."
        : typeof answer === "function"
          ? answer(choices)
          : answer;
    if (reason !== true) reasons[row] = reason;
  }
  return reasons;
}

export const rowNames = Object.keys(ROWS) as Row[];

/** The seconds after which a payout completes by itself; infinite if it never does. */
export function autoSeconds(choices: Choices): number {
  const [, seconds] = choices["payout.auto"].split(":");
  return seconds === undefined ? Infinity : Number(seconds);
}

/** Whether the rate limit is low enough for a client to meet it. */
function isLimited(choices: Choices): boolean {
  const limit = Number(choices["rate_limit.per_minute"]);
  return limit > 0 && limit <= 60;
}

/** The choices that are given, and the defaults of the table. */
export function withDefaults(given: Partial<Choices>): Choices {
  const defaults = rowNames.map((row) => [row, ROWS[row][0]]);
  return { ...(Object.fromEntries(defaults) as Choices), ...given };
}

/** Draws one choice of each row. */
export function drawChoices(random: () => number): Choices {
  const drawn = rowNames.map((row) => [row, pick(ROWS[row], random)]);
  return Object.fromEntries(drawn) as Choices;
}

export function pick<T>(items: readonly T[], random: () => number): T | undefined {
  return items[Math.floor(random() * items.length)];
}

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
