import type { Payin } from "../core/records/payin.ts";
import type { Evidence } from "./finding.ts";
import type { Watch } from "./observation.ts";
import { keyOf, MAX_INTEGRATIONS, prefixOf, RecentMap, type Tally } from "./tally.ts";
import { rounded, say } from "../text/message.ts";

/** Real time: two equal charges within it are one that was created twice. */
const WITHIN_MS = 30_000;
/** How many charges are compared with a new one; the oldest are dropped first. */
export const MAX_COMPARED = 10_000;
/** Longer requests are not compared. */
const MAX_LENGTH = 4096;

interface Charge {
  readonly id: string;
  readonly idempotencyKey: string;
  readonly request: string;
  readonly realMs: number;
}

/**
 * Judges whether an equal charge is created again within seconds, while the first one waits for its payment.
 * A repeat with the same key creates none.
 */
export function repeatedCharges(tally: Tally): Watch {
  const recent = new RecentMap<Charge>(MAX_COMPARED);
  /** The integrations that have created a charge. */
  const charging = new RecentMap<true>(MAX_INTEGRATIONS);
  return {
    record: ({ noun, record, realMs }) => {
      const { integration, id, idempotencyKey, request, createdAtMs } = record;
      if (noun !== "payin" || request.length > MAX_LENGTH || record.status !== "waiting") return;
      const name = nameOf(record as Payin);
      const before = recent.get(name);
      recent.set(name, { id, idempotencyKey, request, realMs });
      const first = before?.request === request ? before : undefined;
      const isFirst = !charging.get(integration);
      if (isFirst) charging.set(integration, true);
      // A key can be used again after its retention.
      const isRepeated =
        first && first.idempotencyKey !== idempotencyKey && realMs - first.realMs <= WITHIN_MS;
      if (isRepeated)
        tally.broken(
          integration,
          "charge_created_twice",
          id,
          evidenceOf(id, first, createdAtMs, realMs),
        );
      else if (!isFirst) tally.kept(integration, "charge_created_twice");
    },
    settled: (payin) => {
      const name = nameOf(payin);
      // From now on the buyer buys the same again.
      if (recent.get(name)?.id === payin.id) recent.delete(name);
    },
    reset: (integration) => {
      recent.clear(prefixOf(integration));
      if (integration === null) charging.clear();
      else charging.delete(integration);
    },
  };
}

/** What equal charges have in common: shorter than the request, so that looking it up is cheap. */
function nameOf({ integration, buyerCpf, valueCents, description = "" }: Payin): string {
  return keyOf(integration, `${buyerCpf} ${valueCents} ${description}`);
}

function evidenceOf(id: string, first: Charge, atMs: number, realMs: number): () => Evidence {
  const { id: firstId } = first;
  const seconds = (realMs - first.realMs) / 1000;
  return () => ({
    atMs,
    text: say`Payin ${id} has the same body as ${firstId}, which was created ${rounded(seconds, 1)} s before with another key.`,
    transactionId: id,
    command: `npx pix-sandbox export --as curl --transaction ${id}`,
  });
}
