import { readdirSync } from "node:fs";
import { createFolder } from "../support/folder.ts";
import { freePort } from "../support/process.ts";
import { fileURLToPath } from "node:url";
import { checkWebhook } from "../../src/play/check-webhook/check-webhook.ts";
import { commandClient } from "../../src/cli/client/command-client.ts";
import type { Verdict } from "../../src/review/labels.ts";
import type { WireReview } from "../../src/review/report.ts";
import { impliedBy, RULE_IDS, type RuleId } from "../../src/review/rules.ts";
import { createSender } from "../../src/server/tools/tools.ts";
import { type Integration, type Sandbox, startSandbox } from "../../src/index.ts";
import { isRunnable, type RunningShop, startShop } from "./start-shop.ts";

const FILES = readdirSync(fileURLToPath(new URL(".", import.meta.url))).filter(isRunnable);

/** The programs beside this file, by the rule that they break. */
export const BAD = new Map(
  FILES.flatMap((file): [RuleId, string][] => {
    const [, name = "", id = ""] = /^(\d\d-(\w+)\.js)$/.exec(file) ?? [];
    return name === "" ? [] : [[id as RuleId, name]];
  }),
);
export const GOOD = "shop.js";

/** More ways to break a rule, and more merchants that break none: judged by `check-webhook` alone. */
export const VARIANTS = FILES.flatMap((file): Variant[] => {
  const [, name = "", id] = /^((?:\d\d-(\w+)|good)-\w+)\.\w+$/.exec(file) ?? [];
  return name === "" ? [] : [{ name: file, breaks: id as RuleId | undefined }];
});

export interface Variant {
  readonly name: string;
  readonly breaks: RuleId | undefined;
}
/** They mostly wait. More of them would be slow to respond, and be blamed for that. */
const AT_ONCE = 6;

export type Verdicts = ReadonlyMap<RuleId, Verdict>;

/** Judges some merchants at once, in the order of their names. */
export function judgeAll<Judged>(
  names: readonly string[],
  judgeOne: (name: string) => Promise<Judged>,
): ReadonlyMap<string, Promise<Judged>> {
  const lanes: Promise<unknown>[] = Array.from({ length: AT_ONCE }, () => Promise.resolve());
  return new Map(
    names.map((name, index) => {
      const verdicts = (lanes[index % AT_ONCE] ?? Promise.resolve()).then(() => judgeOne(name));
      lanes[index % AT_ONCE] = verdicts.catch(() => undefined);
      return [name, verdicts];
    }),
  );
}

/**
 * Starts a merchant and a sandbox, makes every situation happen that a rule is about, and reads the verdicts: of the
 * report, which judges the traffic, and of `check-webhook`, which provokes mistakes.
 */
export async function judge(name: string): Promise<Verdicts> {
  await using sandbox = await startSandbox({ assumptions: { "webhook.success": "only_200" } });
  const { url: gateway, secret } = sandbox;
  await using merchant = await startShop(name, { gateway, secret, token: TOKEN });
  // First: later the sandbox's clock is ahead of the merchant's.
  const review = await check(() => merchant, sandbox);
  await haveBadDays(merchant, sandbox.integration(TOKEN), (seconds) =>
    sandbox.clock.advance({ seconds }),
  );
  return worst(verdictsOf(review), verdictsOf(await reportOf(gateway)));
}

const TOKEN = "merchant";

/** What `check-webhook` alone says of a merchant, and what the report says then. */
export async function judgeByCheck(name: string) {
  await using sandbox = await startSandbox();
  const { url: gateway, secret } = sandbox;
  await using folder = await createFolder();
  const settings = { gateway, secret, token: TOKEN, books: folder.at("books.json") };
  let merchant = await startShop(name, { ...settings, port: await freePort() });
  try {
    const restart = async (): Promise<void> => {
      await merchant.stop("SIGKILL");
      merchant = await startShop(name, { ...settings, port: Number(new URL(merchant.url).port) });
    };
    const { rules } = await check(() => merchant, sandbox, restart);
    return { rules, report: (await reportOf(gateway)).rules };
  } finally {
    await merchant[Symbol.asyncDispose]();
  }
}

async function check(
  merchant: () => RunningShop,
  { url, secret }: Pick<Sandbox, "url" | "secret">,
  restart?: () => Promise<void>,
): Promise<WireReview> {
  let orders = 0;
  // One is completed, the other canceled. Only the shops in JavaScript have withdrawals.
  for (const [place, cpf] of OTHERS.entries())
    await merchant()
      .withdraw(`payout ${place}`, 20 + place, cpf)
      .catch(() => undefined);
  const { review } = await checkWebhook({
    createSender,
    client: commandClient({ url }),
    url: `${merchant().url}/webhooks/pix`,
    secret,
    restart,
    order: async () => String((await merchant().order(`check ${++orders}`, 10.5)).transaction),
    effect: async ({ id, description }) => {
      const order =
        (await merchant().orderOf(String(description ?? id))) ??
        (await merchant().withdrawalOf(String(id)));
      // Whether the merchant has the gateway's response is no effect of a webhook.
      return `${order?.state.replace("new", "waiting")} ${order?.credited}`;
    },
  });
  return review;
}

