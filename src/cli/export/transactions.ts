import type { WirePayin } from "../../core/records/payin.ts";
import type { WirePayout } from "../../core/records/payout.ts";
import type { WireDelivery } from "../../core/state/wire.ts";
import type { History } from "./history.ts";
import { isFinalAnswer, type LoggedCall, readLog } from "./log.ts";
import type { Noun } from "./story.ts";

/** A payin or a payout with all that is known about its life. */
export interface Transaction {
  readonly noun: Noun;
  readonly record: WirePayin | WirePayout;
  readonly token: string;
  readonly createdMs: number;
  /** Null while it waits. */
  readonly settledMs: number | null;
  readonly deliveries: readonly WireDelivery[];
  /** The logged call that created it. */
  readonly creation: LoggedCall | undefined;
  /** The logged calls that repeated its creation. */
  readonly repeats: readonly LoggedCall[];
  /** The logged simulation that settled it. */
  readonly simulation: LoggedCall | undefined;
  /** Whom a payout pays: two of them to the same recipient are rivals. Undefined for a payin. */
  readonly recipient: string | undefined;
}

/** The transactions of a history, in the order of their creation, and the logged calls that changed none. */
export interface Lives {
  readonly transactions: readonly Transaction[];
  readonly calls: readonly LoggedCall[];
  /** How many logged calls the story cannot repeat. */
  readonly unread: number;
  /** How many calls concern transactions that do not exist any more. */
  readonly forgotten: number;
}

/** Joins the records of a history with the calls that caused them. */
export function readLives(history: History): Lives {
  const { calls, unread } = readLog(history.requests);
  const deliveries = byTransaction(history.deliveries);
  const creations = new Map<string, LoggedCall>();
  const repeats = new Map<string, LoggedCall[]>();
  const simulations = new Map<string, LoggedCall>();
  const known = new Map<string, WirePayin | WirePayout>(
    [...history.payins, ...history.payouts].map((record) => [record.id, record]),
  );
  const others: LoggedCall[] = [];
  let forgotten = 0;
  for (const call of calls) {
    const { kind, transactionId: id } = call;
    if (kind === "create" && id !== undefined) {
      if (!known.has(id)) forgotten += 1;
      else if (!call.isReplayed && !creations.has(id)) creations.set(id, call);
      else {
        repeats.set(id, [...(repeats.get(id) ?? []), call]);
        others.push(call);
      }
    } else if (kind === "simulate" && call.status === 200 && id !== undefined) {
      const record = known.get(id);
      if (!record) forgotten += 1;
      else if (!simulations.has(id) && record.status === call.simulated) simulations.set(id, call);
      else others.push(call);
    } else if (kind === "simulate" && id !== undefined && isFinalAnswer(call) && !known.has(id))
      forgotten += 1;
    else others.push(call);
  }
  const recipientOf = (payout: WirePayout): string => {
    const by = history.assumptions.get(payout.integration)?.["payout.recipient"];
    return by === "pix_key" ? payout.pix_key.toLowerCase() : payout.receiver_cpf;
  };
  const toTransaction = (noun: Noun, record: WirePayin | WirePayout): Transaction => ({
    noun,
    record,
    token: record.integration,
    createdMs: Date.parse(record.created_at),
    settledMs: record.settled_at === null ? null : Date.parse(record.settled_at),
    deliveries: deliveries.get(record.id) ?? [],
    creation: creations.get(record.id),
    repeats: repeats.get(record.id) ?? [],
    simulation: simulations.get(record.id),
    recipient: noun === "payout" ? recipientOf(record as WirePayout) : undefined,
  });
  const transactions = [
    ...history.payins.map((record) => toTransaction("payin", record)),
    ...history.payouts.map((record) => toTransaction("payout", record)),
  ];
  return {
    transactions: transactions.toSorted((one, other) => one.createdMs - other.createdMs),
    calls: others,
    unread,
    forgotten,
  };
}

function byTransaction(deliveries: readonly WireDelivery[]): Map<string, WireDelivery[]> {
  const groups = new Map<string, WireDelivery[]>();
  for (const one of deliveries) {
    const group = groups.get(one.transaction_id);
    if (group) group.push(one);
    else groups.set(one.transaction_id, [one]);
  }
  return groups;
}

/** One transaction with its causes: the payouts that were its rivals when it was created, and theirs. */
export function causesOf(id: string, { transactions }: Lives): ReadonlySet<string> {
  const chosen = new Set<string>();
  const choose = (one: Transaction): void => {
    if (chosen.has(one.record.id)) return;
    chosen.add(one.record.id);
    for (const other of transactions) if (isRivalOf(one, other)) choose(other);
  };
  const start = transactions.find(({ record }) => record.id === id);
  if (start) choose(start);
  return chosen;
}

/** Whether `earlier` may have been in progress when `payout` was created. */
export function isRivalOf(payout: Transaction, earlier: Transaction): boolean {
  return (
    payout !== earlier &&
    payout.recipient !== undefined &&
    payout.recipient === earlier.recipient &&
    payout.token === earlier.token &&
    earlier.createdMs <= payout.createdMs &&
    (earlier.settledMs === null || earlier.settledMs >= payout.createdMs)
  );
}

/** Whether a payin expired by itself, when its time had come. */
export function hasExpired({ record, settledMs }: Transaction): boolean {
  return (
    "expires_at" in record &&
    record.status === "expired" &&
    settledMs !== null &&
    settledMs >= Date.parse(record.expires_at)
  );
}
