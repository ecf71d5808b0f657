import { type Action, run } from "./actions.ts";
import type { FaultBody } from "./fault-form.ts";
import { t } from "./language.ts";
import { loadFaults } from "./sandbox.ts";
import { type Message, say } from "../../text/message.ts";

/** A fault that is often wanted, in words. */
export interface FaultPreset {
  readonly name: Message;
  readonly body: FaultBody;
}

export const presets = (): readonly FaultPreset[] => [
  {
    name: say`The next payout times out`,
    body: { on: "payouts.create", effect: "lost_answer", times: 1 },
  },
  {
    name: say`The next payin is refused`,
    body: { on: "payins.create", effect: "error=EXTERNAL_ERROR", times: 1 },
  },
  {
    name: say`The gateway is slow`,
    body: { on: "payins.create", effect: "latency_ms=5000" },
  },
  {
    name: say`The webhook arrives twice`,
    body: { on: "webhook", effect: "duplicate", times: 1 },
  },
  {
    name: say`The webhook arrives late`,
    body: { on: "webhook", effect: "delay_ms=60000", times: 1 },
  },
  {
    name: say`The webhook arrives before the response`,
    body: { on: "webhook", effect: "early", times: 1 },
  },
  {
    name: say`The webhook's signature is invalid`,
    body: { on: "webhook", effect: "bad_signature", times: 1 },
  },
];

/** The action that adds a fault. @param integration default: the one that the page shows */
export function presetAction({ name, body }: FaultPreset): Action {
  const { on, effect, times } = body;
  return {
    label: t(name),
    method: "POST",
    path: "/faults",
    body,
    command: [
      "faults",
      "add",
      on,
      effect,
      ...(times === undefined ? [] : ["--times", String(times)]),
    ],
    onDone: loadFaults,
  };
}

export function addPreset(preset: FaultPreset): Promise<void> {
  return run(presetAction(preset));
}
