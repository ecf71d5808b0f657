import type { WirePayout } from "../../core/records/payout.ts";
import type { Page } from "../../core/state/wire-routes.ts";
import { changeOf } from "./effect-change.ts";
import type { Experiment } from "./experiment.ts";
import { type Shop, Unseen } from "./shop.ts";
import { say } from "../../text/message.ts";

/** Completes one open payout of the merchant and cancels another: the second one must not look paid. */
export const canceledPayout: Experiment = {
  rule: "unknown_type_refused",
  what: say`payout.canceled of an open payout`,
  expected: say`not as completed`,
  run: async function* (trial) {
    const { shop } = trial;
    const [completed, canceled] = await openPayouts(shop);
    if (!completed || !canceled) throw new Unseen(say`The shop has no two open payouts.`);
    const before = [await shop.effectOf(completed), await shop.effectOf(canceled)] as const;
    trial.command = `npx pix-sandbox payout cancel ${canceled.record.id}`;
    await shop.settle(completed, "complete");
    await shop.settle(canceled, "cancel");
    yield;
    const after = [await shop.effectOf(completed), await shop.effectOf(canceled)] as const;
    // Their values differ.
    const paid = changeOf(before[0], after[0], { ...completed.record }).words;
    const { words } = changeOf(before[1], after[1], { ...canceled.record });
    if (paid === "" || words !== paid) return undefined;
    return say`Payout ${canceled.record.id} was canceled, and looks like ${completed.record.id}, which was completed. ${shop.describeMove(before[1], after[1])}`;
  },
};

/** The open payouts of the merchant whose webhooks go to the handler, the newest first. */
async function openPayouts({ options, example }: Shop) {
  const { data } = await options.client
    .as(example.record.integration)
    .control<Page<WirePayout>>("GET", "/payouts?status=waiting&order=desc&limit=1000");
  const { href } = new URL(options.handler.url);
  return data
    .filter(({ webhook_url }) => new URL(webhook_url).href === href)
    .map((record) => ({ record }));
}
