import { Option } from "commander";
import { isSigningSecret, SIGNING_SECRET_RULE } from "../wire/signing-secret.ts";
import type { ClientOptions } from "./command-client.ts";
import { CliError, EXIT, usageError } from "./errors.ts";
import { localize } from "./language.ts";
import { clientFor } from "./options.ts";
import { arg } from "./placeholders.ts";

export interface SecretOptions extends ClientOptions {
  readonly secret?: string;
}

/** The secret that signs or verifies webhooks. */
export function secretOption(): Option {
  return new Option(
    `--secret ${arg("secret")}`,
    localize({
      en: "whsec_… (default: the running sandbox's)",
      pt: "whsec_… (padrão: o do sandbox que está rodando)",
    }),
  )
    .argParser((text) => {
      if (isSigningSecret(text)) return text;
      // Commander's own error would show the value.
      throw usageError(
        localize({ en: "Invalid secret.", pt: "Segredo inválido." }),
        localize({
          en: `${SIGNING_SECRET_RULE.en} Pass it with --secret or PIX_SANDBOX_SECRET, or leave both out for the running sandbox's.`,
          pt: `${SIGNING_SECRET_RULE.pt} Passe-o com --secret ou PIX_SANDBOX_SECRET, ou omita os dois para usar o do sandbox que está rodando.`,
        }),
      );
    })
    .env("PIX_SANDBOX_SECRET");
}

/** Returns the given secret, or else the running sandbox's. */
export async function findSecret({ secret, ...options }: SecretOptions): Promise<string> {
  if (secret !== undefined) return secret;
  try {
    return (await clientFor(options).control<{ secret: string }>("GET", "/secret")).secret;
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
