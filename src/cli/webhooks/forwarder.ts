import { toUrl, VERSION } from "../../wire/names.ts";
import type { PostOutcome } from "../../server/tools/tools.ts";
import { usageError } from "../terminal/errors.ts";
import { say } from "../../text/message.ts";

const TIMEOUT_MS = 10_000;

/** Posts webhooks to an additional address, with the same bytes and headers. */
export interface Forwarder {
  readonly url: string;
  send(body: string, headers: Readonly<Record<string, string>>): Promise<PostOutcome>;
}

/**
 * @param signal aborts running requests
 * @throws CliError for anything but an http or https URL.
 */
export async function createForwarder(url: string, signal: AbortSignal): Promise<Forwarder> {
  if (!/^https?:\/\/[^\s/]/i.test(url) || !toUrl(url)) {
    throw usageError(
      say`Invalid --forward-to ${JSON.stringify(url)}.`,
      say`Use a URL such as http://localhost:3000/webhooks/pix.`,
    );
  }
  const { createSender } = await import("../../server/tools/tools.ts");
  const sender = await createSender(url);
  return {
    url,
    send: (body, headers) =>
      sender.post({
        url,
        body,
        headers: { "user-agent": `pix-sandbox/${VERSION}`, ...headers },
        timeoutMs: TIMEOUT_MS,
        signal,
      }),
  };
}
