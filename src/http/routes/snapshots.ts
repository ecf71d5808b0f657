import * as z from "zod";
import { invalidFields } from "../../core/records/errors.ts";
import type { SnapshotKey } from "../../core/state/ports.ts";
import { putsOf } from "../../core/state/records.ts";
import { toWireSnapshot } from "../../core/state/wire.ts";
import { isSnapshotName, WRONG_SNAPSHOT_NAME } from "../../wire/forms.ts";
import { toIso } from "../../wire/timestamp.ts";
import { say } from "../../text/message.ts";
import { HttpRefusal } from "../calls/refusals.ts";
import type { Context } from "../context/context.ts";
import { type Asked, route } from "../definitions/route.ts";
import { clockMode, instant, listOf } from "../schemas/members.ts";
import { snapshot } from "../schemas/rows.ts";

/** The state as a whole: resets and snapshots. */
export const snapshotRoutes = {
  "POST /reset": route({
    summary:
      "Deletes records, keys, faults, the webhook configuration, changed assumptions and pending deliveries, aborts attempts in flight, and loads the fixtures again. Without `x-api-token` it also sets the clock back to its start. The secret, event numbers and snapshots stay.",
    answer: z.object({
      reset: z.literal(true),
      integration: z.string().nullable(),
      now: instant,
      mode: clockMode,
    }),
    async run({ token }, { clockDriver, clock, fixtures, requests, sink }) {
      const setting = token === null ? clock.start : clock.setting;
      await clockDriver.replace(token, () => [
        ...(fixtures?.afresh(token, clock.nowMsBy(setting)) ?? []),
        ...putsOf({ clock: token === null ? [setting] : [] }),
      ]);
      requests.clear(token);
      sink.clear(token);
      const now = toIso(clock.nowMs());
      return { reset: true as const, integration: token, now, mode: clock.mode };
    },
  }),

  "GET /snapshots": route({
    summary: "Lists the snapshots: first those of all integrations, then those of each, by name.",
    answer: listOf(snapshot),
    async run({ token }, { snapshots }) {
      return { data: (await snapshots.list(token)).map(toWireSnapshot), next: null };
    },
  }),

  "PUT /snapshots/{name}": route({
    summary:
      "Stores all records of one integration, or of all integrations with the clock, under a name. It replaces a snapshot with that name.",
    answer: snapshot,
    async run({ id: name, token: integration }, context) {
      if (!isSnapshotName(name))
        throw invalidFields([
          { field: "name", code: "INVALID_VALUE", message: WRONG_SNAPSHOT_NAME },
        ]);
      const takenAtMs = context.clock.nowMs();
      const rows = await context.gateway.rowsOf(integration);
      const { transactions = [], deliveries = [] } = rows;
      const payins = transactions.filter(({ kind }) => kind === "payin").length;
      const saved = {
        name,
        integration,
        takenAtMs,
        payins,
        payouts: transactions.length - payins,
        deliveries: deliveries.length,
      };
      await context.snapshots.save(saved, rows);
      publish(context, "saved", saved, toWireSnapshot(saved));
      return toWireSnapshot(saved);
    },
  }),

  "DELETE /snapshots/{name}": route({
    summary: "Deletes a snapshot.",
    answer: z.object({
      deleted: z.literal(true),
      name: z.string(),
      integration: z.string().nullable(),
    }),
    async run(asked, context) {
      const key = keyOf(asked);
      if (!(await context.snapshots.delete(key))) throw unknownSnapshot(key.name);
      publish(context, "deleted", key, key);
      return { deleted: true as const, ...key };
    },
  }),

  "POST /snapshots/{name}/restore": route({
    summary:
      "Replaces all records with those of the snapshot, then runs overdue tasks. The snapshot stays.",
    answer: snapshot,
    async run(asked, context) {
      const key = keyOf(asked);
      const found = await context.snapshots.load(key);
      if (!found) throw unknownSnapshot(key.name);
      const { snapshot: restored, rows } = found;
      await context.clockDriver.replace(key.integration, () => putsOf(rows));
      publish(context, "restored", restored, toWireSnapshot(restored));
      return toWireSnapshot(restored);
    },
  }),
};

function publish(
  { gateway }: Context,
  change: "saved" | "restored" | "deleted",
  { integration }: SnapshotKey,
  shown: object,
): void {
  const data = { change, snapshot: shown };
  gateway.events.add({ kind: "snapshot", integration, toWire: () => data });
}

/** @throws HttpRefusal 404 for a name that no snapshot can have. */
function keyOf({ id: name, token: integration }: Asked): SnapshotKey {
  if (!isSnapshotName(name)) throw unknownSnapshot(name);
  return { name, integration };
}

function unknownSnapshot(name: string): HttpRefusal {
  return new HttpRefusal(
    404,
    say`There is no snapshot with the name ${name}; GET /_sandbox/snapshots lists the existing ones.`,
  );
}
