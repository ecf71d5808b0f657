import type { WireDelivery } from "../../core/state/wire.ts";
import { ID } from "../records/columns.ts";
import { localize } from "../terminal/language.ts";
import { outcomeOf } from "../output/render.ts";
import { type Table, toTableTime } from "../terminal/table.ts";
import { say } from "../../text/message.ts";

/** Webhooks, each with the outcome of its last attempt. */
export const DELIVERIES: Table<WireDelivery> = {
  none: say`No webhooks.`,
  columns: [
    ID,
    { title: say`TYPE`, text: ({ type }) => type },
    {
      title: "STATUS",
      // On a terminal a pending webhook shows when its next attempt is due. A due one is being sent.
      text: ({ status, next_attempt_at }, look) => {
        if (next_attempt_at === null || look.nowMs === undefined) return status;
        return Date.parse(next_attempt_at) <= look.nowMs
          ? localize(say`sending`)
          : `${status}, ${toTableTime(next_attempt_at, look)}`;
      },
      isFailure: ({ status }) => status === "failed",
    },
    {
      title: say`ATTEMPTS`,
      text: ({ attempts }) => String(attempts.length),
    },
    {
      title: say`LAST`,
      text: ({ attempts }) => {
        const last = attempts.at(-1);
        return last ? outcomeOf(last) : "-";
      },
      least: 8,
    },
    {
      title: say`TRANSACTION`,
      text: ({ transaction_id }) => transaction_id,
      isId: true,
    },
    { title: "URL", text: ({ url }) => url, least: 16 },
  ],
};
