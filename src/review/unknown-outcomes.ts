import { BoundedMap, keyOf, prefixOf, RecentMap, type Tally } from "./tally.ts";
import type { Evidence } from "./finding.ts";
import type { SeenCreation, Watch } from "./observation.ts";
import type { FindByKey } from "./keys.ts";
import { canonicalJson } from "../wire/json.ts";
import { shortened } from "./shortened.ts";
import { say } from "../text/message.ts";

/** How many unknown outcomes are watched; the oldest is dropped first, and no longer counts. */
export const MAX_UNKNOWN = 1000;
/** How many repeated keys are remembered. */
const MAX_REPEATED = 1000;

/** A creation whose client does not know its outcome. */
interface Unknown {
  readonly call: SeenCreation;
  /** Of a payout: its integration and its body's JSON; undefined if it is not JSON. */
  readonly payment: string | undefined;
}

/** Judges whether a call with an unknown outcome is repeated with its key, and a payout never with another one. */
export function unknownOutcomes(tally: Tally, findByKey: FindByKey): Watch {
  const unknown = new BoundedMap<string, Unknown>(MAX_UNKNOWN, (id, { call, payment }) => {
    forgetPayment(id, payment);
    tally.withdrawn(call.integration, "unknown_outcome_not_retried", id);
  });
  /** The newest unknown outcome of each payment. */
  const payments = new Map<string, string>();
  /** The keys whose outcome a repeat has shown, possibly before the first call ended. */
  const repeated = new RecentMap<true>(MAX_REPEATED);

  const forgetPayment = (id: string, payment = ""): void => {
    if (payments.get(payment) === id) payments.delete(payment);
  };

  const forget = (id: string): void => {
    forgetPayment(id, unknown.get(id)?.payment);
    unknown.delete(id);
  };

  const learn = ({ integration, noun }: SeenCreation, id: string): void => {
    forget(id);
    tally.mended(integration, "unknown_outcome_not_retried", id);
    if (noun !== "payout") return;
    // An equal payout in between was another one.
    tally.mended(integration, "payout_new_key_after_failure", id);
  };

  const compare = (call: SeenCreation): void => {
    const id = call.keyUse === "new" ? payments.get(paymentOf(call) ?? "") : undefined;
    const first = id === undefined ? undefined : unknown.get(id)?.call;
    // A payout that was sent before the other one failed is not a reaction to it.
    if (id === undefined || !first || call.startedAtMs < first.endedAtMs) return;
    const { integration } = call;
    tally.broken(integration, "payout_new_key_after_failure", id, newKeyEvidence(first, call));
  };

  return {
    creation: (call) => {
      const isUnknown = call.outcome !== "known";
      if (!isUnknown && call.keyUse === "new" && unknown.size === 0) return;
      const { integration, noun, keyUse } = call;
      const id = keyOf(integration, noun, call.key);
      const isWatched = unknown.has(id);
      if (!isWatched && payments.size > 0) compare(call);
      if (!isUnknown) {
        if (keyUse !== "new") repeated.set(id, true);
        if (isWatched) learn(call, id);
        return;
      }
      // Another call with the key was handled: its client knows the outcome, or will.
      const isOtherHandled = call.status >= 400 && findByKey(integration, call.key) !== undefined;
      if (!isWatched && (keyUse !== "new" || repeated.get(id) || isOtherHandled)) return;
      const payment = paymentOf(call);
      unknown.set(id, { call: { ...call, body: undefined }, payment });
      if (payment !== undefined) payments.set(payment, id);
      tally.broken(integration, "unknown_outcome_not_retried", id, notRetriedEvidence(call));
    },
    reset: (integration) => {
      const prefix = prefixOf(integration);
      for (const id of unknown.keys()) if (id.startsWith(prefix)) forget(id);
      repeated.clear(prefix);
    },
  };
}

function paymentOf({ noun, integration, body }: SeenCreation): string | undefined {
  const json = noun === "payout" ? canonicalJson(body) : undefined;
  return json === undefined ? undefined : keyOf(integration, json);
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

function notRetriedEvidence(call: SeenCreation): () => Evidence {
  const { requestId, method, path, atMs } = call;
  const key = shortened(call.key);
  const how = learned(call);
  const command = loseOne(call);
  return () => ({
    atMs,
    text: say`${requestId} (${method} ${path}), ${how}, was not repeated with its key ${key}.`,
    requestId,
    command,
  });
}

function learned({ outcome, status }: SeenCreation) {
  return outcome === "lost" ? say`whose response was lost` : say`which failed with ${status}`;
}

/** Makes the same happen to the next such call. */
function loseOne({ noun, outcome }: SeenCreation): string {
  const effect = outcome === "lost" ? "lost_answer" : "error=EXTERNAL_ERROR";
  return `npx pix-sandbox faults add ${noun}s.create ${effect} --times 1`;
}
