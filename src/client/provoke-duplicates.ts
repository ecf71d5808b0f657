import { LocalizedError } from "../core/records/errors.ts";
import type { Evidence, Observed } from "../review/finding.ts";
import type { RuleId } from "../review/rules.ts";
import { isSuccess } from "../review/webhook-answer.ts";
import { isSinkUrl } from "../wire/sink-path.ts";
import { fromIso } from "../wire/timestamp.ts";
import type { WireDelivery } from "../core/state/wire.ts";
import type { WireObject } from "../wire/json.ts";
import { pause } from "../platform/pause.ts";
import { type Page, toQuery, type WireClient } from "./wire-client.ts";
import { type Message, say } from "../text/message.ts";

/** Reads what the merchant did about a record, which has its names of the wire. Results are compared as JSON. */
export interface EffectReader {
  read(record: WireObject): unknown;
  /** The command line that reads it, for a person to copy. */
  commandFor?(record: WireObject): string;
}

/** A webhook that moves money, and where its record is. */
const RECORDS = { "payin.paid": "/payins", "payout.completed": "/payouts" } as const;
type MoneyType = keyof typeof RECORDS;
const MONEY_TYPES = Object.keys(RECORDS) as readonly MoneyType[];

/** How many webhooks are sent again. */
const MAX_WEBHOOKS = 3;
/** How many of the newest deliveries of a type are looked through. */
const MAX_DELIVERIES = 100;
/** The time for a merchant that responds first and acts then. */
const LATE_MS = 500;
/** An effect that contains the time changes within this. */
const CLOCK_MS = 1100;

/**
 * Sends the newest payments' webhooks again, and looks whether the merchant acts on them again.
 * @returns what was observed of the rules 13 and 14. A merchant that has processed a webhook before does not show how
 * it handles two new ones at the same time, so rule 14 is never seen here.
 * @throws what `effect` throws, except a LocalizedError: then the effect cannot be judged, and its text says why
 */
export async function provokeDuplicates(
  client: Pick<WireClient, "control">,
  effect: EffectReader,
): Promise<ReadonlyMap<RuleId, Observed>> {
  const deliveries = await newestPayments(client);
  const results: Result[] = [];
  for (const delivery of deliveries) results.push(await provoke(client, delivery, effect));
  const broken = results.flatMap((one) => one.broken ?? []);
  const unseen = results.flatMap((one) => one.unseen ?? []).at(-1) ?? NO_PAYMENT;
  return new Map<RuleId, Observed>([
    ["duplicate_acts_twice", { isKept: results.some((one) => one.isKept), broken, unseen }],
    ["concurrent_duplicates_act_twice", { isKept: false, broken: [], unseen: PROCESSED_BEFORE }],
  ]);
}

interface Result {
  readonly isKept?: boolean;
  readonly broken?: Evidence;
  readonly unseen?: Message;
}

/** The newest webhooks about each kind of moved money that merchants have accepted. */
async function newestPayments(
  client: Pick<WireClient, "control">,
): Promise<readonly WireDelivery[]> {
  const pages = await Promise.all(
    MONEY_TYPES.map((type) =>
      client.control<Page<WireDelivery>>(
        "GET",
        `/deliveries${toQuery({ type, status: "delivered", order: "desc", limit: MAX_DELIVERIES })}`,
      ),
    ),
  );
  // In turns: the effect may show nothing about payouts, which are often newer.
  return pages
    .flatMap(({ data }) => [...data.filter(({ url }) => !isSinkUrl(url)).entries()])
    .toSorted(([rank], [other]) => rank - other)
    .map(([, delivery]) => delivery)
    .slice(0, MAX_WEBHOOKS);
}

async function provoke(
  client: Pick<WireClient, "control">,
  { id, type, transaction_id }: WireDelivery,
  effect: EffectReader,
): Promise<Result> {
  const root = RECORDS[type as MoneyType];
  const record = await client.control<WireObject>("GET", `${root}/${transaction_id}`);
  const read = async (): Promise<string> => toText(await effect.read(record));
  try {
    const [first, before] = [await read(), await read()];
    if (first !== before) return unstable(transaction_id);
    const resent = await client.control<WireDelivery>("POST", `/deliveries/${id}/resend`);
    const last = resent.attempts.at(-1);
    const status = last && "status" in last ? last.status : undefined;
    let after = await read();
    if (before === after) {
      await pause(LATE_MS);
      after = await read();
    }
    if (before === after) return isSuccess(status ?? null) ? KEPT : notAccepted(id, status);
    await pause(CLOCK_MS);
    if (after !== (await read())) return unstable(transaction_id);
    const { now } = await client.control<{ now: string }>("GET", "/clock");
    const shown = effect.commandFor?.(record);
    const resend = `npx pix-sandbox webhooks resend ${id}`;
    const [one, other] = difference(before, after);
    return {
      broken: {
        atMs: fromIso(now) ?? 0,
        text: say`${id} (${type}) was sent again: the effect of ${transaction_id} changed from ${one} to ${other}.`,
        deliveryId: id,
        transactionId: transaction_id,
        command: shown === undefined ? resend : `${shown}; ${resend}; ${shown}`,
      },
    };
  } catch (error) {
    if (error instanceof LocalizedError) return { unseen: error.text };
    throw error;
  }
}

const KEPT: Result = { isKept: true };

const NO_PAYMENT = say`The merchant accepted no payin.paid and no payout.completed that can be sent again. Pay a charge whose webhook_url is the merchant's.`;

const PROCESSED_BEFORE = say`The merchant had processed the webhooks before: only a new one can show a race. Run npx pix-sandbox check-webhook with --order and --effect.`;

function unstable(transactionId: string): Result {
  return {
    unseen: say`The effect of ${transactionId} changes by itself. Read something that only the webhook changes, without the time.`,
  };
}

function notAccepted(id: string, status: number | undefined): Result {
  const got = status === undefined ? say`no response` : say`the status ${status}`;
  return {
    unseen: say`${id} was sent again, but the merchant did not accept it (${got}).`,
  };
}

/** How much of an effect the evidence shows, and how much of it before the first difference. */
const SHOWN = 60;
const SHOWN_BEFORE = 20;

/** Two different effects as texts: the part around their first difference. */
function difference(one: string, other: string): readonly [string, string] {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  const start = Math.max(one.length, other.length) > SHOWN ? Math.max(0, same - SHOWN_BEFORE) : 0;
  const cut = (text: string): string => {
    const end = start + SHOWN;
    return `"${start > 0 ? "…" : ""}${text.slice(start, end)}${text.length > end ? "…" : ""}"`;
  };
  return [cut(one), cut(other)];
}

function toText(effect: unknown): string {
  return typeof effect === "string" ? effect : (JSON.stringify(effect, toPlain) ?? String(effect));
}

/** Some values are not JSON, or not with their content. */
function toPlain(_name: string, value: unknown): unknown {
  if (value instanceof Map || value instanceof Set) return [...(value as Iterable<unknown>)];
  return typeof value === "bigint" ? String(value) : value;
}
