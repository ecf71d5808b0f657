import { isSigningSecret, SIGNING_SECRET_RULE } from "../../wire/forms.ts";
import type { Run } from "../definition/define-command.ts";
import { CliError, EXIT, usageError } from "../terminal/errors.ts";
import { parsed } from "../definition/parameters.ts";
import { say } from "../../text/message.ts";

export const SECRET = parsed("secret", readSecret, say`whsec_… (default: the running sandbox's)`, {
  env: "PIX_SANDBOX_SECRET",
});

function readSecret(text: string): string {
  if (isSigningSecret(text)) return text;
  // Commander's own error would show the value.
  throw usageError(
    say`Invalid secret.`,
    say`${SIGNING_SECRET_RULE} Pass it with --secret or PIX_SANDBOX_SECRET, or leave both out for the running sandbox's.`,
  );
}

/** Returns the given secret, or else the running sandbox's. */
export async function findSecret(
  given: string | undefined,
  { client }: Pick<Run, "client">,
): Promise<string> {
  if (given !== undefined) return given;
  try {
    return (await client.call("GET /secret")).secret;
  } catch (error) {
    if (!(error instanceof CliError && error.exitCode === EXIT.noSandbox)) throw error;
    throw usageError(
      say`No secret to verify with. ${error.message}`,
      say`Set it with --secret whsec_… or PIX_SANDBOX_SECRET, or start the sandbox that signed.`,
    );
  }
}
