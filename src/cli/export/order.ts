import type { LoggedCall } from "./log.ts";
import { type Lives, type Transaction } from "./transactions.ts";

/** Something that happened: a creation, a final status, or a call that changed nothing. */
export type Happening = {
  readonly atMs: number;
  readonly token: string;
} & (
  | { readonly kind: "created" | "settled"; readonly transaction: Transaction }
  | { readonly kind: "called"; readonly call: LoggedCall; readonly of: Transaction | undefined }
);

interface Node {
  readonly happening: Happening;
  /** Its rank among those of the same time. */
  readonly rank: number;
  /** Its position in the log, if it is in the log. */
  readonly position: number | undefined;
  /** What came before it. */
  readonly after: Set<Node>;
}

/**
 * Puts what happened in the order of cause. Times alone do not tell: on a frozen clock many things have the same one.
 * The order of the lists and of the request log, and which payouts are rivals, decide then.
 */
export function inOrderOfCause({ transactions, calls }: Lives): Happening[] {
  const nodes: Node[] = [];
  const created = new Map<Transaction, Node>();
  const settled = new Map<Transaction, Node>();
  const add = (happening: Happening, position?: number): Node => {
    const node = { happening, rank: nodes.length, position, after: new Set<Node>() };
    nodes.push(node);
    return node;
  };
  for (const transaction of transactions) {
    const { createdMs, settledMs, creation, simulation, token } = transaction;
    const birth = add({ kind: "created", atMs: createdMs, token, transaction }, creation?.position);
    created.set(transaction, birth);
    if (settledMs === null) continue;
    const end = add({ kind: "settled", atMs: settledMs, token, transaction }, simulation?.position);
    end.after.add(birth);
    settled.set(transaction, end);
  }
  const byId = new Map(transactions.map((one) => [one.record.id, one]));
  const byKey = new Map<string, Transaction>();
  for (const one of transactions)
    if (one.creation) byKey.set(JSON.stringify([one.token, one.creation.key]), one);
  for (const call of calls) {
    const { atMs, token, position, transactionId, code, key } = call;
    const of =
      byId.get(transactionId ?? "") ??
      (code === "DUPLICATED_VALUE" ? byKey.get(JSON.stringify([token, key])) : undefined);
    const node = add({ kind: "called", atMs, token, call, of }, position);
    const birth = of && created.get(of);
    if (birth) node.after.add(birth);
    const end = of && settled.get(of);
    if (end && call.kind === "simulate" && end.happening.atMs <= atMs && !call.isInjected)
      node.after.add(end);
    // A payout was refused for one that was in progress.
    const rival = isRefusedForRival(call) && transactions.find((one) => wasRival(one, call));
    if (rival) {
      const [rivalBirth, rivalEnd] = [created.get(rival), settled.get(rival)];
      if (rivalBirth) node.after.add(rivalBirth);
      rivalEnd?.after.add(node);
    }
  }
  chain(nodes.filter(({ position }) => position !== undefined));
  for (const noun of ["payin", "payout"] as const) {
    const births = transactions.filter((one) => one.noun === noun).map((one) => created.get(one));
    for (const [index, birth] of births.entries()) {
      const before = births[index - 1];
      if (before) birth?.after.add(before);
    }
  }
  orderRivals(transactions, created, settled);
  return sorted(nodes).map(({ happening }) => happening);
}

function isRefusedForRival({ kind, noun, code, isInjected }: LoggedCall): boolean {
  return kind === "create" && noun === "payout" && code === "NOT_PROCESSABLE" && !isInjected;
}

/** Whether a payout may have been in progress when another to its recipient was refused. */
function wasRival(
  { token, recipient, createdMs, settledMs, record }: Transaction,
  call: LoggedCall,
) {
  const { receiver_cpf: cpf, pix_key: key } = Object(call.body) as Record<string, unknown>;
  return (
    recipient !== undefined &&
    token === call.token &&
    "pix_key" in record &&
    (record.receiver_cpf === cpf || record.pix_key === key) &&
    createdMs <= call.atMs &&
    (settledMs === null || settledMs >= call.atMs)
  );
}

/** Each node comes after the one before it in the log. */
function chain(logged: readonly Node[]): void {
  const inLog = logged.toSorted((one, other) => Number(one.position) - Number(other.position));
  for (const [index, node] of inLog.entries()) {
    const before = inLog[index - 1];
    if (before) node.after.add(before);
  }
}

/** A payout that lived was created after its earlier rivals had ended; one that was canceled at once, before. */
function orderRivals(
  transactions: readonly Transaction[],
  created: ReadonlyMap<Transaction, Node>,
  settled: ReadonlyMap<Transaction, Node>,
): void {
  const lastByRecipient = new Map<string, Transaction>();
  for (const payout of transactions) {
    if (payout.recipient === undefined) continue;
    const group = JSON.stringify([payout.token, payout.recipient]);
    const before = lastByRecipient.get(group);
    const birth = created.get(payout);
    if (before && birth) {
      const end = settled.get(before);
      const endMs = end?.happening.atMs ?? Number.POSITIVE_INFINITY;
      const hasEnded =
        endMs < payout.createdMs ||
        (end?.position !== undefined &&
          birth.position !== undefined &&
          end.position < birth.position);
      if (isCanceledAtOnce(payout) && !hasEnded) {
        end?.after.add(birth);
        continue;
      }
      if (end && endMs <= payout.createdMs) birth.after.add(end);
    }
    lastByRecipient.set(group, payout);
  }
}

/** Whether a payout was canceled in the moment of its creation, and not by a simulation. */
function isCanceledAtOnce({ record, createdMs, settledMs, simulation }: Transaction): boolean {
  return record.status === "canceled" && settledMs === createdMs && simulation === undefined;
}

/** Sorts by time, but each node after those that came before it. Ignores what contradicts itself. */
function sorted(nodes: readonly Node[]): Node[] {
  const result: Node[] = [];
  const seen = new Set<Node>();
  const visit = (start: Node): void => {
    // A stack of its own: a chain can be longer than the stack of calls.
    const stack = [{ node: start, left: [...start.after] }];
    seen.add(start);
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const next = top.left.pop();
      if (next === undefined) {
        result.push(top.node);
        stack.pop();
      } else if (!seen.has(next)) {
        seen.add(next);
        stack.push({ node: next, left: [...next.after] });
      }
    }
  };
  const byTime = nodes.toSorted(
    (one, other) => one.happening.atMs - other.happening.atMs || one.rank - other.rank,
  );
  for (const node of byTime) if (!seen.has(node)) visit(node);
  return result;
}
