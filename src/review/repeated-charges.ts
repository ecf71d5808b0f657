import type { Payin } from "../core/records/transaction.ts";
import { toEpochMs } from "../wire/timestamp.ts";
import type { Evidence } from "./finding.ts";
import type { Watch } from "./observation.ts";
import { keyOf, MAX_INTEGRATIONS, prefixOf, RecentMap, type Tally } from "./tally.ts";
import { rounded, say } from "../text/message.ts";

/** Real time: two equal charges within it are one that was created twice. */
const WITHIN_MS = 30_000;
/** How many charges are compared with a new one; the oldest are dropped first. */
const MAX_COMPARED = 10_000;
/** Longer requests are not compared. */
const MAX_LENGTH = 4096;

interface Charge {
  readonly id: string;
  readonly idempotencyKey: string;
  readonly request: string;
  readonly realMs: number;
  /** Whether its client never got the response. */
  isUnknown: boolean;
}

/**
 * Judges whether an equal charge is created again within seconds, while the first one waits for its payment.
 * A repeat with the same key creates none. Both can be wanted, such as two tickets: only a lost response, or a
 * description that names an order, shows that they are one. Keys that name an order each show that they are two.
 */
export function repeatedCharges(tally: Tally): Watch {
  const recent = new RecentMap<Charge>(MAX_COMPARED);
  /** What the charges with a description have in common; empty if several buyers have it: it names a product. */
  const described = new RecentMap<string>(MAX_COMPARED);
  /** The integrations that have created a charge. */
  const charging = new RecentMap<true>(MAX_INTEGRATIONS);
  /** That of the newest call, which can be repeated. */
  let newest: Charge | undefined;
  return {
    creation: ({ key, outcome, endedAtMs: realMs }, created) => {
      const isUnknown = outcome !== "known";
      if (newest?.idempotencyKey === key) newest.isUnknown = isUnknown;
      if (created?.kind !== "payin") return;
      const { record, key: idempotencyKey, request } = created;
      const { integration, id, created_at, description = "" } = record;
      if (request.length > MAX_LENGTH || record.status !== "waiting") return;
      const name = nameOf(record);
      const order = keyOf(integration, description);
      const hasNumber = namesOrder(description);
      const isOrder = hasNumber && [undefined, name].includes(described.get(order));
      const before = recent.get(name);
      newest = { id, idempotencyKey, request, realMs, isUnknown };
      recent.set(name, newest);
      const first = before?.request === request ? before : undefined;
      const isFirst = !charging.get(prefixOf(integration));
      if (isFirst) charging.set(prefixOf(integration), true);
      const rule = "charge_created_twice";
      if (hasNumber) described.set(order, isOrder ? name : "");
      if (!isOrder) tally.withdrawn(integration, rule, order);
      // A key can be used again after its retention.
      const isEqual =
        first && first.idempotencyKey !== idempotencyKey && realMs - first.realMs <= WITHIN_MS;
      const hasRandomKey = isEqual && [first.idempotencyKey, idempotencyKey].some(isRandom);
      if (isEqual && (first.isUnknown || (isOrder && hasRandomKey)))
        tally.broken(
          integration,
          rule,
          first.isUnknown ? id : order,
          evidenceOf(id, first, toEpochMs(created_at), realMs),
        );
      else if (!isFirst && !hasRandomKey) tally.kept(integration, rule);
    },
    settled: (payin) => {
      const name = nameOf(payin);
      // From now on the buyer buys the same again.
      if (recent.get(name)?.id === payin.id) recent.delete(name);
    },
    reset: (integration) => {
      for (const map of [recent, described, charging]) map.clear(prefixOf(integration));
    },
  };
}

/** Whether a description has the number of an order, so that two of its records are for one. A year is none. */
export function namesOrder(description: string): boolean {
  return /\d/.test(description.replaceAll(/(?<!\d)20[23]\d(?!\d)/g, ""));
}

/** Whether a key looks made for one call, not derived from an order: a random id, or a time. */
function isRandom(key: string): boolean {
  const uuid =
    /(?<![\da-f])[\da-f]{8}-?[\da-f]{4}-?([\da-f])[\da-f]{3}-?[\da-f]{4}-?[\da-f]{12}(?![\da-f])/i.exec(
      key,
    );
  // Versions 3 and 5 are hashes of a name.
  if (uuid) return !["3", "5"].includes(uuid[1] ?? "");
  if (/^[\da-f]{40}(?:[\da-f]{24})?$/i.test(key)) return false;
  return (
    /(?<!\d)1\d{12}(?!\d)/.test(key) ||
    /^(?=.*\d)(?=.*[a-z])[\w-]{16,}$/i.test(key.replace(WORDS, ""))
  );
}

/** The parts of a key that are words or short numbers: a person chose them. */
const WORDS = /(?<![^_-])(?:[a-z]+|\d{1,10})(?:[_-]|$)/gi;

/** What equal charges have in common: shorter than the request, so that looking it up is cheap. */
function nameOf({ integration, buyer_cpf, value, description = "" }: Payin): string {
  return keyOf(integration, `${buyer_cpf} ${value} ${description}`);
}

function evidenceOf(id: string, first: Charge, atMs: number, realMs: number): () => Evidence {
  const { id: firstId } = first;
  const seconds = (realMs - first.realMs) / 1000;
  return () => ({
    atMs,
    text: say`Payin ${id} has the same body as ${firstId}, which was created ${rounded(seconds, 1)} s before with another key.`,
    transactionId: id,
    command: `npx pix-sandbox payin show ${id}`,
  });
}
