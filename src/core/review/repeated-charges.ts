import { BoundedMap } from "./bounded-map.ts";
import type { SeenRecord, Watch } from "./observation.ts";
import type { Tally } from "./tally.ts";

/** Real time: two equal charges within it are one that was created twice. */
const WITHIN_MS = 30_000;
/** How many charges are compared with a new one; the oldest is dropped first. */
const MAX_COMPARED = 5000;
/** Longer requests are not compared. */
const MAX_LENGTH = 4096;

/** Judges whether an equal charge is created again within seconds. A repeat with the same key creates none. */
export function repeatedCharges(tally: Tally): Watch {
  const recent = new BoundedMap<string, SeenRecord>(MAX_COMPARED);
  return {
    record: (created) => {
      const { noun, record, realMs } = created;
      if (noun !== "payin" || record.request.length > MAX_LENGTH) return;
      const { integration, id } = record;
      const charge = `${integration} ${record.request}`;
      const first = recent.get(charge);
      if (recent.size > 0 && !first) tally.kept(integration, "charge_created_twice");
      recent.set(charge, created);
      if (!first || realMs - first.realMs > WITHIN_MS) return;
      const seconds = ((realMs - first.realMs) / 1000).toFixed(1);
      tally.broken(integration, "charge_created_twice", id, {
        atMs: record.createdAtMs,
        text: {
          en: `Payin ${id} has the same body as ${first.record.id}, which was created ${seconds} s before with another key.`,
          pt: `O payin ${id} tem o mesmo corpo que ${first.record.id}, criado ${seconds} s antes com outra chave.`,
        },
        transactionId: id,
        command: `pix-sandbox export --as curl --transaction ${id}`,
      });
    },
    reset: (integration) => {
      for (const [charge, { record }] of recent)
        if (integration === null || record.integration === integration) recent.delete(charge);
    },
  };
}
