import { autoSeconds, pick, type Choices, type Row } from "./rows.ts";

/** What a hidden gateway does otherwise, and no row of the table describes. */
export interface Deviation {
  readonly id: DeviationId;
  readonly what: string;
  /** The call or event that shows it. */
  readonly touchedBy: string;
  /** The rows whose words it contradicts; none if it contradicts the documented operation only. */
  readonly rows: readonly Row[];
}

interface Entry extends Omit<Deviation, "id" | "rows"> {
  readonly rows?: readonly Row[] | ((choices: Choices) => readonly Row[]);
  /** Whether it can show with these choices; absent: with all. */
  readonly when?: (choices: Choices) => boolean;
}

/** Every row that says with which code or entry a call is refused. */
const REFUSALS: readonly Row[] = [
  "header.missing",
  "credentials",
  "unknown_field",
  "payout.rival",
  "environment",
  "simulation.final",
  "payin.simulation_status",
  "idempotency.repeat",
  "idempotency.mismatch",
  "rate_limit.per_minute",
];
const KEYS: readonly Row[] = ["idempotency.repeat", "idempotency.mismatch"];

const onKeys = (choice: string) => (choices: Choices) =>
  KEYS.some((row) => choices[row] === choice);
/** The words of `header.missing=unauthorized` name no entries. */
const ofHeaders = (choices: Choices): readonly Row[] =>
  choices["header.missing"] === "validation" ? ["header.missing"] : [];
const isListed = (choices: Choices) => choices.credentials === "listed";
const isStaging = (choices: Choices) => choices.environment === "staging";
/** Whether a transaction can become final: otherwise there is no webhook. */
const sends = (choices: Choices) =>
  isStaging(choices) ||
  choices["payout.rival"] === "cancel" ||
  choices["payin.expiry_event"] === "webhook" ||
  autoSeconds(choices) <= 60;

