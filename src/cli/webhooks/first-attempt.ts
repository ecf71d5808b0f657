import type { WireDelivery } from "../../core/state/wire.ts";
import { SHOW_CLOCK, SHOW_DELIVERY } from "../../core/state/wire-routes.ts";
import { type CommandClient, urlOption } from "../client/command-client.ts";
import { CliError, EXIT } from "../terminal/errors.ts";
import { localize } from "../terminal/language.ts";
import { PROGRAM } from "../../platform/program.ts";
import { say } from "../../text/message.ts";

/** Longer than an attempt takes by default, its connection included. */
const LIMIT_MS = 30_000;

/**
 * Waits until the first attempt of a webhook has ended. A frozen clock can keep it from being sent: then it resolves at
 * once, without an attempt.
 * @throws CliError if the attempt takes longer than 30 s, or if a reset removes the webhook.
 */
export async function waitForFirstAttempt(
  client: CommandClient,
  id: string,
): Promise<WireDelivery> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  // The first event comes at once: from then on no event is missed.
  for await (const { event } of client.events({ since: undefined }, signal)) {
    if (!LOOKS.has(event)) continue;
    const delivery = await client.call(SHOW_DELIVERY, { id });
    if (delivery.attempts.length > 0) return delivery;
    const { now, mode } = await client.call(SHOW_CLOCK);
    if (mode === "frozen" && (delivery.next_attempt_at ?? "") > now) return delivery;
  }
  await client.assertRunning();
  throw new CliError(
    EXIT.timedOut,
    "TIMED_OUT",
    localize(say`The webhook ${id} has no response after ${LIMIT_MS / 1000} s.`),
    localize(say`See what it waits for: ${PROGRAM} webhooks show ${id}${urlOption(client.url)}`),
  );
}

/** The events after which the delivery is read. */
const LOOKS = new Set(["connected", "attempt", "reset", "missed"]);
