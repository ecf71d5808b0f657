import type { AssumptionRow } from "../../core/assumptions/table.ts";
import type { WirePayin } from "../../core/records/payin.ts";
import type { WirePayout } from "../../core/records/payout.ts";
import type { WireDelivery, WireRequest } from "../../core/state/wire.ts";
import type { CommandClient } from "../client/command-client.ts";

/** What a sandbox stores about the past. */
export interface History {
  readonly payins: readonly WirePayin[];
  readonly payouts: readonly WirePayout[];
  readonly deliveries: readonly WireDelivery[];
  /** The newest requests only, in memory. */
  readonly requests: readonly WireRequest[];
  /** The choices that are not the default, by integration. */
  readonly assumptions: ReadonlyMap<string, Assumed>;
}

/** Choices by the names of their assumptions. */
export type Assumed = Readonly<Record<string, string | number>>;

/** Reads the history of an integration, or of all, as the client's token selects. */
export async function readHistory(
  client: Pick<CommandClient, "list">,
  clientOf: (token: string) => Pick<CommandClient, "control">,
): Promise<History> {
  const payins = await client.list<WirePayin>("/payins");
  const payouts = await client.list<WirePayout>("/payouts");
  const deliveries = await client.list<WireDelivery>("/deliveries");
  const requests = await client.list<WireRequest>("/requests");
  const tokens = new Set(
    [...payins, ...payouts, ...requests].flatMap(({ integration }) => integration ?? []),
  );
  const assumptions = new Map<string, Assumed>();
  for (const token of tokens) {
    const { data } = await clientOf(token).control<{ data: readonly AssumptionRow[] }>(
      "GET",
      "/assumptions",
    );
    const changed = data.filter((row) => row.choice !== row.default);
    assumptions.set(token, Object.fromEntries(changed.map(({ name, choice }) => [name, choice])));
  }
  return { payins, payouts, deliveries, requests, assumptions };
}
