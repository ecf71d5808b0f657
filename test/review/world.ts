import { STANDARD_ASSUMPTIONS } from "../../src/core/assumptions/table.ts";
import type { Attempt, Delivery } from "../../src/core/records/delivery.ts";
import type { Transaction } from "../../src/core/records/transaction.ts";
import type { SeenCreation } from "../../src/review/observation.ts";
import { Reviewer } from "../../src/review/reviewer.ts";
import type { RuleId } from "../../src/review/rules.ts";
import {
  attempt,
  delivery,
  payin,
  type PayinRow,
  payout,
  type PayoutRow,
  START_MS,
} from "../support/core.ts";
import { wordsOf } from "../support/words.ts";

/** A payout's request. */
export const BODY = '{"receiver_cpf":"52998224725","value":25}';

/** A reviewer whose real time the test moves. */
export function world() {
  const time = { realMs: 0 };
  const records = new Map<string, Transaction>();
  const reviewer = new Reviewer(
    { nowMs: () => START_MS, realMs: () => time.realMs },
    (integration, key) => records.get(`${integration}/${key}`),
  );
  let number = 0;
  const see = (members: Partial<SeenCreation> = {}): void =>
    reviewer.seeCreation({
      noun: "payout",
      integration: "shop",
      requestId: `req_${++number}`,
      method: "POST",
      path: "/v1/payouts",
      atMs: START_MS,
      startedAtMs: time.realMs,
      endedAtMs: ++time.realMs,
      key: "first",
      body: BODY,
      status: 200,
      outcome: "known",
      keyUse: "new",
      ...members,
    });
  /** A call creates a payin; it ends at the time at which the test has moved the clock. */
  const create = (members: PayinRow): void => {
    const created = payin(members);
    const { key, request: body, record } = created;
    const { integration } = record;
    records.set(`${integration}/${key}`, created);
    reviewer.see({ kind: "payin", integration, record });
    const path = "/v1/payins";
    see({ noun: "payin", integration, key, path, body, endedAtMs: time.realMs });
  };
  const deliver = (tried: Partial<Delivery>, ...attempts: Partial<Attempt>[]): void => {
    for (let count = 1; count <= attempts.length; count++) {
      const made = attempts.slice(0, count).map((one) => attempt(one));
      const change = delivery({ status: "pending", ...tried, attempts: made });
      const status = count === attempts.length ? change.status : "pending";
      reviewer.see({
        kind: "attempt",
        integration: change.integration,
        delivery: { ...change, status },
      });
    }
  };
  const finding = (rule: RuleId, integration: string | null = "shop") =>
    reviewer.review(integration, () => STANDARD_ASSUMPTIONS).rules.find(({ id }) => id === rule);
  const verdict = (rule: RuleId, integration?: string | null) =>
    finding(rule, integration)?.verdict;
  const says = (rule: RuleId): string => wordsOf(finding(rule)?.text) ?? "";
  /** A call creates a payout. */
  const payOut = (members: PayoutRow & { readonly body?: object }): void => {
    const { body: given, ...rest } = members;
    const body = JSON.stringify({ ...(JSON.parse(BODY) as object), ...given });
    const created = payout({ request: body, ...rest });
    const { key, record } = created;
    const { integration } = record;
    records.set(`${integration}/${key}`, created);
    see({ integration, key, body });
  };
  /** Time for what is pending passes. */
  const wait = (ms = 31_000): void => void (time.realMs += ms);
  return { reviewer, time, records, see, create, payOut, deliver, wait, finding, verdict, says };
}
