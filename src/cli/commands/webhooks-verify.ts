import { fromIso, toIso } from "../../wire/timestamp.ts";
import { toFullTime } from "../terminal/times.ts";
import type { Mistake, Verdict } from "../../server/tools/tools.ts";
import { type CapturedRequest, readCapturedRequest } from "../webhooks/captured-request.ts";
import { readDurationMs } from "../terminal/duration.ts";
import { CliError, EXIT, usageError } from "../terminal/errors.ts";
import { localize } from "../terminal/language.ts";
import { defineOwnCommand, type Run } from "../definition/define-command.ts";
import { freeText } from "../definition/parameters.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { findSecret, SECRET } from "../webhooks/signing-secret.ts";
import { PROGRAM } from "../../platform/program.ts";
import { type Message, say } from "../../text/message.ts";
import { english } from "../../text/languages.ts";

const FLAGS = {
  secret: SECRET,
  at: freeText("time", say`the time of verification, such as 2026-11-21T12:00:00Z (default: now)`),
  tolerance: freeText("duration", say`the maximum age of the timestamp`, { default: "5m" }),
};

export const verify = defineOwnCommand("webhooks verify", {
  summary: say`verify the signature of a captured webhook, and explain a mismatch`,
  arguments: {
    file: freeText("file", say`the captured request, raw or as JSON (default: -, stdin)`, {
      isOptional: true,
    }),
  },
  flags: FLAGS,
  async run({ file, ...given }, run) {
    const nowMs = readTime(given.at);
    const toleranceMs = readDurationMs(given.tolerance);
    const request = await readCapturedRequest(file, run.io);
    const secret = await findSecret(given.secret, run);
    const { verifyWebhook } = await import("../../server/tools/tools.ts");
    show(verifyWebhook(request, { secret, nowMs, toleranceMs }), request, run);
  },
  examples: [
    "webhooks verify captured.http",
    `webhooks show last --json | ${PROGRAM} webhooks verify`,
    "webhooks verify captured.json --secret whsec_…",
    "webhooks verify captured.json --at 2026-11-21T12:00:00Z",
  ],
});

const HINTS: Record<Mistake, Message> = {
  missing_header: say`Configure proxies to pass webhook-id, webhook-timestamp and webhook-signature unchanged. A sandbox with --assume webhook.signature=none sends none of them.`,
  malformed_header: say`Capture the headers as they arrive: webhook-timestamp in whole seconds, webhook-signature as v1, and base64.`,
  empty_body: say`The body was read before it was captured. Read its bytes first, then parse them: express.raw(), await request.text().`,
  body_changed: say`Verify the bytes as they arrive, then parse them: express.raw(), await request.text(). Capture them without an editor's final newline.`,
  wrong_content: say`Sign webhook-id, webhook-timestamp and the body, joined by dots.`,
  secret_not_decoded: say`For the signing key, remove whsec_ from the secret and decode the rest from base64.`,
  secret_with_quotes_or_blanks: say`Remove them where the secret is stored; an .env file needs no quotes.`,
  wrong_secret: say`Compare the secret with the output of ${PROGRAM} secret. If they are equal, compare the request with ${PROGRAM} webhooks show ID --json.`,
  stale_timestamp: say`Verify a webhook when it arrives, or set its time of arrival with --at. A resend has a new timestamp (${PROGRAM} webhooks resend ID).`,
  future_timestamp: say`Correct the clock of the verifying machine, or set the time of arrival with --at. A resend has a new timestamp (${PROGRAM} webhooks resend ID).`,
};

function show(verdict: Verdict, request: CapturedRequest, { io, json }: Run): void {
  if (verdict.isValid) {
    const { id, warnings } = verdict;
    const type = typeOf(request.body);
    const signedAt = toIso(verdict.signedAtMs);
    if (json) {
      const texts = warnings.map((text) => english(text));
      return io.printJson({ valid: true, id, type, signed_at: signedAt, warnings: texts });
    }
    io.print(
      toSafeLine(
        localize(
          say`The signature is valid: ${type ?? localize(say`a webhook`)} ${id}, signed at ${toFullTime(new Date(verdict.signedAtMs))}.`,
        ),
      ),
    );
    for (const warning of warnings) io.printError(toSafeLine(localize(warning)));
    return;
  }
  const { mistake } = verdict;
  const message = toSafeLine(english(verdict.text));
  const hint = HINTS[mistake];
  if (json) io.printJson({ valid: false, mistake, message, hint: english(hint) });
  else io.print(say`Not valid: ${mistake}.`);
  throw new CliError(
    EXIT.checkFailed,
    "WEBHOOK_NOT_VALID",
    toSafeLine(localize(verdict.text)),
    hint,
  );
}

function typeOf(body: Buffer): string | null {
  try {
    const { type } = JSON.parse(body.toString()) as { type?: unknown };
    return typeof type === "string" ? type : null;
  } catch {
    return null;
  }
}

function readTime(at: string | undefined): number {
  const timeMs = at === undefined ? Date.now() : fromIso(at);
  if (timeMs !== undefined) return timeMs;
  throw usageError(
    say`Invalid --at ${JSON.stringify(at)}.`,
    say`Use a time such as 2026-11-21T12:00:00Z.`,
  );
}
