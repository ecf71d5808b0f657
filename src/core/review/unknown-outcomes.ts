import { BoundedMap } from "./bounded-map.ts";
import type { SeenCreation, Watch } from "./observation.ts";
import { canonicalJson } from "./same-json.ts";
import type { Tally } from "./tally.ts";

/** How many unknown outcomes are watched; the oldest is dropped first. */
const MAX_UNKNOWN = 1000;

/** A creation whose client does not know what became of it. */
interface Unknown {
  readonly call: SeenCreation;
  /** Undefined if the body is not JSON. */
  readonly body: string | undefined;
  /** Whether the key was used again. */
  isRetried: boolean;
}

/** Judges whether a call with an unknown outcome is repeated with its key, and a payout never with another one. */
export function unknownOutcomes(tally: Tally): Watch {
  const unknown = new BoundedMap<string, Unknown>(MAX_UNKNOWN);

  const repeatedUnderNewKey = (call: SeenCreation): void => {
    if (call.noun !== "payout" || unknown.size === 0) return;
    const body = canonicalJson(call.body);
    if (body === undefined) return;
    for (const { call: first, body: firstBody, isRetried } of unknown.values()) {
      const isSame = first.noun === "payout" && first.integration === call.integration;
      if (!isSame || isRetried || firstBody !== body) continue;
      tally.broken(call.integration, "payout_new_key_after_failure", call.requestId, {
        atMs: call.atMs,
        text: {
          en: `${call.requestId} repeats the payout of ${first.requestId}, ${learned(first).en}, under the new key ${call.key}.`,
          pt: `${call.requestId} repete o payout de ${first.requestId}, ${learned(first).pt}, com a chave nova ${call.key}.`,
        },
        requestId: call.requestId,
        command: loseOne(first),
      });
      return;
    }
  };

  return {
    creation: (call) => {
      const id = `${call.integration} ${call.noun} ${call.key}`;
      const first = unknown.get(id);
      if (first) {
        first.isRetried = true;
        tally.mended(call.integration, "unknown_outcome_not_retried", id);
        if (call.noun === "payout") tally.kept(call.integration, "payout_new_key_after_failure");
      } else repeatedUnderNewKey(call);
      if (call.outcome !== "unknown" || first) return;
      unknown.set(id, { call, body: canonicalJson(call.body), isRetried: false });
      tally.broken(call.integration, "unknown_outcome_not_retried", id, {
        atMs: call.atMs,
        text: {
          en: `${call.requestId} (${call.method} ${call.path}), ${learned(call).en}, was not repeated with its key ${call.key}.`,
          pt: `${call.requestId} (${call.method} ${call.path}), ${learned(call).pt}, não foi repetida com a chave ${call.key}.`,
        },
        requestId: call.requestId,
        command: loseOne(call),
      });
    },
    reset: (integration) => {
      for (const [id, { call }] of unknown)
        if (integration === null || call.integration === integration) unknown.delete(id);
    },
  };
}

function learned({ status }: SeenCreation) {
  return status < 400
    ? { en: "whose response was lost", pt: "cuja resposta se perdeu" }
    : { en: `which failed with ${status}`, pt: `que falhou com ${status}` };
}

/** Makes the same happen to the next such call. */
function loseOne({ noun, status }: SeenCreation): string {
  const effect = status < 400 ? "lost_answer" : "error=EXTERNAL_ERROR";
  return `pix-sandbox faults add ${noun}s.create ${effect} --times 1`;
}
