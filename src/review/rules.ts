import type { AssumptionName } from "../core/assumptions/table.ts";
import { type Message, say } from "../text/message.ts";

/** A rule for integrations: a mistake that costs merchants money. */
interface RuleRow {
  readonly severity: "failure" | "warning";
  /**
   * How a rule is judged, if not by normal traffic. `probe`: only by a webhook sent to test it. `effect`: also by the
   * state of the merchant's order.
   */
  readonly judgedBy?: "probe" | "effect";
  /** The mistake, as a sentence about the integration. */
  readonly mistake: Message;
  /** That it did not make the mistake, in a few words. */
  readonly kept: Message;
  /** What it costs. */
  readonly harm: Message;
  /** What to change, in a sentence; docs/reviewer.md has the code. */
  readonly change: Message;
  /** What a run needs so that the rule can be judged. Default: what `judgedBy` needs. */
  readonly chance?: Message;
  /** Other rules that this mistake by itself can break. */
  readonly implies?: readonly string[];
  /** The assumptions that the verdict depends on: with another choice it can be no mistake. */
  readonly dependsOn?: readonly AssumptionName[];
}

export interface Rule extends RuleRow {
  readonly number: number;
  readonly chance: Message;
}

const CHECK = say`Run npx pix-sandbox check-webhook with the address of the handler.`;
const CHECK_WITH_EFFECT = say`The response does not show what the merchant did. Run npx pix-sandbox check-webhook with --order COMMAND, which creates an order and prints its transaction's id, and --effect URL, which shows what became of the order.`;
const ANY_RESPONSE = say`The merchant responded to no webhook. Pay a charge whose webhook_url is the merchant's.`;
const ACCEPTED_WEBHOOK = say`The merchant accepted no webhook. Pay a charge whose webhook_url is the merchant's, and respond with 200.`;
const UNKNOWN_OUTCOME = say`Every response arrived. Lose one: npx pix-sandbox faults add payouts.create lost_answer --times 1`;

