import type { State } from "../../core/state/ports.ts";
import { HeaderError } from "./header.ts";
import type { StateSink } from "./state-sink.ts";
import { say } from "../../text/message.ts";

/** A sink that fills an empty state with what is read. The last of several records with an id counts. */
export function fillState(state: State, damage: StateSink["damage"]): StateSink {
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
    rows: (list, rows) => records.apply({ [list]: rows }),
    damage,
  };
}

const IS_SNAPSHOT = say`it is a snapshot, not a state file`;