/** The word before the dot is an area: a variant has at most one of each, so that none hides another. */
const TABLE = {
  "payin.created_201": {
    what: "A created payin is answered with 201.",
    touchedBy: "POST /payins, accepted",
  },
  "payin.without_acquirer_id": {
    what: "The answer of a payin has no `acquirer_id`.",
    touchedBy: "POST /payins, accepted",
  },
  "payin.undocumented_status": {
    what: "The answer of a payin has a `status`.",
    touchedBy: "POST /payins, accepted",
  },
  "payin.brcode_with_amount": {
    what: "The BR Code of a payin contains the amount (54).",
    touchedBy: "POST /payins, accepted",
  },
  "payin.svg": {
    what: "The image of a payin is an SVG.",
    touchedBy: "POST /payins, accepted, with an image",
    rows: ["qr_code_base64.form"],
  },
  "payout.created_201": {
    what: "A created payout is answered with 201.",
    touchedBy: "POST /payouts, accepted",
  },
  "payout.processing": {
    what: "A created payout has the status `processing`.",
    touchedBy: "POST /payouts, accepted",
    // The words of its other choices name no status of a success.
    rows: (choices) => (choices["payout.rival"] === "cancel" ? ["payout.rival"] : []),
  },
  "payout.answered_canceled": {
    what: "The answer of a second payout to a recipient already says `canceled`.",
    touchedBy: "POST /payouts to a recipient with one in progress",
    rows: ["payout.rival"],
    when: (choices) => choices["payout.rival"] === "cancel",
  },
  "limit.expiration_from_60": {
    what: "An `expiration` below 60 is refused.",
    touchedBy: "POST /payins with an `expiration` from 20 to 59",
  },
  "limit.expiration_default_3600": {
    what: "The default of `expiration` is 3600.",
    touchedBy: "the webhook of a payin without `expiration`",
    when: (choices) => isStaging(choices) || choices["payin.expiry_event"] === "webhook",
  },
  "limit.description_100": {
    what: "A `description` of more than 100 characters is refused.",
    touchedBy: "POST /payins or /payouts with a `description` of 101 to 140 characters",
  },
  "errors.message_only": {
    what: "A refusal has only a `message`: no `code`, no `errors`.",
    touchedBy: "any refused call",
    rows: REFUSALS,
  },
  "errors.absent": {
    what: "A refusal has no `errors`.",
    touchedBy: "any refused call",
    rows: REFUSALS,
  },
  "errors.without_field": {
    what: "The entries of `errors` have no `field`.",
    touchedBy: "any call that is refused with entries",
    rows: REFUSALS,
  },
  "errors.first_only": {
    what: "Only the first offending field has an entry.",
    touchedBy: "a call with two offending fields or headers",
    rows: ofHeaders,
  },
  "errors.empty_is_required": {
    what: "An empty field or header is `REQUIRED_VALUE`.",
    touchedBy: "a call with an empty field or header",
    rows: ofHeaders,
  },
  "errors.validation_422": {
    what: "Errors in the payload are answered with 422.",
    touchedBy: "a call with an offending field or header",
    rows: ["error.status", ...REFUSALS],
  },
  "errors.credential_403": {
    what: "`NO_ACTIVE_CREDENTIAL` is answered with 403.",
    touchedBy:
      "a call with a foreign credential or, with `header.missing=unauthorized`, without a header",
    rows: ["error.status", "credentials", "header.missing"],
    when: (choices) => isListed(choices) || choices["header.missing"] === "unauthorized",
  },
  "order.credential_before_body": {
    what: "The credential is checked before the body.",
    touchedBy: "a call with a foreign credential and an offending field",
    when: isListed,
  },
  "order.key_before_body": {
    what: "A repeated key is looked up before the body is checked.",
    touchedBy: "a creation with a used key and an offending field",
    rows: ["idempotency.mismatch"],
  },
  "keys.other_header": {
    what: "A repeated response is marked with `x-idempotency-replay`.",
    touchedBy: "a creation with a used key that is answered again",
    rows: KEYS,
    when: onKeys("replay"),
  },
  "keys.refused_422": {
    what: "A used key is refused with 422 `NOT_PROCESSABLE`.",
    touchedBy: "a creation with a used key that is refused",
    rows: KEYS,
    when: onKeys("reject"),
  },
  "simulation.answered_202": {
    what: "A simulation is answered with 202.",
    touchedBy: "a simulation, accepted",
    when: isStaging,
  },
  "simulation.without_message": {
    what: "A simulation is answered with `success` instead of `message`.",
    touchedBy: "a simulation, accepted",
    rows: ["simulation.message"],
    when: isStaging,
  },
  "simulation.unknown_404": {
    what: "A simulation of an unknown transaction is answered with 404.",
    touchedBy: "a simulation of an unknown transaction",
    rows: ["simulation.final"],
    when: isStaging,
  },
  "simulation.production_403": {
    what: "In production a simulation is refused with 403.",
    touchedBy: "a simulation",
    rows: ["environment"],
    when: (choices) => !isStaging(choices),
  },
  "webhook.by_put": {
    what: "Webhooks are sent with `PUT`.",
    touchedBy: "any webhook",
    rows: ["webhook.payload"],
    when: sends,
  },
  "webhook.without_envelope": {
    what: "The body of a webhook is the transaction alone, with the type as `event`.",
    touchedBy: "any webhook",
    rows: ["webhook.payload"],
    when: sends,
  },
  "webhook.hex_signature": {
    what: "The signature is one header, `x-signature`: the HMAC of the body in hexadecimal.",
    touchedBy: "any webhook",
    rows: ["webhook.signature"],
    when: (choices) => sends(choices) && choices["webhook.signature"] === "standard_webhooks",
  },
  "webhook.retries_after_3": {
    what: "A failed webhook is sent twice more, each after 3 s.",
    touchedBy: "a webhook that fails",
    rows: ["webhook.retries"],
    when: (choices) => sends(choices) && choices["webhook.retries"] !== "none",
  },
  "rate.without_retry_after": {
    what: "The rate limit sends no `retry-after`.",
    touchedBy: "a call above the limit",
    rows: ["rate_limit.per_minute"],
    when: (choices) => choices["rate_limit.per_minute"] !== "0",
  },
} satisfies Record<string, Entry>;

export type DeviationId = keyof typeof TABLE;
const ENTRIES: Record<DeviationId, Entry> = TABLE;
export const deviationIds = Object.keys(TABLE) as DeviationId[];

export function deviationOf(id: DeviationId, choices: Choices): Deviation {
  const { what, touchedBy, rows = [] } = ENTRIES[id];
  return { id, what, touchedBy, rows: typeof rows === "function" ? rows(choices) : rows };
}

/** Draws 0 to 3 deviations that can show with these choices, no two of one area. */
export function drawDeviations(random: () => number, choices: Choices): DeviationId[] {
  const drawn: DeviationId[] = [];
  for (let left = Math.floor(random() * 4); left > 0; left -= 1) {
    const isFree = (id: DeviationId) => drawn.every((other) => areaOf(other) !== areaOf(id));
    const candidates = deviationIds.filter((id) => isFree(id) && canShow(id, choices));
    const id = pick(candidates, random);
    if (id !== undefined) drawn.push(id);
  }
  return drawn;
}

function areaOf(id: DeviationId): string | undefined {
  return id.split(".")[0];
}

/** Whether some call can show the deviation with these choices. */
function canShow(id: DeviationId, choices: Choices): boolean {
  return ENTRIES[id].when?.(choices) ?? true;
}
