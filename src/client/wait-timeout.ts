import { toSafeLine } from "../text/plain/safe-text.ts";
import type { toWireSeen } from "../core/state/wire.ts";
import { toCamelCase } from "../text/plain/camel-case.ts";
import { type Calls, type Refusal, SandboxError } from "./calls.ts";
import type { ClockReading, Delivery, SeenDelivery } from "./records.ts";

/** No matching webhook was delivered in time. The message lists the existing and pending webhooks. */
export class WaitTimeoutError extends SandboxError {
  override readonly name = "WaitTimeoutError";
  /** The most similar webhooks, newest first. */
  readonly seen: readonly SeenDelivery[];
  /** The webhooks that are due later or in flight. */
  readonly pending: readonly Delivery[];

  constructor(
    { answer, url }: SandboxError,
    text: string,
    seen: readonly SeenDelivery[],
    pending: readonly Delivery[],
  ) {
    super(408, answer, url, text);
    this.seen = seen;
    this.pending = pending;
  }
}

/** Creates the error of a wait, with delivered, due and in-flight webhooks, the clock and the seed. */
export async function explainWait(
  client: Calls,
  refused: SandboxError,
  transactionId: string | undefined,
): Promise<WaitTimeoutError> {
  const answer = refused.answer as WaitRefusal;
  const seen = toCamelCase(answer.seen);
  const [pending, clock, transaction] = await Promise.all([
    client.list("GET /deliveries", { status: "pending" }).then(toCamelCase),
    client.call("GET /clock"),
    typeof transactionId !== "string" ? undefined : readTransaction(client, transactionId),
  ]);
  const lines = [
    answer.message,
    ...(transactionId === undefined ? [] : [describeTransaction(transactionId, transaction)]),
    "Nearest webhooks:",
    ...listed(seen.map(describeSeen)),
    "Due or in flight:",
    ...listed(pending.slice(0, MAX_LISTED).map((one) => describePending(one, clock))),
    ...(pending.length > MAX_LISTED ? [`  and ${pending.length - MAX_LISTED} more`] : []),
    `Clock: ${clock.now}, ${clock.mode === "frozen" ? "frozen: what is due later waits until it is advanced" : "running"}`,
    `Seed: ${answer.seed}`,
  ];
  return new WaitTimeoutError(refused, lines.map(toSafeLine).join("\n"), seen, pending);
}

/** The route's response to a wait that timed out. */
interface WaitRefusal extends Refusal {
  readonly seen: readonly ReturnType<typeof toWireSeen>[];
  readonly seed: string;
}

const MAX_LISTED = 10;

/** Undefined if the record does not exist or belongs to another integration. */
async function readTransaction(client: Calls, id: string) {
  try {
    return toCamelCase(await client.call("GET /transactions/{id}", { id }));
  } catch (error) {
    if (!(error instanceof SandboxError && error.status === 404)) throw error;
    return undefined;
  }
}

function describeTransaction(
  id: string,
  transaction: Awaited<ReturnType<typeof readTransaction>>,
): string {
  if (!transaction) return `There is no payin or payout ${id}.`;
  const { status } = transaction;
  const expiry =
    "expiresAt" in transaction && status === "waiting"
      ? `, expires at ${transaction.expiresAt}`
      : "";
  return `${transaction.kind === "payin" ? "Payin" : "Payout"} ${id} is ${status}${expiry}.`;
}

function describeSeen({ id, type, transactionId, status, attempts, last }: SeenDelivery): string {
  const outcome = attempts === 0 ? "no attempt yet" : `attempts ${attempts}, last ${last}`;
  return `${type} of ${transactionId} (${id}): ${status}, ${outcome}`;
}

function describePending(
  { type, transactionId, attempts, nextAttemptAt, url }: Delivery,
  { now }: Pick<ClockReading, "now">,
): string {
  const when =
    nextAttemptAt === null || nextAttemptAt <= now
      ? "due now or in flight"
      : `due at ${nextAttemptAt}`;
  return `${type} of ${transactionId}, attempt ${attempts.length + 1}: ${when}, to ${url}`;
}

function listed(lines: readonly string[]): string[] {
  return lines.length === 0 ? ["  none"] : lines.map((line) => `  ${line}`);
}
