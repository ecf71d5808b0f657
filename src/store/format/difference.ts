import { type ListName, LISTS, type Trailer } from "./schema.ts";
import { type Formatted, grouped, joined, type Message, say } from "../../text/message.ts";

/** Describes how the lists of a file differ from what was written; `otherwise` if their lengths are the same. */
export function describeDifference(
  { counts }: Pick<Trailer, "counts">,
  found: ReadonlyMap<ListName, number>,
  otherwise: Message,
): Message {
  const differing = LISTS.filter((list) => (counts[list] ?? 0) !== (found.get(list) ?? 0));
  if (differing.length === 0) return otherwise;
  const write = (count = 0): Formatted => grouped(count);
  const changes = differing.map(
    (list) => say`${write(counts[list])} → ${write(found.get(list))} ${NOUNS[list]}`,
  );
  return joined(changes, ", ");
}

const NOUNS: Readonly<Record<ListName, Message>> = {
  webhookConfigurations: say`webhook configurations`,
  changedAssumptions: say`changed assumptions`,
  payins: say`payins`,
  payouts: say`payouts`,
  deliveries: say`deliveries`,
  faults: say`faults`,
};
