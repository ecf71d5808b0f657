import { toEpochMs, toIso } from "../../wire/timestamp.ts";
import type { Experiment } from "./experiment.ts";
import { describeMove, UNMOVED } from "./moves.ts";
import { newEventId, signEvent } from "./webhook.ts";
import { say } from "../../text/message.ts";

/** How much older the event is. */
const AGE_MS = 60_000;

export const olderEvent: Experiment = {
  rule: "older_event_overwrites",
  what: say`an older payin.expired after it`,
  expected: UNMOVED,
  run: async (shop) => {
    const { after, ...order } = await shop.payOnce();
    const { data, created_at } = order.event;
    const older = {
      id: newEventId(),
      type: "payin.expired",
      created_at: toIso(toEpochMs(created_at) - AGE_MS),
      data: { ...data, status: "expired", end_to_end_id: null, settled_at: null },
    };
    await shop.send(signEvent(older, order.secret));
    const later = await shop.unmovedEffect(order, after);
    return later === after ? undefined : describeMove(after, later);
  },
};
