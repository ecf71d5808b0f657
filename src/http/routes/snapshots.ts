import * as z from "zod";
import { invalidFields } from "../../core/records/errors.ts";
import type { SnapshotChange } from "../../core/state/event-log.ts";
import type { SnapshotKey } from "../../core/state/ports.ts";
import { putsOf } from "../../core/state/records.ts";
import { isSnapshotName, WRONG_SNAPSHOT_NAME } from "../../wire/forms.ts";
import { toIso } from "../../wire/timestamp.ts";
import { toWireSnapshot } from "../../core/state/wire.ts";
import {
  DELETE_SNAPSHOT,
  LIST_SNAPSHOTS,
  RESET,
  RESTORE_SNAPSHOT,
  SAVE_SNAPSHOT,
} from "../../core/state/wire-routes.ts";
import { toAnswer } from "../calls/answer.ts";
import { readOptionalJson } from "../parse/body.ts";
import { type Call, readParameter } from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import { readToken } from "../calls/headers.ts";
import { unknownSnapshot } from "../calls/refusals.ts";
import { defineRoute } from "../definitions/route.ts";
import { clockMode, instant, listOf } from "../schemas/members.ts";
import { TIME } from "../schemas/samples.ts";
import { snapshot, snapshotExample } from "../schemas/snapshot.ts";

const resetAnswer = z
  .object({
    reset: z.literal(true),
    integration: z.string().nullable(),
    now: instant,
    mode: clockMode,
  })
  .meta({
    id: "Reset",
    description: "The reset is complete: nothing from before it is sent any more.",
    examples: [{ reset: true, integration: null, now: TIME, mode: "frozen" }],
  });

const snapshots = listOf(snapshot, {
  id: "Snapshots",
  description: "The snapshots: first those of all integrations, then those of each, by name.",
  example: snapshotExample,
});

const deletedSnapshot = z
  .object({
    deleted: z.literal(true),
    name: z.string(),
    integration: z.string().nullable(),
  })
  .meta({
    id: "DeletedSnapshot",
    description: "The snapshot is deleted.",
    examples: [{ deleted: true, name: "paid", integration: null }],
  });

export const routes = [
  defineRoute({
    at: RESET,
    id: "reset",
    tag: "Sandbox",
    summary:
      "Deletes records, keys, faults, the webhook configuration, changed assumptions and pending deliveries, aborts attempts in flight, and loads the fixtures again. Without `x-api-token` it also sets the clock back to its start. The secret, event numbers and snapshots stay.",
    caller: "integration",
    answer: resetAnswer,
    refusals: ["unwritable"],
    handle: async (call, { clockDriver, clock, fixtures, requests, sink }) => {
      await readOptionalJson(call);
      const integration = readToken(call);
      const setting = integration === null ? clock.start : clock.setting;
      await clockDriver.replace(integration, () => [
        ...(fixtures?.afresh(integration, clock.nowMsBy(setting)) ?? []),
        ...putsOf({ clock: integration === null ? [setting] : [] }),
      ]);
      requests.clear(integration);
      sink.clear(integration);
      const now = toIso(clock.nowMs());
      return toAnswer({ reset: true as const, integration, now, mode: clock.mode });
    },
  }),

  defineRoute({
    at: LIST_SNAPSHOTS,
    id: "listSnapshots",
    tag: "Sandbox",
    summary: "Lists the snapshots.",
    caller: "integration",
    answer: snapshots,
    refusals: ["unwritable"],
    handle: async (call, context) => {
      const found = await context.snapshots.list(readToken(call));
      return toAnswer({ data: found.map(toWireSnapshot), next: null });
    },
  }),

  defineRoute({
    at: SAVE_SNAPSHOT,
    id: "saveSnapshot",
    tag: "Sandbox",
    summary:
      "Stores all records of one integration, or of all integrations with the clock, under a name. It replaces a snapshot with that name.",
    caller: "integration",
    answer: snapshot,
    refusals: ["invalid", "unwritable"],
    handle: async (call, context) => {
      await readOptionalJson(call);
      const name = readParameter(call, "name");
      if (!isSnapshotName(name))
        throw invalidFields([
          { field: "name", code: "INVALID_VALUE", message: WRONG_SNAPSHOT_NAME },
        ]);
      const integration = readToken(call);
      const takenAtMs = context.clock.nowMs();
      const rows = await context.gateway.rowsOf(integration);
      const { payins = [], payouts = [], deliveries = [] } = rows;
      const saved = {
        name,
        integration,
        takenAtMs,
        payins: payins.length,
        payouts: payouts.length,
        deliveries: deliveries.length,
      };
      await context.snapshots.save(saved, rows);
      publish(context, { change: "saved", snapshot: saved });
      return toAnswer(toWireSnapshot(saved));
    },
  }),

  defineRoute({
    at: DELETE_SNAPSHOT,
    id: "deleteSnapshot",
    tag: "Sandbox",
    summary: "Deletes a snapshot.",
    caller: "integration",
    answer: deletedSnapshot,
    refusals: ["unknownSnapshot", "unwritable"],
    handle: async (call, context) => {
      await readOptionalJson(call);
      const key = readKey(call);
      if (!(await context.snapshots.delete(key))) throw unknownSnapshot(key.name);
      publish(context, { change: "deleted", snapshot: key });
      return toAnswer({ deleted: true as const, ...key });
    },
  }),

  defineRoute({
    at: RESTORE_SNAPSHOT,
    id: "restoreSnapshot",
    tag: "Sandbox",
    summary:
      "Replaces all records with those of the snapshot, then runs overdue tasks. The snapshot stays.",
    caller: "integration",
    answer: snapshot,
    refusals: ["unknownSnapshot", "damagedSnapshot", "unwritable"],
    handle: async (call, context) => {
      await readOptionalJson(call);
      const key = readKey(call);
      const found = await context.snapshots.load(key);
      if (!found) throw unknownSnapshot(key.name);
      const { snapshot: restored, rows } = found;
      await context.clockDriver.replace(key.integration, () => putsOf(rows));
      publish(context, { change: "restored", snapshot: restored });
      return toAnswer(toWireSnapshot(restored));
    },
  }),
];

function publish({ gateway }: Context, change: SnapshotChange): void {
  gateway.notices.publish({
    kind: "snapshot",
    integration: change.snapshot.integration,
    ...change,
  });
}

/** @throws HttpRefusal 404 for a name that no snapshot can have. */
function readKey(call: Call): SnapshotKey {
  const name = readParameter(call, "name");
  if (!isSnapshotName(name)) throw unknownSnapshot(name);
  return { name, integration: readToken(call) };
}