/** Every rule, by its id, in the order of their numbers. */
const RULES = {
  payout_new_key_after_failure: {
    severity: "failure",
    mistake: say`After a lost or failed response, it repeats a payout under a new idempotency key.`,
    kept: say`It repeated a payout with the same key.`,
    harm: say`The money is sent twice.`,
    change: say`Store the key before the call, and use it for every attempt.`,
    chance: UNKNOWN_OUTCOME,
    implies: ["unknown_outcome_not_retried"],
  },
  unknown_outcome_not_retried: {
    severity: "failure",
    mistake: say`After a lost or failed response, it never repeats the call with its key, so it never learns the outcome.`,
    kept: say`It repeated a call until it had an outcome.`,
    harm: say`The order stays open, and the shop does not know whether it was paid.`,
    change: say`Repeat the call with its key until it has an outcome, also after a restart.`,
    chance: UNKNOWN_OUTCOME,
    dependsOn: ["idempotency.repeat"],
  },
  key_reused_with_other_body: {
    severity: "failure",
    mistake: say`It uses one idempotency key for different requests.`,
    kept: say`Each key stood for one request.`,
    harm: say`The second request is refused: a lost sale.`,
    change: say`Derive the key from the order and its version, not from the cart or the customer.`,
    chance: say`No key was used twice. Repeat a call with its key, for example after a lost response.`,
    dependsOn: ["idempotency.mismatch"],
  },
  charge_created_twice: {
    severity: "warning",
    mistake: say`It creates the same charge twice within seconds, each time with a new key.`,
    kept: say`It created no charge twice.`,
    harm: say`The buyer can pay twice.`,
    change: say`Derive the key from the order, so that a second click returns the first charge.`,
    chance: say`Fewer than two charges were created, or nothing shows whether equal ones are one order: put its number into the description.`,
  },
  webhook_answer_slow: {
    severity: "warning",
    mistake: say`It responds to a webhook after more than 5 s.`,
    kept: say`It responded within 5 s.`,
    harm: say`Gateways stop waiting, and send the webhook again.`,
    change: say`Store the webhook, respond with 200, and do the work afterwards.`,
    chance: ANY_RESPONSE,
  },
  webhook_answer_not_200: {
    severity: "warning",
    mistake: say`It responds to a webhook with a 2xx that is not 200.`,
    kept: say`It responded with 200.`,
    harm: say`Stricter gateways count the webhook as failed.`,
    change: say`Respond with 200.`,
    chance: say`No webhook got 200. Another 2xx is a mistake only with the assumption webhook.success=only_200: ask the provider.`,
    dependsOn: ["webhook.success"],
  },
  webhook_answer_redirects: {
    severity: "failure",
    mistake: say`It responds to a webhook with a redirect.`,
    kept: say`It responded without a redirect.`,
    harm: say`No gateway follows it: the webhook is never delivered.`,
    change: say`Register the final address: its protocol, host and slash at the end.`,
    chance: ANY_RESPONSE,
    implies: ["webhook_never_received"],
  },
  webhook_never_received: {
    severity: "failure",
    mistake: say`It accepts none of a webhook's attempts.`,
    kept: say`It accepted webhooks.`,
    harm: say`It never learns of the payment.`,
    change: say`Respond with 200 to each valid webhook, and make its address reachable.`,
    chance: say`No webhook was accepted, and none has failed in all its attempts. Pay a charge whose webhook_url is the merchant's.`,
  },
  valid_signature_refused: {
    severity: "failure",
    mistake: say`It refuses a webhook whose signature is valid.`,
    kept: say`It accepted valid signatures.`,
    harm: say`It never learns of the payment.`,
    change: say`Verify id, timestamp and raw body, joined by dots, with the decoded secret.`,
    chance: ACCEPTED_WEBHOOK,
    dependsOn: ["webhook.signature"],
    implies: ["webhook_never_received"],
  },
  canceled_payout_ignored: {
    severity: "warning",
    mistake: say`It requests a canceled payout again with the same key, which sends nothing, or shows it as completed.`,
    kept: say`It took no canceled payout for a sent one.`,
    harm: say`The receiver is never paid.`,
    change: say`Request a canceled payout again once, under a new key, or show a person that it was canceled.`,
    chance: say`The merchant accepted no payout.canceled webhook. Cancel a payout: npx pix-sandbox payout cancel last`,
    dependsOn: ["payout.rival"],
  },
  personal_data_in_address: {
    severity: "warning",
    mistake: say`It puts a person's CPF, e-mail address or name into webhook_url, or the CPF into a description.`,
    kept: say`No address or description had personal data.`,
    harm: say`Personal data leaks into logs and onto bank statements.`,
    change: say`Put the order's number there, not a person's data.`,
    chance: say`No record was created with an address of the merchant.`,
  },
  duplicate_refused: {
    severity: "failure",
    judgedBy: "probe",
    mistake: say`It refuses a webhook that it has accepted before.`,
    kept: say`It accepted a duplicate.`,
    harm: say`The gateway sends it again until it gives up, and may block the address.`,
    change: say`Respond with 200 to a webhook whose id is stored already.`,
    chance: say`No webhook was sent twice. Add the fault duplicate, resend one, or run npx pix-sandbox check-webhook.`,
    implies: ["webhook_never_received"],
  },
  duplicate_acts_twice: {
    severity: "failure",
    judgedBy: "effect",
    mistake: say`It acts on the same payment twice.`,
    kept: say`A duplicate changed nothing.`,
    harm: say`The order is credited twice.`,
    change: say`Store the webhook's id, unique, in the same transaction as its effect.`,
    implies: ["concurrent_duplicates_act_twice", "payment_lost"],
  },
  concurrent_duplicates_act_twice: {
    severity: "failure",
    judgedBy: "effect",
    mistake: say`It acts twice on a webhook that arrives twice at the same time.`,
    kept: say`Simultaneous duplicates acted once.`,
    harm: say`The order is credited twice.`,
    change: say`Let a unique constraint decide, not a query before the change.`,
  },
  early_webhook_lost: {
    severity: "warning",
    judgedBy: "effect",
    mistake: say`It loses a webhook that arrives before the response to the create call.`,
    kept: say`It acted on an early webhook.`,
    harm: say`A paid order stays open.`,
    change: say`Keep a webhook of an unknown charge until the charge is known, or respond with 503.`,
  },
  older_event_overwrites: {
    severity: "failure",
    judgedBy: "effect",
    mistake: say`It lets an older event overwrite a newer state.`,
    kept: say`An older event changed nothing.`,
    harm: say`A paid order is no longer paid.`,
    change: say`Change an order's state only forward: paid stays paid.`,
  },
  bad_signature_accepted: {
    severity: "failure",
    judgedBy: "probe",
    mistake: say`It accepts a webhook whose signature is not valid.`,
    kept: say`It refused a wrong signature.`,
    harm: say`Anyone can forge a payment.`,
    change: say`Compare the signature before you act, and refuse with 401 if it differs.`,
    dependsOn: ["webhook.signature"],
  },
  signature_not_checked: {
    severity: "failure",
    judgedBy: "probe",
    mistake: say`It accepts a webhook whose signature header contains any text.`,
    kept: say`It refused a text as a signature.`,
    harm: say`Anyone can forge a payment.`,
    change: say`Compute the signature and compare it; that the header exists shows nothing.`,
    dependsOn: ["webhook.signature"],
    implies: ["bad_signature_accepted", "old_timestamp_accepted"],
  },
  old_timestamp_accepted: {
    severity: "failure",
    judgedBy: "probe",
    mistake: say`It accepts a webhook whose timestamp is ten minutes old, or ahead.`,
    kept: say`It refused an old timestamp.`,
    harm: say`A recorded webhook can be replayed.`,
    change: say`Refuse a timestamp that is more than five minutes from now.`,
    dependsOn: ["webhook.signature"],
  },
  body_reserialised: {
    severity: "failure",
    judgedBy: "probe",
    mistake: say`It parses the body and writes it again before it verifies the signature.`,
    kept: say`It verified the bytes as they arrived.`,
    harm: say`Valid webhooks are refused as soon as the gateway writes its JSON differently.`,
    change: say`Verify the raw bytes, before any parser reads the body.`,
    dependsOn: ["webhook.signature"],
    implies: ["webhook_never_received"],
  },
  value_not_compared: {
    severity: "failure",
    judgedBy: "effect",
    mistake: say`It does not compare the value that was paid with the order's.`,
    kept: say`A wrong value settled no order.`,
    harm: say`Underpaid orders are served.`,
    change: say`Compare the paid value with the order's, in centavos.`,
  },
  foreign_transaction_settles: {
    severity: "failure",
    judgedBy: "effect",
    mistake: say`It settles an order with a transaction that is not the order's.`,
    kept: say`It ignored a foreign transaction.`,
    harm: say`Goods are given away.`,
    change: say`Find the order by the transaction's id that the create call returned.`,
  },
  unknown_type_refused: {
    severity: "failure",
    judgedBy: "probe",
    mistake: say`It refuses a webhook of an unknown type or with an additional member, or takes another event for a payment.`,
    kept: say`It accepted an unknown type.`,
    harm: say`It breaks with the gateway's next version.`,
    change: say`Ignore unknown types and members, and respond with 200.`,
    implies: ["webhook_never_received"],
  },
  last_second_dropped: {
    severity: "failure",
    judgedBy: "effect",
    mistake: say`It drops a payment that was made in the last second before the charge expired.`,
    kept: say`It counted a payment in the last second.`,
    harm: say`The buyer is charged, and not served.`,
    change: say`Let the gateway's event decide, not the shop's clock.`,
  },
  payout_created_twice: {
    severity: "warning",
    mistake: say`It requests a payout again, under another key, after the first one was completed.`,
    kept: say`It requested no completed payout again.`,
    harm: say`The money is sent twice.`,
    change: say`Derive the key from what the payout pays back.`,
    chance: say`Fewer than two payouts had a number in their description, such as that of an order.`,
  },
  retry_storm: {
    severity: "warning",
    mistake: say`It repeats a failed call without a pause, or before the time in retry-after.`,
    kept: say`It waited before each retry.`,
    harm: say`The gateway, which is in trouble already, gets more calls, and may block the integration.`,
    change: say`Wait longer after each attempt, and as long as retry-after says.`,
    chance: say`No call was repeated. Let one fail several times: npx pix-sandbox faults add payouts.create error=EXTERNAL_ERROR --times 5`,
  },
  cancel_loop: {
    severity: "failure",
    mistake: say`It requests a canceled payout again and again, or twice for one webhook.`,
    kept: say`It started no loop after a cancellation.`,
    harm: say`Payouts cancel each other for ever, or the money is sent twice.`,
    change: say`Request a canceled payout again once, under one new key.`,
    chance: say`No canceled payout was requested again. Cancel a payout: npx pix-sandbox payout cancel last`,
    dependsOn: ["payout.rival"],
    implies: ["canceled_payout_ignored"],
  },
  payment_lost: {
    severity: "failure",
    judgedBy: "effect",
    mistake: say`It accepts the payment of an order and does nothing about it, or forgets it at a restart.`,
    kept: say`It served each payment.`,
    harm: say`The buyer is charged, and not served.`,
    change: say`Store the payment where a restart does not reach it, and only then respond.`,
  },
  key_reused_for_new_payin: {
    severity: "failure",
    mistake: say`It uses the key of a charge that has ended for a new one, and gets the old charge.`,
    kept: say`After an expired charge, it created one under a new key.`,
    harm: say`The buyer cannot pay: the code is that of the old charge.`,
    change: say`Derive the key from the order and its attempt, never from the buyer and the value.`,
    chance: say`No buyer ordered again after a charge had expired. Let a charge expire, and order again.`,
    dependsOn: ["idempotency.repeat"],
  },
} as const satisfies Record<string, RuleRow>;

export type RuleId = keyof typeof RULES;

/** The ids, in the order of the rules' numbers. */
export const RULE_IDS = Object.keys(RULES) as readonly RuleId[];

/** A rule by its id. */
export function ruleOf(id: RuleId): Rule {
  const row: RuleRow = RULES[id];
  const chance = row.chance ?? (row.judgedBy === "probe" ? CHECK : CHECK_WITH_EFFECT);
  return { ...row, chance, number: RULE_IDS.indexOf(id) + 1 };
}

/** The rules that a broken rule can have caused; only ids of other rules. */
export function impliedBy(id: RuleId): readonly RuleId[] {
  return (ruleOf(id).implies ?? []) as readonly RuleId[];
}
