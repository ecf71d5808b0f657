import { computed, signal } from "@preact/signals";
import { code, text } from "../../text/plain/markdown.ts";
import { COUNTED, VERDICTS } from "../../review/labels.ts";
import { control, scope } from "./control.ts";
import { isArmed } from "./fault-form.ts";
import { t } from "./language.ts";
import { countOf, withCheck } from "./review.ts";
import { faults, loadFaults, loadReview, review, rules } from "./sandbox.ts";
import type { WireFinding, WireReview, WireWebhookCheck } from "./wire.ts";
import { shellWord } from "../../text/plain/shell-word.ts";
import { say } from "../../text/message.ts";

/** What the last check of a handler has shown, and of which integration. */
const checked = signal<
  { readonly of: string | null; readonly check: WireWebhookCheck } | undefined
>(undefined);
/** The last check of the integration that the page shows. */
export const shownCheck = computed(() =>
  checked.value?.of === scope.value ? checked.value.check : undefined,
);
/** What the reviewer has seen, and what the last check has shown. */
export const judged = computed<WireReview>(() =>
  shownCheck.value ? withCheck(review.value, shownCheck.value.rules) : review.value,
);
export const isBreaking = signal(false);

/** The failures of calls that only the shop's own calls can meet. */
const LOST = (["payins.create", "payouts.create"] as const).map((on) => ({
  on,
  effect: "lost_answer",
  times: 1,
}));

/** The rule that is judged as soon as the shop has met a lost response. */
const MET: WireFinding["id"] = "unknown_outcome_not_retried";

/** The armed faults that lose the response to the next call of the shop. */
export const losses = computed(() =>
  faults.value.filter(
    (fault) =>
      isArmed(fault) && LOST.some(({ on, effect }) => fault.on === on && fault.effect === effect),
  ),
);

/**
 * Sends the handler what a gateway sends and what a forger does, and arms what the shop has not met yet.
 * @throws ControlError if the sandbox refuses the address
 */
export async function breakShop(url: string, effect: string): Promise<void> {
  isBreaking.value = true;
  try {
    const of = scope.value;
    // They are for the shop's calls, not for those of the check.
    for (const { id } of losses.value) await control("DELETE", `/faults/${id}`);
    const check = await control<WireWebhookCheck>("POST", "/check-webhook", {
      body: toBody(url, effect),
    });
    checked.value = { of, check };
    await loadReview();
    const isMet = review.value.rules.some(
      ({ id, verdict }) => id === MET && verdict !== "not_seen",
    );
    for (const body of isMet ? [] : LOST) await control("POST", "/faults", { body });
    await loadFaults();
  } finally {
    isBreaking.value = false;
  }
}

/** The request of a check. @param effect empty without one */
export function toBody(url: string, effect: string) {
  return { url, ...(effect !== "" && { effect }) };
}

/** The same check as a command line's words. */
export function toCommand(url: string, effect: string): string[] {
  return ["check-webhook", url, ...(effect === "" ? [] : ["--effect", effect])];
}

export function forgetCheck(): void {
  checked.value = undefined;
}

/** The scorecard, for a pull request. */
export function scorecard(url: string, effect: string): string {
  const of = (...verdicts: readonly string[]) =>
    judged.value.rules.filter(({ verdict }) => verdicts.includes(verdict));
  const counts = VERDICTS.filter((verdict) => countOf(judged.value, verdict) > 0).map((verdict) =>
    t(COUNTED[verdict](countOf(judged.value, verdict))),
  );
  const list = (found: readonly WireFinding[]) =>
    found.map(({ id, says }) => `- ${code(id)} ${text(says)}`);
  return [
    `## ${t(BREAK)}: ${counts.join(", ")}`,
    ...of("fail", "warning").flatMap((finding) => toSection(finding)),
    "",
    ...list(of("pass", "pending", "not_seen")),
    "",
    code(["npx pix-sandbox", ...toCommand(url, effect).map(shellWord)].join(" ")),
    "",
  ].join("\n");
}

function toSection({ id, says, evidence }: WireFinding): readonly string[] {
  const { harm = "", change = "" } = rules.value.get(id) ?? {};
  return [
    "",
    `### ${code(id)} ${text(says)}`,
    "",
    ...evidence.map((one) => `- ${text(one.says)}`),
    `- ${t(COSTS)} ${text(harm)}`,
    `- ${t(CHANGE)} ${text(change)}`,
  ];
}

export const BREAK = say`Break my shop`;
export const COSTS = say`What it costs:`;
export const CHANGE = say`What to change:`;
