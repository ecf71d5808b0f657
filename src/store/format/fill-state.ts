import type { State } from "../../core/state/ports.ts";
import type { RecordList } from "../errors.ts";
import { HeaderError } from "./header.ts";
import type { ListName } from "./schema.ts";
import type { StateSink } from "./state-sink.ts";
import { type Message, say } from "../../text/message.ts";

/**
 * A sink that fills an empty state with what is read.
 * @param on.twice a record that was read before; the last one counts
 */
export function fillState(
  state: State,
  on: {
    readonly damage: (line: number, reason: Message) => void;
    readonly changed?: (how: Message) => void;
    readonly twice?: (list: RecordList, id: string) => void;
  },
): StateSink {
  const { records } = state;
  return {
    header: ({ sequence, lastEventNumber, lastFaultOrdinals, clock, identity, snapshot }) => {
      if (snapshot) throw new HeaderError(IS_SNAPSHOT);
      state.sequence = sequence;
      records.continueAfter(lastEventNumber);
      records.apply({
        ...(lastFaultOrdinals && { lastFaultOrdinals }),
        ...(clock && { clock }),
        ...(identity && { identity }),
      });
    },
    rows: (list, rows) => {
      if (!isRecordList(list)) {
        records.apply({ [list]: rows });
        return;
      }
      const { size, end } = records[list];
      records.apply({ [list]: rows });
      if (!on.twice || records[list].size === size + rows.length) return;
      const ids = new Set<string>();
      for (const { id } of rows as readonly { readonly id: string }[]) {
        if (ids.has(id) || (records[list].placeOf(id) ?? end) < end) on.twice(list, id);
        ids.add(id);
      }
    },
    changed: (how) => on.changed?.(how),
    damage: (line, reason) => on.damage(line, reason),
  };
}

function isRecordList(list: ListName): list is RecordList {
  return list === "payins" || list === "payouts" || list === "deliveries";
}

const IS_SNAPSHOT = say`it is a snapshot, not a state file`;
