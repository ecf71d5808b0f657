import type { CommandOptions } from "../../server/options/options.ts";
import type { Sandbox } from "../../server/activity/sandbox.ts";
import { CliError, interruptedError } from "../terminal/errors.ts";
import { type Io, SAME_SIGNAL_MS } from "../terminal/io.ts";
import { say } from "../../text/message.ts";

/** Prints what happens in a sandbox: lines for people on stderr, or JSON lines on stdout. */
export function startLog(
  sandbox: Pick<Sandbox, "onActivity" | "url">,
  log: NonNullable<CommandOptions["log"]>,
  isJson: boolean,
  io: Io,
): void {
  if (log === "none") return;
  // A start does not wait for it.
  const loading = import("../output/log-lines.ts");
  sandbox.onActivity((activity) => {
    if (log !== "all" && (log === "calls") !== (activity.kind === "call")) return;
    void loading.then(({ renderActivity, renderJson }) => {
      if (isJson) io.log("stdout", renderJson(activity));
      else io.log("stderr", renderActivity(activity, sandbox.url, io));
    });
  });
}

/** The first signal stops the sandbox cleanly, a second one at once. */
export async function untilStopped(
  sandbox: Pick<Sandbox, "close">,
  isSilent: boolean,
  io: Io,
): Promise<void> {
  let firstAt: number | undefined;
  await new Promise<void>((resolve, reject) => {
    // The handler stays until the process exits: a second signal can arrive late.
    io.onSignal(() => {
      if (firstAt !== undefined) {
        if (performance.now() - firstAt > SAME_SIGNAL_MS)
          reject(interruptedError(say`Stopped at once.`));
        return;
      }
      firstAt = performance.now();
      if (!isSilent) io.printError(say`Stopping…`);
      sandbox.close().then(resolve, reject);
    });
    // Without a ready line, its reader would wait forever.
    io.unread.addEventListener("abort", () => {
      if (io.unread.reason instanceof CliError) sandbox.close().then(resolve, reject);
    });
  });
}
