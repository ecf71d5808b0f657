import { appendFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { PROGRAM } from "../../platform/program.ts";
import { wallNowMs } from "../../platform/real-time.ts";
import type { RecordedEvent, RecordingStart } from "../../fidelity/recording.ts";
import { say } from "../../text/message.ts";
import { defineOwnCommand } from "../definition/define-command.ts";
import { freeText, integer, repeatable, word } from "../definition/parameters.ts";
import { checkBaseUrl, checkPublicUrl, orPortTaken } from "../fidelity/addresses.ts";
import { startRecorder } from "../fidelity/recorder.ts";
import { stopSignal } from "../records/following.ts";
import { type CliError, unwritableFile, usageError } from "../terminal/errors.ts";
import { pathIn } from "../terminal/io.ts";

export const recordCommand = defineOwnCommand("record", {
  isLocal: true,
  flags: {
    to: word("file", say`the new file of the recording`, { isMandatory: true }),
    target: freeText("url", say`the staging address, with its version: https://…/v1`),
    port: integer([0, 65_535], "port", say`the port to listen on; 0 takes a free one`, {
      default: 7491,
    }),
    public_url: word(
      "url",
      say`an address at which the gateway reaches --port of this machine: records webhooks too`,
    ),
    never: repeatable(
      "host",
      say`refuse this host and those below it, such as production; repeatable`,
    ),
  },
  async run({ to, target: given, port, public_url: address, never = [] }, { io, json }) {
    const target = checkBaseUrl(given, never, "--target");
    const publicUrl = checkPublicUrl(address);
    const file = pathIn(io, to);
    const start: RecordingStart = {
      type: "pix-sandbox-recording",
      version: 1,
      atMs: wallNowMs(),
      hasWebhooks: publicUrl !== undefined,
    };
    await writeFile(file, line(start), { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") throw usageError(say`${to} exists. Choose another file.`);
      throw unwritableFile(to, error, say`Create its folder, or choose another file.`);
    });
    const counts = { call: 0, webhook: 0, end: 0 };
    let failure: CliError | undefined;
    const onEvent = (event: RecordedEvent): void => {
      // Each line is whole, also after a kill.
      appendFileSync(file, line(event));
      counts[event.type] += 1;
    };
    const onFailure = (error: Error): void => {
      failure = unwritableFile(to, error, say`The calls before are in it.`);
      io.printError(failure.message);
      io.printError(say`The recording ends here. Calls are still passed on.`);
    };
    using stopping = stopSignal(io);
    await using recorder = await orPortTaken(
      port,
      startRecorder({ port, target, publicUrl, nowMs: wallNowMs, onEvent, onFailure }),
    ).catch(async (error: unknown) => {
      await rm(file, { force: true });
      throw error;
    });
    const url = `http://127.0.0.1:${recorder.port}${target.slice(target.lastIndexOf("/"))}`;
    if (json) io.printJson({ type: "recording", url, file: to });
    else {
      io.print(say`Recording: use ${url} as the base URL. Its calls go to ${target}.`);
      io.printError(say`Ctrl-C to stop.`);
    }
    await new Promise<void>((resolve) => {
      if (stopping.signal.aborted) resolve();
      stopping.signal.addEventListener("abort", () => resolve());
    });
    try {
      if (!failure) onEvent({ type: "end", atMs: wallNowMs() });
    } catch (error) {
      onFailure(error as Error);
    }
    if (failure) throw failure;
    const { call: calls, webhook: webhooks } = counts;
    if (json) return io.printJson({ type: "recorded", calls, webhooks, file: to });
    io.print(
      say`${calls} calls and ${webhooks} webhooks are in ${to}. Next: ${PROGRAM} drift ${to}`,
    );
  },
  examples: ["record --to staging.jsonl --target https://pix.example/v1"],
});

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
