import type { Sandbox } from "../../server/start.ts";
import { CliError, interruptedError } from "../terminal/errors.ts";
import { type Io, SAME_SIGNAL_MS } from "../terminal/io.ts";
import { say } from "../../text/message.ts";

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
