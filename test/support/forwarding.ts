import { expect } from "vitest";
import { type Calls, callsTo } from "./calls.ts";
import { type Serving, startCli } from "./cli.ts";
import { type Merchant, startMerchant } from "./merchant.ts";
import type { Program } from "./process.ts";

/** How many payins are created, or paid, at once. */
const CALLERS = 8;

/** Where webhooks are forwarded to: it counts them. */
export interface Target extends AsyncDisposable {
  readonly merchant: Merchant;
  /** The ids of all that came, in the order in which they came. */
  readonly ids: readonly string[];
  /** Resolves once so many have come, one that came twice counted twice. */
  arrivals(count: number): Promise<unknown>;
  /** Resolves once so many different ones have come. */
  distinct(count: number): Promise<void>;
}

export async function startTarget(answer: "hold" | 200 = 200): Promise<Target> {
  const merchant = await startMerchant({ answer });
  const idsOf = (): string[] => merchant.received.map(({ headers }) => headers["webhook-id"] ?? "");
  return {
    merchant,
    get ids() {
      return idsOf();
    },
    arrivals: (count) => merchant.waitFor(count),
    distinct: async (count) => {
      let missing: number;
      while ((missing = count - new Set(idsOf()).size) > 0)
        await merchant.waitFor(merchant.received.length + missing);
    },
    [Symbol.asyncDispose]: () => merchant.close(),
  };
}

export function startTail(url: string, ...args: string[]): Program {
  return startCli(["webhooks", "tail", "--url", url, ...args]);
}

export function isConnected(line: string): boolean {
  return line.startsWith("Connected");
}

export async function createPayins(calls: Calls, webhook_url: string, count: number) {
  const ids: string[] = [];
  await eachAtOnce(Array.from({ length: count }), async () => {
    const { body } = await calls.createPayin({ webhook_url, expiration: 172_800 });
    ids.push(body.id);
  });
  return ids;
}

export async function payAll(calls: Calls, webhookUrl: string, count: number): Promise<void> {
  for (const id of await createPayins(calls, webhookUrl, count)) await calls.simulate("payin", id);
}

/** Asks until somebody answers: a sandbox that is killed answers nothing, and the next one knows what it did. */
export async function payWhoeverIsThere(
  id: string,
  current: () => Promise<Serving>,
): Promise<void> {
  for (;;) {
    const { url } = await current();
    try {
      const { status } = await callsTo(url).simulate("payin", id);
      expect([200, 422]).toContain(status);
      return;
    } catch (error) {
      // What fetch throws for a connection that fails.
      if (!(error instanceof TypeError)) throw error;
    }
  }
}

export async function eachAtOnce<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
): Promise<void> {
  const left = items.values();
  const work = async (): Promise<void> => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: CALLERS }, work));
}

/** Each attempt that was printed, by the id of its delivery and its number. */
export function attemptsIn(stdout: string): string[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: string; attempt_number?: number })
    .filter(({ attempt_number }) => attempt_number !== undefined)
    .map(({ id, attempt_number }) => `${id} ${attempt_number}`);
}
