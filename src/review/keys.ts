import { isSameJson } from "../wire/json.ts";
import type { Payin } from "../core/records/payin.ts";
import type { Payout } from "../core/records/payout.ts";
import type { Evidence } from "./finding.ts";
import type { SeenCreation, Watch } from "./observation.ts";
import { shortened } from "./shortened.ts";
import type { Tally } from "./tally.ts";
import { say } from "../text/message.ts";

/** Finds the record for which an integration has used a key. */
export type FindByKey = (integration: string, key: string) => Payin | Payout | undefined;

/** Judges whether an idempotency key is used for one request only. */
export function keys(tally: Tally, findByKey: FindByKey): Watch {
  return {
    creation: (call) => {
      if (call.keyUse === "new") return;
      const { integration, requestId } = call;
      const isOther = isOtherRequest(call, findByKey(integration, call.key));
      if (isOther === undefined) return;
      if (!isOther) return tally.kept(integration, "key_reused_with_other_body");
      tally.broken(integration, "key_reused_with_other_body", requestId, evidenceOf(call));
    },
  };
}

/**
 * Whether a call differs from the one that created the record; undefined if that cannot be known: the record is
 * gone, or the body is too long for the request log.
 */
function isOtherRequest(
  { noun, body }: SeenCreation,
  record: Payin | Payout | undefined,
): boolean | undefined {
  if (!record) return undefined;
  if ("buyerCpf" in record !== (noun === "payin")) return true;
  try {
    return !isSameJson(record.request, body ?? "");
  } catch {
    return undefined;
  }
}

function evidenceOf(call: SeenCreation): () => Evidence {
  const { requestId, method, path, atMs } = call;
  const key = shortened(call.key);
  return () => ({
    atMs,
    text: say`${requestId} (${method} ${path}) used the key ${key} of another request.`,
    requestId,
    command: "npx pix-sandbox requests",
  });
}
