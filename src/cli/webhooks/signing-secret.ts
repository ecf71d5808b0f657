import { isSigningSecret, SIGNING_SECRET_RULE } from "../../wire/signing-secret.ts";
import { SHOW_SECRET } from "../../core/state/wire-routes.ts";
import type { Run } from "../definition/define-command.ts";
import { CliError, EXIT, usageError } from "../terminal/errors.ts";
import { localize } from "../terminal/language.ts";
import { parsed } from "../definition/parameters.ts";

/** The option with the secret that signs or verifies webhooks. */
export const SECRET = parsed(
  "secret",
  readSecret,
  {
    en: "whsec_… (default: the running sandbox's)",
    pt: "whsec_… (padrão: o do sandbox que está rodando)",
  },
  { env: "PIX_SANDBOX_SECRET" },
);

function readSecret(text: string): string {
  if (isSigningSecret(text)) return text;
  // Commander's own error would show the value.
  throw usageError(
    localize({ en: "Invalid secret.", pt: "Segredo inválido." }),
    localize({
      en: `${SIGNING_SECRET_RULE.en} Pass it with --secret or PIX_SANDBOX_SECRET, or leave both out for the running sandbox's.`,
      pt: `${SIGNING_SECRET_RULE.pt} Passe-o com --secret ou PIX_SANDBOX_SECRET, ou omita os dois para usar o do sandbox que está rodando.`,
    }),
  );
}

/** Returns the given secret, or else the running sandbox's. */
export async function findSecret(given: string | undefined, run: Run): Promise<string> {
  if (given !== undefined) return given;
  try {
    return (await run.client.call(SHOW_SECRET)).secret;
  } catch (error) {
    if (!(error instanceof CliError && error.exitCode === EXIT.noSandbox)) throw error;
    throw usageError(
      localize({
        en: `No secret to verify with. ${error.message}`,
        pt: `Falta o segredo para verificar. ${error.message}`,
      }),
      localize({
        en: "Set it with --secret whsec_… or PIX_SANDBOX_SECRET, or start the sandbox that signed.",
        pt: "Informe-o com --secret whsec_… ou PIX_SANDBOX_SECRET, ou inicie o sandbox que assinou.",
      }),
    );
  }
}
