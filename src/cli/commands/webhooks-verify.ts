import { fromIso, toIso } from "../../wire/timestamp.ts";
import type { Mistake, Verdict } from "../../server/tools/tools.ts";
import {
  type CapturedRequest,
  readCapturedParts,
  readCapturedRequest,
} from "../webhooks/captured-request.ts";
import { readDurationMs } from "../terminal/duration.ts";
import { CliError, EXIT, usageError } from "../terminal/errors.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { defineOwnCommand, type Run } from "../definition/define-command.ts";
import { type Given, repeatable, freeText } from "../definition/parameters.ts";
import { toSafeLine } from "../../text/safe-text.ts";
import type { LocalizedText } from "../../text/localized-text.ts";
import { findSecret, SECRET } from "../webhooks/signing-secret.ts";
import { PROGRAM } from "../../platform/program.ts";

const FLAGS = {
  secret: SECRET,
  header: repeatable("header", {
    en: "a header as 'name: value', with --body; repeatable",
    pt: "um cabeçalho como 'nome: valor', com --body; pode ser repetida",
  }),
  body: freeText("file", {
    en: "the file with only the body, with --header",
    pt: "o arquivo só com o corpo, com --header",
  }),
  at: freeText("time", {
    en: "the time of verification, such as 2026-11-21T12:00:00Z (default: now)",
    pt: "o instante da verificação, como 2026-11-21T12:00:00Z (padrão: agora)",
  }),
  tolerance: freeText(
    "duration",
    { en: "the maximum age of the timestamp", pt: "a idade máxima do timestamp" },
    { default: "5m" },
  ),
};

