import { EXPERIMENTS } from "../../play/check-webhook/experiments.ts";
import {
  type CheckOptions,
  EXPERIMENTS_LIMIT_MS,
  PROBES_LIMIT_MS,
} from "../../play/check-webhook/check-webhook.ts";
import { PROBES } from "../../play/check-webhook/probes.ts";
import { RULE_IDS, type RuleId } from "../../review/rules.ts";

/** What a check does at most. */
export function planOf({
  only = RULE_IDS,
  order,
  effect,
  restart,
}: Pick<CheckOptions, "only"> & Readonly<Record<"order" | "effect" | "restart", unknown>>) {
  const isFull = effect !== undefined;
  const countOf = (all: readonly { readonly rule: RuleId }[]): number =>
    all.filter(({ rule }) => only.includes(rule)).length;
  const probes = countOf(PROBES);
  const experiments = isFull ? countOf(EXPERIMENTS) : 0;
  const parts = isFull ? (restart === undefined ? 1 : 2) : 0;
  const limitMs = PROBES_LIMIT_MS + parts * EXPERIMENTS_LIMIT_MS;
  return {
    webhooks: FEW + probes + experiments * EACH.webhooks,
    orders: order !== undefined ? FEW + probes + experiments * EACH.orders : 0,
    seconds: limitMs / 1000,
  };
}

/** For the first webhooks and orders, and for a restart; and for each experiment. */
const FEW = 10;
const EACH = { webhooks: 3, orders: 2 } as const;
