import type { Attempt } from "../core/records/delivery.ts";
import type { RuleId } from "./rules.ts";

/** A merchant should have responded by then. */
const SLOW_MS = 5000;
/** How a receiver says that it does not trust a webhook. */
const DISTRUST: ReadonlySet<number | null> = new Set([400, 401, 403]);

/**
 * The rules that the answer gave a chance, and whether it broke them.
 * @param only200 whether another 2xx is no success (assumption `webhook.success`)
 */
export function judgeWebhookAnswer(
  { status, durationMs }: Pick<Attempt, "status" | "durationMs">,
  only200: boolean,
): readonly (readonly [rule: RuleId, isBroken: boolean])[] {
  const isLate = isSlow({ durationMs });
  if (status === null) return isLate ? [["webhook_answer_slow", true]] : [];
  const isJudged = status === 200 || (only200 && isSuccess(status));
  return [
    ["webhook_answer_slow", isLate],
    ...(isJudged ? [["webhook_answer_not_200", status !== 200] as const] : []),
    ["webhook_answer_redirects", status >= 300 && status < 400],
  ];
}

export function isSlow({ durationMs }: Pick<Attempt, "durationMs">): boolean {
  return durationMs > SLOW_MS;
}

export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Whether a receiver asks for the webhook later: that is no refusal. */
export function isLater({
  status,
  retryAfterMs,
}: Pick<Attempt, "status" | "retryAfterMs">): boolean {
  return retryAfterMs !== undefined && (status === BUSY || status === TOO_MANY);
}

const BUSY = 503;
const TOO_MANY = 429;

export function isDistrust(status: number | null): boolean {
  return DISTRUST.has(status);
}
