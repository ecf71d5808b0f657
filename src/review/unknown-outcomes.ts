import { BoundedMap, keyOf, MAX_INTEGRATIONS, prefixOf, RecentMap, type Tally } from "./tally.ts";
import type { Evidence } from "./finding.ts";
import type { SeenCreation, Watch } from "./observation.ts";
import type { FindByKey } from "./keys.ts";
import { haveSamePurpose, type Payment, paymentIn } from "./payments.ts";
import { shortened } from "./shortened.ts";
import { say } from "../text/message.ts";

/** How many unknown outcomes are watched; the oldest is dropped first, and no longer counts. */
const MAX_UNKNOWN = 1000;
/** How many repeated keys, and how many payments, are remembered. */
const MAX_REMEMBERED = 1000;
/** How long a client has to repeat a call, in real time. A client that was seen to repeat later has half as long again. */
export const PATIENCE_MS = 30_000;

const NOT_RETRIED = "unknown_outcome_not_retried";

/** A creation whose client does not know its outcome. */
interface Unknown {
  readonly call: SeenCreation;
  readonly payment: Payment | undefined;
  /** How often it was sent. */
  times: number;
}

/** Judges whether a call with an unknown outcome is repeated with its key, and a payout never with another one. */
export function unknownOutcomes(tally: Tally, findByKey: FindByKey): Watch {
  const unknown = new BoundedMap<string, Unknown>(MAX_UNKNOWN, (id, { call, payment }) => {
    forgetPayment(id, payment);
    tally.withdrawn(call.integration, NOT_RETRIED, id);
  });
  /** The newest unknown outcome of each payment. */
  const payments = new Map<string, string>();
  /** The newest request for each payment. */
  const requested = new RecentMap<{ call: SeenCreation; payment: Payment }>(MAX_REMEMBERED);
  /** The keys whose outcome a repeat has shown, possibly before the first call ended. */
  const repeated = new RecentMap<true>(MAX_REMEMBERED);
  /** How long each integration may take to repeat a call, if that is longer than usual. */
  const patience = new RecentMap<number>(MAX_INTEGRATIONS);

  const forgetPayment = (id: string, payment: Payment | undefined): void => {
    if (payment && payments.get(payment.name) === id) payments.delete(payment.name);
  };

  const forget = (id: string): void => {
    forgetPayment(id, unknown.get(id)?.payment);
    unknown.delete(id);
  };

  const learn = ({ integration, noun, startedAtMs }: SeenCreation, id: string): void => {
    const waitedMs = startedAtMs - (unknown.get(id)?.call.endedAtMs ?? startedAtMs);
    if (waitedMs > PATIENCE_MS) patience.set(integration, waitedMs * 1.5);
    forget(id);
    tally.mended(integration, NOT_RETRIED, id);
    if (noun !== "payout") return;
    // An equal payout in between was another one.
    tally.mended(integration, "payout_new_key_after_failure", id);
  };

  const compare = (call: SeenCreation, payment: Payment): void => {
    const id = payments.get(payment.name) ?? "";
    const first = unknown.get(id);
    if (!first?.payment || !haveSamePurpose(first.payment.description, payment.description)) return;
    if (call.startedAtMs < leftAtMs(first.call)) return;
    const { integration } = call;
    tally.broken(integration, "payout_new_key_after_failure", id, newKeyEvidence(first.call, call));
  };

  const watch = (call: SeenCreation, id: string, payment: Payment | undefined): void => {
    unknown.set(id, { call: { ...call, body: undefined }, payment, times: 1 });
    const { integration } = call;
    const untilMs = call.endedAtMs + Math.max(PATIENCE_MS, patience.get(integration) ?? 0);
    const found = findByKey(integration, call.key);
    tally.broken(integration, NOT_RETRIED, id, notRetriedEvidence(call, found?.record.id), untilMs);
    if (!payment) return;
    payments.set(payment.name, id);
    const later = requested.get(payment.name);
    if (later && later.call.key !== call.key) compare(later.call, later.payment);
  };

  const repeat = (one: Unknown, call: SeenCreation, id: string): void => {
    one.times++;
    const { integration } = call;
    tally.withdrawn(integration, NOT_RETRIED, id);
    tally.unseen(integration, NOT_RETRIED, repeatedText(one.call, one.times));
  };

  return {
    creation: (call) => {
      const isUnknown = call.outcome !== "known";
      const isPayout = call.noun === "payout";
      if (!isUnknown && call.keyUse === "new" && unknown.size === 0 && !isPayout) return;
      const { integration, noun, keyUse } = call;
      const id = keyOf(integration, noun, call.key);
      const watched = unknown.get(id);
      const payment = isPayout ? paymentIn(integration, call.body) : undefined;
      if (!watched && payment && keyUse === "new") {
        compare(call, payment);
        const before = requested.get(payment.name);
        // A client that has stopped waiting sends the next one before the first one ends.
        if (!before || before.call.startedAtMs <= call.startedAtMs)
          requested.set(payment.name, { call: { ...call, body: undefined }, payment });
      }
      if (!isUnknown) {
        if (keyUse !== "new") repeated.set(id, true);
        if (watched) learn(call, id);
        return;
      }
      if (watched) return repeat(watched, call, id);
      // Another call with the key was handled: its client knows the outcome, or will.
      const isOtherHandled = call.status >= 400 && findByKey(integration, call.key) !== undefined;
      if (keyUse !== "new" || repeated.get(id) || isOtherHandled) return;
      watch(call, id, payment);
    },
    reset: (integration) => {
      const prefix = prefixOf(integration);
      for (const id of unknown.keys()) if (id.startsWith(prefix)) forget(id);
      repeated.clear(prefix);
      requested.clear(prefix);
    },
  };
}

/** When the client may have stopped waiting: it is not known when it closed the connection. */
function leftAtMs({ hasLeft, startedAtMs, endedAtMs }: SeenCreation): number {
  return hasLeft ? startedAtMs : endedAtMs;
}

function newKeyEvidence(first: SeenCreation, call: SeenCreation): () => Evidence {
  const { requestId, atMs } = call;
  const key = shortened(call.key);
  const firstId = first.requestId;
  const how = learned(first);
  const command = loseOne(first);
  return () => ({
    atMs,
    text: say`${requestId} repeats the payout of ${firstId}, ${how}, under the new key ${key}.`,
    requestId,
    command,
  });
}

function notRetriedEvidence(call: SeenCreation, transactionId: string | undefined): () => Evidence {
  const { requestId, method, path, atMs } = call;
  const key = shortened(call.key);
  const how = learned(call);
  const command = loseOne(call);
  // No buyer has seen the code of a charge that was given up.
  const isMinor = call.noun === "payin";
  return () => ({
    atMs,
    text: say`${requestId} (${method} ${path}), ${how}, was not repeated with its key ${key}.`,
    requestId,
    transactionId,
    command,
    isMinor,
  });
}

function repeatedText({ requestId, method, path }: SeenCreation, times: number) {
  return () =>
    say`${requestId} (${method} ${path}) was sent ${times} times with its key; none got an outcome.`;
}

function learned({ outcome, status }: SeenCreation) {
  return outcome === "lost" ? say`whose response was lost` : say`which failed with ${status}`;
}

/** Makes the same happen to the next such call. */
function loseOne({ noun, outcome }: SeenCreation): string {
  const effect = outcome === "lost" ? "lost_answer" : "error=EXTERNAL_ERROR";
  return `npx pix-sandbox faults add ${noun}s.create ${effect} --times 1`;
}
