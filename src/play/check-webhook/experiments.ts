import type { Experiment } from "./experiment.ts";
import { earlyWebhook } from "./early-webhook.ts";
import { concurrentDuplicates, duplicate } from "./duplicates.ts";
import { foreignTransaction, otherValue } from "./forged-payments.ts";
import { lastSecond } from "./last-second.ts";
import { olderEvent } from "./older-event.ts";

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
