import type { WirePayout } from "../../core/records/transaction.ts";
import { pause } from "../../platform/pause.ts";
import { toEpochMs } from "../../wire/timestamp.ts";
import { PlayError } from "../play-error.ts";
import { changeOf, looksPaid } from "./effect-change.ts";
import type { Experiment } from "./experiment.ts";
import { EFFECT_NOT_FOUND, type Shop, Unseen } from "./shop.ts";
import { say } from "../../text/message.ts";

/** How long a shop may take to show the end of a payout. */
const STEADY_MS = 2000;
/** What says nothing about the end of a payout, such as `"in_progress": false`. */
const NO_WORD = /\b(?:true|false|null)\b/g;

const NOT_SHOWN = say`The effect does not show in a word that one payout was completed.`;

/** Completes one open payout of the merchant and cancels another: the second one must not look completed. */
export const canceledPayout: Experiment = {
  rule: "canceled_payout_ignored",
  what: say`the end of two open payouts: one completed, one canceled`,
  expected: say`not the same`,
  run: async function* (trial) {
    const { shop } = trial;
    const payouts = await payoutsOf(shop);
    const [completed, canceled] = openOf(payouts, shop);
    if (!completed || !canceled)
      throw new Unseen(say`Before the check the shop had no two open payouts.`);
    const { id, receiver_cpf, value } = canceled;
    trial.command = `npx pix-sandbox payout show ${id}`;
    const before = [await effectOf(shop, completed), await effectOf(shop, canceled)] as const;
    if (before.some((effect) => effect.startsWith(EFFECT_NOT_FOUND))) throw new Unseen(NOT_SHOWN);
    await shop.settle(completed, "complete");
    yield;
    await pause(STEADY_MS);
    const paid = await effectOf(shop, completed);
    const { words } = changeOf(before[0], paid, { ...completed });
    const isOwn = (await effectOf(shop, canceled)) === before[1];
    // As an order that was paid, and before the payout has ended.
    const lookedPaid =
      paid === before[0] &&
      looksPaid(before[0], { ...completed }, shop.example) === true &&
      looksPaid(before[1], { ...canceled }, shop.example) === true;
    const hasWord = /\p{L}/u.test(words.replaceAll(NO_WORD, ""));
    if ((!hasWord && !lookedPaid) || !isOwn) throw new Unseen(NOT_SHOWN);
    await shop.settle(canceled, "cancel");
    yield;
    await pause(STEADY_MS);
    const after = await effectOf(shop, canceled);
    const now = await payoutsOf(shop);
    const isCanceled = now.some((one) => one.id === id && one.status === "canceled");
    // Another payout can have taken its place.
    const isReplaced = now.some(
      (one) =>
        one.receiver_cpf === receiver_cpf &&
        one.value === value &&
        payouts.every((earlier) => earlier.id !== one.id),
    );
    if (!isCanceled || isReplaced) return undefined;
    if (lookedPaid) {
      if (after !== before[1]) return undefined;
      return say`Payout ${id} was canceled. It looks paid as ${completed.id}, which was completed, and looked so before.`;
    }
    // Their values differ, and so do the numbers.
    if (changeOf(before[1], after, { ...canceled }).words !== words) return undefined;
    return say`Payout ${id} was canceled, and looks like ${completed.id}, which was completed. ${shop.describeMove(before[1], after)}`;
  },
};

async function payoutsOf({ options, example }: Shop): Promise<readonly WirePayout[]> {
  const client = options.client.as(example.record.integration);
  return (await client.call("GET /payouts", { order: "desc", limit: 1000 })).data;
}

/** The merchant's own open payouts, the newest first: not what it sent because of the check. */
function openOf(payouts: readonly WirePayout[], shop: Shop): readonly WirePayout[] {
  const { href } = new URL(shop.options.handler.url);
  return payouts.filter(
    ({ status, webhook_url, created_at }) =>
      status === "waiting" &&
      new URL(webhook_url).href === href &&
      toEpochMs(created_at) < shop.startedAtMs,
  );
}

/** The effect can be written for charges alone. */
async function effectOf(shop: Shop, payout: WirePayout): Promise<string> {
  return shop.effectOf(payout).catch((error: unknown) => {
    throw error instanceof PlayError ? new Unseen(error.text) : error;
  });
}
