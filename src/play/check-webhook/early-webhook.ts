import type { WirePayin } from "../../core/records/transaction.ts";
import type { WireRequest } from "../../core/state/wire.ts";
import { pause } from "../../platform/pause.ts";
import { monotonicNowMs } from "../../platform/real-time.ts";
import type { Calls } from "../../client/calls.ts";
import { ignoreFailedCall } from "../play-error.ts";
import { looksPaid } from "./effect-change.ts";
import type { Experiment } from "./experiment.ts";
import { isAccepted, type Outcome } from "./handler.ts";
import { type Order, Unseen } from "./shop.ts";
import type { Trial } from "./trial.ts";
import { signEvent } from "./webhook.ts";
import { say } from "../../text/message.ts";

/** How long the merchant may take to create an order whose first response is lost. */
const LIMIT_MS = 30_000;
/** How long a worker may take until it looks at a webhook again: queues lend out a message for so long. */
export const RESUMES_MS = 31_000;
/** The pause before a refused webhook is sent again; and how long an effect is watched that may show nothing. */
const AGAIN_MS = 5000;

/** Loses the response to the create call, and pays the charge before the merchant repeats the call. */
export const earlyWebhook: Experiment = {
  rule: "early_webhook_lost",
  what: say`a payment before the create response`,
  expected: say`acts, now or when it is sent again`,
  run: async function* (trial) {
    const { order, outcome, isRepeated } = await loseAndPay(trial);
    yield;
    const isPaidBy = (effect: string) => looksPaid(effect, { ...order.record }, trial.shop.example);
    const becomesPaid = async (limitMs?: number) =>
      isPaidBy(await trial.shop.movedEffect(order, (now) => isPaidBy(now) === true, limitMs));
    let paid = isPaidBy(await trial.shop.effectOf(order.record));
    if (!paid && isAccepted(outcome)) paid = await becomesPaid(AGAIN_MS);
    if (isRepeated && paid)
      throw new Unseen(
        say`The merchant repeated the create call before it responded to the webhook.`,
      );
    if (paid === false && !isAccepted(outcome)) {
      // The gateway sends the same event again.
      const again = () => trial.send(signEvent(order.event, order.secret));
      for (let ms = 0; !isAccepted(await again()) && ms < RESUMES_MS; ms += AGAIN_MS)
        await pause(AGAIN_MS);
      paid = await becomesPaid();
    } else if (paid === false) paid = await becomesPaid(RESUMES_MS);
    if (paid === undefined)
      throw new Unseen(say`The effect is neither that of an unpaid order nor that of a paid one.`);
    if (paid) return undefined;
    const effect = trial.shop.shown(await trial.shop.effectOf(order.record));
    return isAccepted(outcome)
      ? say`The handler accepted the early webhook, and after ${RESUMES_MS / 1000} s the effect is still that of an unpaid order: ${effect}.`
      : say`The handler refused the early webhook, and the order is still unpaid after the same again.`;
  },
};

/** Pays the next charge early, and loses the response to the call that creates it. */
async function loseAndPay(trial: Trial) {
  const client = trial.shop.options.client.as(trial.shop.example.record.integration);
  const fault = await client.call("POST /faults", {
    on: "payins.create",
    effect: "lost_answer",
    times: 1,
  });
  try {
    return await payEarly(trial, client);
  } finally {
    await client.call("DELETE /faults/{id}", { id: fault.id }).catch(ignoreFailedCall);
  }
}

async function payEarly(trial: Trial, client: Calls) {
  const { shop } = trial;
  const { signal } = shop.options.handler;
  const reading = new AbortController();
  const stop = (): void => reading.abort();
  const limited = AbortSignal.any([reading.signal, signal, AbortSignal.timeout(LIMIT_MS)]);
  let ordering: Promise<string> | undefined;
  let paying: Promise<{ order: Order; outcome: Outcome; endedAt: number }> | undefined;
  const calls: number[] = [];
  const pay = async (record: WirePayin) => {
    const order = await shop.orderOf(record);
    const outcome = await trial.send(signEvent(order.event, order.secret));
    return { order, outcome, endedAt: monotonicNowMs() };
  };
  const watch = async (): Promise<void> => {
    for await (const { event, data } of client.events(limited)) {
      if (event === "connected") {
        ordering = shop.options.order();
        ordering.then(stop, stop);
      } else if (event === "payin") {
        const record = JSON.parse(data) as WirePayin;
        // Another charge of the shop can expire meanwhile.
        if (record.status !== "waiting" || paying) continue;
        paying = pay(record);
        // It can fail before it is awaited.
        paying.catch(() => undefined);
      } else if (event === "request") {
        const { method, path } = JSON.parse(data) as WireRequest;
        if (method === "POST" && path.endsWith("/payins")) calls.push(monotonicNowMs());
      }
    }
  };
  await watch().catch((error: unknown) => {
    if (!limited.aborted) throw error;
  });
  signal.throwIfAborted();
  const paid = await paying;
  const id = await ordering?.catch(() => undefined);
  if (!paid || id !== paid.order.record.id)
    throw new Unseen(
      say`The merchant did not repeat the create call with its key after the response was lost.`,
    );
  const [, repeatedAt = Number.POSITIVE_INFINITY] = calls;
  // Before the merchant responded to the webhook.
  return { ...paid, isRepeated: repeatedAt < paid.endedAt };
}
