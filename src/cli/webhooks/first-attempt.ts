import type { WireDelivery } from "../../core/state/wire.ts";
import { PROGRAM } from "../../platform/program.ts";
import { say } from "../../text/message.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { isSinkUrl } from "../../wire/names.ts";
import { urlOption } from "../client/command-client.ts";
import type { Calls } from "../../client/calls.ts";
import { withProgress } from "../client/progress.ts";
import type { Run } from "../definition/define-command.ts";
import { idFor, isAnswered, renderWebhook } from "../output/render.ts";
import { CliError, EXIT } from "../terminal/errors.ts";
import { localize } from "../terminal/language.ts";
import { findSecret } from "./signing-secret.ts";

/** Prints the webhooks of a payin or payout, each with the response to its first attempt if that is due. */
export async function showWebhooksOf(transactionId: string, run: Run): Promise<void> {
  const { io, client } = run;
  const { data } = await client.call("GET /deliveries", { transaction_id: transactionId });
  for (const { id, type } of data) {
    const label = say`Waiting for ${type}`;
    const webhook = await withProgress(io, { label, isSilent: false }, () =>
      waitForFirstAttempt(client, id, { waitsUntilDue: false }),
    );
    await showWebhook(webhook, run);
  }
}

/** Prints a webhook, the response to its first attempt, and whether that is signed. */
export async function showWebhook(webhook: WireDelivery, { io, client }: Run): Promise<void> {
  const { id, url, body, integration } = webhook;
  io.print(`\n${renderWebhook(webhook, io.color)}`);
  const [attempt] = webhook.attempts;
  if (!attempt) return;
  const { STANDARD_TOLERANCE_MS, verifyWebhook } = await import("../../server/tools/tools.ts");
  const verdict = verifyWebhook(
    { headers: attempt.headers, body: Buffer.from(body) },
    {
      secret: await findSecret(undefined, { client: client.as(integration) }),
      nowMs: Date.parse(attempt.at),
      toleranceMs: STANDARD_TOLERANCE_MS,
    },
  );
  // Whether a merchant's app has verified it is unknown.
  const isVerified = isSinkUrl(url) && isAnswered(attempt);
  io.print(
    verdict.isValid
      ? io.color.green(
          localize(isVerified ? say`   verified: the signature is valid` : say`   signed`),
        )
      : io.color.red(`   ${localize(say`not valid`)}: ${toSafeLine(localize(verdict.text))}`),
  );
  const shown = idFor(id, io.columns !== undefined);
  const all = `${PROGRAM} webhooks show ${shown}${urlOption(client.url)}`;
  io.printError(`\n${localize(say`Its bytes and headers`)}: ${all}`);
}

/** Longer than an attempt takes by default, its connection included. */
const LIMIT_MS = 30_000;

/**
 * Waits until the first attempt of a webhook has ended. Resolves at once, without an attempt, if that is due later and
 * the clock is frozen or `waitsUntilDue` is false.
 * @throws CliError if the attempt takes longer than 30 s, or if a reset removes the webhook.
 */
export async function waitForFirstAttempt(
  client: Calls,
  id: string,
  { waitsUntilDue = true }: { readonly waitsUntilDue?: boolean } = {},
): Promise<WireDelivery> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  // The first event comes at once: from then on no event is missed.
  for await (const { event } of client.events(signal)) {
    if (!LOOKS.has(event)) continue;
    const delivery = await client.call("GET /deliveries/{id}", { id });
    if (delivery.attempts.length > 0) return delivery;
    const { now, mode } = await client.call("GET /clock");
    const isLater = (delivery.next_attempt_at ?? "") > now;
    if (isLater && (mode === "frozen" || !waitsUntilDue)) return delivery;
  }
  // Says so if the sandbox has stopped.
  await client.call("GET /health");
  throw new CliError(
    EXIT.timedOut,
    "TIMED_OUT",
    say`The webhook ${id} has no response after ${LIMIT_MS / 1000} s.`,
    say`See what it waits for: ${PROGRAM} webhooks show ${id}${urlOption(client.url)}`,
  );
}

/** The events after which the delivery is read. */
const LOOKS = new Set(["connected", "attempt", "reset", "missed"]);