async function reportOf(gateway: string): Promise<WireReview> {
  const response = await fetch(`${gateway}/_sandbox/report?final=true`, {
    headers: { "x-api-token": TOKEN },
  });
  return (await response.json()) as WireReview;
}

/** The merchant's orders and withdrawals, with all that can go wrong on the wire. */
async function haveBadDays(
  merchant: RunningShop,
  shop: Integration,
  advance: (seconds: number) => Promise<unknown>,
): Promise<void> {
  const pay = async (transaction: string | null): Promise<void> => {
    if (transaction === null) return;
    const { status } = await shop.payins.get(transaction);
    if (status === "waiting") await shop.payins.pay(transaction);
    await shop.settled();
  };
  const complete = async (transaction: string | null): Promise<void> => {
    if (transaction === null) return;
    const { status } = await shop.payouts.get(transaction);
    if (status === "waiting") await shop.payouts.complete(transaction);
    await shop.settled();
    await merchant.quiet();
  };

  // The buyer clicks twice.
  await merchant.order("A1", 10.5);
  await pay((await merchant.order("A1", 10.5)).transaction);

  // Responses fail, and are lost.
  await shop.faults.once("payins.create", "lost_answer");
  await pay((await merchant.order("A2", 12)).transaction);
  await shop.faults.once("payouts.create", "error=EXTERNAL_ERROR");
  await complete((await merchant.withdraw("B1", 25, CPFS[0])).transaction);
  await shop.assumptions.change({ "payout.rival": "allow" });
  await shop.faults.once("payouts.create", "lost_answer");
  await complete((await merchant.withdraw("B2", 30, CPFS[1])).transaction);

  // A finished refund is requested again, and a gateway in trouble fails four times.
  await complete((await merchant.withdraw("B1", 25, CPFS[0])).transaction);
  await shop.faults.add({ on: "payouts.create", effect: "error=EXTERNAL_ERROR", times: 4 });
  await complete((await merchant.withdraw("B5", 35, CPFS[0])).transaction);
  await shop.faults.clear();

  // The next payout to a receiver has another value, and is canceled.
  await complete((await merchant.withdraw("B3", 41, CPFS[2])).transaction);
  const { transaction } = await merchant.withdraw("B4", 40, CPFS[2]);
  if (transaction !== null) await shop.payouts.cancel(transaction);
  await shop.settled();
  await merchant.quiet();
  await complete((await merchant.withdrawalOf("B4"))?.transaction ?? null);

  // A payout is canceled while another one to its receiver is in progress.
  await shop.assumptions.change({ "payout.rival": "cancel" });
  const { transaction: rival } = await merchant.withdraw("B6", 60, CPFS[2]);
  await merchant.withdraw("B7", 70, CPFS[2]);
  // Each cancellation can start another payout. A webhook that was faster than the response comes again.
  for (let count = -1; ;) {
    await advance(60);
    await shop.settled();
    await merchant.quiet();
    const own = (await shop.payouts.list()).filter(({ value }) => value === 70);
    if (own.length === count && own.every(({ status }) => status !== "waiting")) break;
    count = own.length;
  }
  await complete(rival);
  await complete((await merchant.withdrawalOf("B7"))?.transaction ?? null);

  // Webhooks arrive twice, and forged.
  for (const effect of ["duplicate", "duplicate_at_once", "bad_signature"] as const) {
    await shop.faults.once("webhook", effect);
    await pay((await merchant.order(`C ${effect}`, 7)).transaction);
  }
  await advance(60);
  await merchant.quiet();

  // A charge expires, and its buyer orders again.
  await merchant.order("D1", 17);
  await advance(300);
  await pay((await merchant.order("D2", 17)).transaction);
}

const CPFS = ["52998224725", "11144477735", "39053344705"] as const;
/** Whose payouts are no rivals of those above. */
const OTHERS = ["15350946056", "98765432100"] as const;

function verdictsOf({ rules }: Pick<WireReview, "rules">): Verdicts {
  return new Map(rules.map(({ id, verdict }) => [id, verdict]));
}

/** Of each rule the verdict that says most. */
function worst(...all: readonly Verdicts[]): Verdicts {
  const weight = (verdict: Verdict | undefined): number =>
    ["not_seen", "pass", "pending", "warning", "fail"].indexOf(verdict ?? "not_seen");
  return new Map(
    RULE_IDS.map((id) => {
      const verdicts = all.map((one) => one.get(id) ?? "not_seen");
      return [id, verdicts.toSorted((one, other) => weight(other) - weight(one))[0] ?? "not_seen"];
    }),
  );
}

export function brokenIn(verdicts: Verdicts): readonly RuleId[] {
  return RULE_IDS.filter((id) => ["fail", "warning"].includes(verdicts.get(id) ?? ""));
}

/** A rule, and all that it implies. */
export function withImplied(id: RuleId): ReadonlySet<RuleId> {
  return new Set([id, ...impliedBy(id).flatMap((other) => [...withImplied(other)])]);
}
