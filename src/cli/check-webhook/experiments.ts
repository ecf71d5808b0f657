import type { Experiment } from "./experiment.ts";
import { earlyWebhook } from "./experiments/early-webhook.ts";
import { concurrentDuplicates, duplicate } from "./experiments/duplicates.ts";
import { foreignTransaction, otherValue } from "./experiments/forged-payments.ts";
import { lastSecond } from "./experiments/last-second.ts";
import { olderEvent } from "./experiments/older-event.ts";

/** The experiments, in the order in which they are made. */
export const EXPERIMENTS: readonly Experiment[] = [
  duplicate,
  concurrentDuplicates,
  earlyWebhook,
  olderEvent,
  otherValue,
  foreignTransaction,
  lastSecond,
];
