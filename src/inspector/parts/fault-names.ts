import type { EffectKind, FaultPlace } from "../../core/faults/effects.ts";
import { type Message, say } from "../../text/message.ts";

/** What faults act on, in words. */
export const PLACE_NAMES: Readonly<Record<FaultPlace, Message>> = {
  "payins.create": say`when a payin is created`,
  "payouts.create": say`when a payout is created`,
  "payins.simulate": say`when a payin is simulated`,
  "payouts.simulate": say`when a payout is simulated`,
  webhook: say`when a webhook is sent`,
};

/** What faults do, in words. */
export const EFFECT_NAMES: Readonly<Record<EffectKind, Message>> = {
  error: say`Refuse with an error`,
  latency_ms: say`Respond slowly`,
  lost_answer: say`Lose the response`,
  hold: say`Hold the call`,
  patch_body: say`Change the response`,
  duplicate: say`Send it twice`,
  duplicate_at_once: say`Send it twice at once`,
  delay_ms: say`Send it late`,
  reorder: say`Send it after the next one`,
  drop_attempts: say`Lose the first attempts`,
  bad_signature: say`Sign it wrongly`,
  early: say`Send it before the response`,
};

/** The values of effects, in words. */
export const VALUE_NAMES: Readonly<Partial<Record<EffectKind, Message>>> = {
  error: say`Error`,
  latency_ms: say`Milliseconds`,
  delay_ms: say`Milliseconds`,
  drop_attempts: say`Attempts`,
  patch_body: say`JSON`,
};
