import type { WireRequest } from "../../core/state/wire.ts";
import type { Calls } from "../../client/calls.ts";
import { localize } from "../terminal/language.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { say } from "../../text/message.ts";

/** The number of all records, and of those with each status. */
type Counts = Readonly<Record<string, number>> & { readonly total: number };

/** A summary of the stored records and requests of a sandbox. */
export interface Summary {
  readonly type: "report";
  readonly payins: Counts;
  readonly payouts: Counts;
  readonly webhooks: Counts;
  readonly requests: { readonly total: number; readonly refused: number };
  /** Each kind of refusal, most frequent first. */
  readonly refusals: readonly Refusal[];
}

interface Refusal {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly message: string;
  readonly count: number;
}

/** Waits until no webhook is in flight or due, then counts. */
export async function readSummary(client: Calls): Promise<Summary> {
  await client.call("POST /settle");
  const requests = await client.list("GET /requests");
  const refused = requests.filter(({ status }) => status >= 400);
  return {
    type: "report",
    payins: count(await client.list("GET /payins")),
    payouts: count(await client.list("GET /payouts")),
    webhooks: count(await client.list("GET /deliveries")),
    requests: { total: requests.length, refused: refused.length },
    refusals: group(refused),
  };
}

export function renderSummary({ payins, payouts, webhooks, requests, refusals }: Summary): string {
  return [
    line("payins", payins),
    line("payouts", payouts),
    line("webhooks", webhooks),
    line(localize(say`requests`), {
      total: requests.total,
      [localize(say`refused`)]: requests.refused,
    }),
    ...refusals
      .slice(0, SHOWN_REFUSALS)
      .map(({ method, path, status, message, count: times }) =>
        toSafeLine(`  ${times} × ${method} ${path}  ${status}  ${message}`),
      ),
    ...(refusals.length > SHOWN_REFUSALS ? ["  …"] : []),
  ].join("\n");
}

const SHOWN_REFUSALS = 10;

function count(records: readonly { readonly status: string }[]): Counts {
  const counts: Record<string, number> & { total: number } = { total: records.length };
  for (const { status } of records) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function group(refused: readonly WireRequest[]): Refusal[] {
  const groups = new Map<string, Refusal>();
  for (const { method, path, status, message: why } of refused) {
    const message = why ?? "";
    const key = JSON.stringify([method, path, status, message]);
    const times = (groups.get(key)?.count ?? 0) + 1;
    groups.set(key, { method, path, status, message, count: times });
  }
  return [...groups.values()].toSorted((one, other) => other.count - one.count);
}

function line(name: string, { total, ...counts }: Counts): string {
  const parts = Object.entries(counts).map(([status, number]) => `${number} ${status}`);
  return `${name.padEnd(Math.max(9, localize(say`requests`).length))} ${String(total).padStart(4)}   ${parts.join(", ")}`.trimEnd();
}
