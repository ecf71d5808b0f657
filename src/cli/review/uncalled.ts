import type { WireReview } from "../../review/report.ts";
import { type Message, say } from "../../text/message.ts";

/**
 * Why a run of `exec` shows nothing, if its command made no call to its sandbox.
 * @param hasOwn whether the command started another sandbox
 */
export function whyUncalled(
  { assumptions }: Pick<WireReview, "assumptions">,
  hasOwn: boolean,
): Message | undefined {
  // Every call depends on at least one.
  if (assumptions.length > 0) return undefined;
  return hasOwn
    ? say`The command made no call to the sandbox of exec, but started its own: replace startSandbox() with useSandbox(), and leave out the options of test set-ups.`
    : say`The command made no call to the sandbox of exec: let your code call PIX_SANDBOX_BASE_URL, or pass that address under another name with --as.`;
}

/** What a report adds if some calls went to another sandbox. */
export const OWN_SANDBOX = say`The command also started a sandbox of its own, as startSandbox() and test set-ups with options do. The calls to it were not judged.`;