export const verify = defineOwnCommand("webhooks verify", {
  summary: {
    en: "verify the signature of a captured webhook, and explain a mismatch",
    pt: "verifica a assinatura de um webhook capturado e explica o que não confere",
  },
  arguments: {
    file: freeText(
      "file",
      {
        en: "the captured request, raw or as JSON (default: -, stdin)",
        pt: "a requisição capturada, crua ou em JSON (padrão: -, stdin)",
      },
      { isOptional: true },
    ),
  },
  flags: FLAGS,
  async run({ file, ...given }, run) {
    const nowMs = readTime(given.at);
    const toleranceMs = readDurationMs(given.tolerance);
    const request = await readRequest(file, given, run.io);
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

/** The advice for each mistake. */
const HINTS: Record<Mistake, LocalizedText> = {
  missing_header: {
    en: "Configure proxies to pass webhook-id, webhook-timestamp and webhook-signature unchanged. A sandbox with --assume webhook.signature=none sends none of them.",
    pt: "Configure os proxies para repassar webhook-id, webhook-timestamp e webhook-signature sem mudanças. Um sandbox com --assume webhook.signature=none não envia nenhum deles.",
  },
  malformed_header: {
    en: "Capture the headers as they arrive: webhook-timestamp in whole seconds, webhook-signature as v1, and base64.",
    pt: "Capture os cabeçalhos como chegam: webhook-timestamp em segundos inteiros, webhook-signature como v1, e base64.",
  },
  empty_body: {
    en: "The body was read before it was captured. Read its bytes first, then parse them: express.raw(), await request.text().",
    pt: "O corpo foi lido antes da captura. Leia primeiro os bytes, depois interprete: express.raw(), await request.text().",
  },
  body_changed: {
    en: "Verify the bytes as they arrive, then parse them: express.raw(), await request.text(). Capture them without an editor's final newline.",
    pt: "Verifique os bytes como chegam, depois interprete: express.raw(), await request.text(). Capture sem a quebra de linha final de um editor.",
  },
  wrong_content: {
    en: "Sign webhook-id, webhook-timestamp and the body, joined by dots.",
    pt: "Assine webhook-id, webhook-timestamp e o corpo, unidos por pontos.",
  },
  secret_not_decoded: {
    en: "For the signing key, remove whsec_ from the secret and decode the rest from base64.",
    pt: "Para a chave de assinatura, remova whsec_ do segredo e decodifique o resto de base64.",
  },
  secret_with_quotes_or_blanks: {
    en: "Remove them where the secret is stored; an .env file needs no quotes.",
    pt: "Remova-os de onde o segredo está guardado; um arquivo .env não precisa de aspas.",
  },
  wrong_secret: {
    en: `Compare the secret with the output of ${PROGRAM} secret. If they are equal, compare the request with ${PROGRAM} webhooks show ID --json.`,
    pt: `Compare o segredo com a saída de ${PROGRAM} secret. Se forem iguais, compare a requisição com ${PROGRAM} webhooks show ID --json.`,
  },
  stale_timestamp: {
    en: `Verify a webhook when it arrives, or set its time of arrival with --at. A resend has a new timestamp (${PROGRAM} webhooks resend ID).`,
    pt: `Verifique um webhook quando ele chega, ou informe o instante da chegada com --at. Um reenvio tem um timestamp novo (${PROGRAM} webhooks resend ID).`,
  },
  future_timestamp: {
    en: `Correct the clock of the verifying machine, or set the time of arrival with --at. A resend has a new timestamp (${PROGRAM} webhooks resend ID).`,
    pt: `Acerte o relógio da máquina que verifica, ou informe o instante da chegada com --at. Um reenvio tem um timestamp novo (${PROGRAM} webhooks resend ID).`,
  },
};

function show(verdict: Verdict, request: CapturedRequest, { io, json }: Run): void {
  if (verdict.isValid) {
    const { id, warnings } = verdict;
    const type = typeOf(request.body);
    const signedAt = toIso(verdict.signedAtMs);
    if (json) {
      const texts = warnings.map(({ en }) => en);
      return io.printJson({ valid: true, id, type, signed_at: signedAt, warnings: texts });
    }
    io.print(
      toSafeLine(
        localize({
          en: `The signature is valid: ${type ?? localize({ en: "a webhook", pt: "um webhook" })} ${id}, signed at ${signedAt}.`,
          pt: `A assinatura é válida: ${type ?? localize({ en: "a webhook", pt: "um webhook" })} ${id}, assinado em ${signedAt}.`,
        }),
      ),
    );
    for (const warning of warnings) io.printError(toSafeLine(localize(warning)));
    return;
  }
  const { mistake } = verdict;
  const message = toSafeLine(verdict.text.en);
  const hint = HINTS[mistake];
  if (json) io.printJson({ valid: false, mistake, message, hint: hint.en });
  else io.print(localize({ en: `Not valid: ${mistake}.`, pt: `Não é válido: ${mistake}.` }));
  throw new CliError(
    EXIT.checkFailed,
    "WEBHOOK_NOT_VALID",
    toSafeLine(localize(verdict.text)),
    localize(hint),
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
    localize({
      en: `Invalid --at ${JSON.stringify(at)}.`,
      pt: `--at inválido: ${JSON.stringify(at)}.`,
    }),
    localize({
      en: "Use a time such as 2026-11-21T12:00:00Z.",
      pt: "Use um instante como 2026-11-21T12:00:00Z.",
    }),
  );
}

function readRequest(
  file: string | undefined,
  { header, body }: Given<unknown, typeof FLAGS>,
  io: Io,
): Promise<CapturedRequest> {
  if (header === undefined && body === undefined) return readCapturedRequest(file, io);
  if (header === undefined || body === undefined || file !== undefined) {
    throw usageError(
      localize({
        en: "Use --header and --body together, without a file argument.",
        pt: "Use --header e --body juntas, sem um arquivo como argumento.",
      }),
      localize({
        en: "Pass each header with --header 'name: value', and the body's file with --body.",
        pt: "Passe cada cabeçalho com --header 'nome: valor', e o arquivo do corpo com --body.",
      }),
    );
  }
  return readCapturedParts(header, body, io);
}
