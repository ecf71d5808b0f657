import { invalidFields } from "../../core/errors.ts";
import type { SnapshotKey } from "../../core/ports.ts";
import { toIso } from "../../core/time/timestamp.ts";
import { toWireSnapshot } from "../../core/wire.ts";
import { readOptionalJson } from "../body.ts";
import { type Call, readParameter } from "../call.ts";
import type { Context } from "../context.ts";
import { type Answer, toAnswer } from "../answer.ts";
import { readToken } from "../token.ts";
import { unknownSnapshot } from "../refusals.ts";

type Handler = (call: Call) => Promise<Answer>;

/** A name that every file system takes, and tells from every other. */
export const SNAPSHOT_NAME = "^[a-z0-9][a-z0-9._-]{0,63}$";
const nameRule = new RegExp(SNAPSHOT_NAME);

/** `POST /_sandbox/reset`: when it answers there are the fixtures alone, and nothing of what there was is sent any more. */
export function reset({ clockDriver, clock, fixtures, requests }: Context): Handler {
  return async (call) => {
    await readOptionalJson(call);
    const integration = readToken(call);
    const setting = integration === null ? clock.start : clock.setting;
    await clockDriver.replace(integration, () => ({
      ...fixtures?.afresh(integration, clock.nowMsBy(setting)),
      ...(integration === null && { clock: setting }),
    }));
    requests.clear(integration);
    return toAnswer({ reset: true, integration, now: toIso(clock.nowMs()), mode: clock.mode });
  };
}

/** `GET /_sandbox/snapshots`. */
export function listSnapshots({ snapshots }: Context): Handler {
  return async (call) => {
    const found = await snapshots.list(readToken(call));
    return toAnswer({ data: found.map(toWireSnapshot), next: null });
  };
}

/** `PUT /_sandbox/snapshots/{name}`: of one integration, or of all and the clock. */
export function saveSnapshot({ gateway, clock, snapshots }: Context): Handler {
  return async (call) => {
    await readOptionalJson(call);
    const name = nameIn(call);
    if (!nameRule.test(name))
      throw invalidFields([{ field: "name", code: "INVALID_VALUE", message: WRONG_NAME }]);
    const integration = readToken(call);
    const takenAtMs = clock.nowMs();
    const rows = await gateway.rowsOf(integration);
    const { payins = [], payouts = [], deliveries = [] } = rows;
    const snapshot = {
      name,
      integration,
      takenAtMs,
      payins: payins.length,
      payouts: payouts.length,
      deliveries: deliveries.length,
    };
    await snapshots.save(snapshot, rows);
    return toAnswer(toWireSnapshot(snapshot));
  };
}

/** `DELETE /_sandbox/snapshots/{name}`. */
export function deleteSnapshot({ snapshots }: Context): Handler {
  return async (call) => {
    await readOptionalJson(call);
    const key = readKey(call);
    if (!(await snapshots.delete(key))) throw unknownSnapshot(key.name);
    return toAnswer({ deleted: true, ...key });
  };
}

/** `POST /_sandbox/snapshots/{name}/restore`: a reset, after which all is as it was when the snapshot was taken. */
export function restoreSnapshot({ clockDriver, snapshots }: Context): Handler {
  return async (call) => {
    await readOptionalJson(call);
    const key = readKey(call);
    const found = await snapshots.load(key);
    if (!found) throw unknownSnapshot(key.name);
    await clockDriver.replace(key.integration, () => found.rows);
    return toAnswer(toWireSnapshot(found.snapshot));
  };
}

/** @throws HttpRefusal 404 for what can be no snapshot's name. */
function readKey(call: Call): SnapshotKey {
  const name = nameIn(call);
  if (!nameRule.test(name)) throw unknownSnapshot(name);
  return { name, integration: readToken(call) };
}

function nameIn(call: Call): string {
  return readParameter(call, "name");
}

const WRONG_NAME = {
  en: "name must be 1 to 64 small letters, digits, dots, hyphens and underscores, a letter or digit first.",
  pt: "name deve ter de 1 a 64 letras minúsculas, dígitos, pontos, hífens e sublinhados, começando com letra ou dígito.",
};
