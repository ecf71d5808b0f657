import { type Command, Option } from "commander";
import { fromIso, toIso } from "../../core/time/timestamp.ts";
import type { Mistake, Verdict } from "../../sandbox/tools.ts";
import {
  type CapturedRequest,
  readCapturedParts,
  readCapturedRequest,
} from "../captured-request.ts";
import type { ClientOptions } from "../client.ts";
import { readDurationMs } from "../duration.ts";
import { CliError, EXIT, usageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { t, tell, tellSentence } from "../language.ts";
import { clientCommand, clientFor, collect, withExamples } from "../options.ts";
import { toSafeLine } from "../../core/safe-text.ts";

interface VerifyOptions extends ClientOptions {
  readonly secret?: string;
  readonly header?: readonly string[];
  readonly body?: string;
  readonly at?: string;
  readonly tolerance: string;
  readonly json?: boolean;
}

export function verifyCommand(io: Io): Command {
  const command = clientCommand("verify")
    .description("say whether a captured webhook's signature holds, and if not, why")
    .argument("[file]", "the captured request, raw or as JSON; - is stdin, and so is nothing")
    .addOption(
      new Option("--secret <secret>", "whsec_… (default: the running sandbox's)").env(
        "PIX_SANDBOX_SECRET",
      ),
    )
    .option("--header <header>", "a header as 'name: value', with --body; repeatable", collect)
    .option("--body <file>", "the file that holds the body alone, with --header")
    .option("--at <time>", "when it is verified, such as 2026-11-21T12:00:00Z (default: now)")
    .option("--tolerance <duration>", "how far off its timestamp may lie", "5m")
    .action(async (file: string | undefined, options: VerifyOptions) => {
      const nowMs = readTime(options.at);
      const toleranceMs = readDurationMs(options.tolerance);
      const request = await readRequest(file, options);
      const secret = await findSecret(options);
      const { verifyWebhook } = await import("../../sandbox/tools.ts");
      show(verifyWebhook(request, { secret, nowMs, toleranceMs }), request, options, io);
    });
  return withExamples(command, [
    "webhooks verify captured.http",
    "webhooks show evt_0123456789abcdef0123456789abcdef --json | pix-sandbox webhooks verify",
    "webhooks verify captured.json --secret whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw --at 2026-11-21T12:00:00Z",
  ]);
}

/** What to do about each mistake. */
const HINTS: Record<Mistake, string> = {
  missing_header:
    "Let proxies pass webhook-id, webhook-timestamp and webhook-signature under these names. A sandbox with --assume webhook.signature=none sends none of them.",
  malformed_header:
    "Capture the headers as they arrive: webhook-timestamp in whole seconds, webhook-signature as v1, and base64.",
  empty_body:
    "Something read the body before it was captured. Take its bytes first, then parse them: express.raw(), await request.text().",
  body_changed:
    "Verify the bytes as they arrive, and parse them after that: express.raw(), await request.text(). Capture them without an editor's newline.",
  wrong_content:
    "Whoever signs has to sign webhook-id, webhook-timestamp and the body, joined by dots.",
  secret_not_decoded:
    "Whoever signs has to take whsec_ off the secret and decode the rest from base64: that is the key.",
  secret_with_quotes_or_blanks:
    "Take them off where the secret is kept; in an .env file it needs no quotes.",
  wrong_secret:
    "Compare the secret with what pix-sandbox secret prints. If it is the same, compare the request with what was sent: pix-sandbox webhooks show ID --json.",
  stale_timestamp:
    "Verify a webhook when it arrives; a resend has a new timestamp (pix-sandbox webhooks resend ID). Here, --at says when it arrived.",
  future_timestamp:
    "Set the clock of the machine that verifies; a resend has a new timestamp (pix-sandbox webhooks resend ID). Here, --at says when it arrived.",
};

function show(verdict: Verdict, request: CapturedRequest, options: VerifyOptions, io: Io): void {
  if (verdict.isValid) {
    const { id, warnings } = verdict;
    const type = typeOf(request.body);
    const signedAt = toIso(verdict.signedAtMs);
    if (options.json) {
      const texts = warnings.map(({ en }) => en);
      return io.printJson({ valid: true, id, type, signed_at: signedAt, warnings: texts });
    }
    io.print(
      toSafeLine(t`The signature holds: ${type ?? t`a webhook`} ${id}, signed at ${signedAt}.`),
    );
    for (const warning of warnings) io.say(toSafeLine(tellSentence(warning)));
    return;
  }
  const { mistake } = verdict;
  const message = toSafeLine(verdict.text.en);
  const hint = HINTS[mistake];
  if (options.json) io.printJson({ valid: false, mistake, message, hint });
  else io.print(t`Not valid: ${mistake}.`);
  throw new CliError(
    EXIT.checkFailed,
    "WEBHOOK_NOT_VALID",
    toSafeLine(tellSentence(verdict.text)),
    tell(hint),
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
    t`--at does not take ${JSON.stringify(at)}.`,
    t`Write it like 2026-11-21T12:00:00Z.`,
  );
}

function readRequest(
  file: string | undefined,
  { header, body }: VerifyOptions,
): Promise<CapturedRequest> {
  if (header === undefined && body === undefined) return readCapturedRequest(file);
  if (header === undefined || body === undefined || file !== undefined) {
    throw usageError(
      t`--header and --body go together, and with no other file.`,
      t`Give each header with --header 'name: value', and the body's file with --body.`,
    );
  }
  return readCapturedParts(header, body);
}

/** The one that is given, or else the running sandbox's. */
async function findSecret({ secret, ...options }: VerifyOptions): Promise<string> {
  if (secret !== undefined && secret.trim() !== "") return secret;
  try {
    return (await clientFor(options).control<{ secret: string }>("GET", "/secret")).secret;
  } catch (error) {
    if (!(error instanceof CliError && error.exitCode === EXIT.noSandbox)) throw error;
    throw usageError(
      t`There is no secret to verify with. ${error.message}`,
      t`Give it with --secret whsec_… or PIX_SANDBOX_SECRET, or start the sandbox that signed.`,
    );
  }
}
