import type { Command } from "commander";
import type { WireDelivery } from "../../core/state/wire.ts";
import { type ClientOptions, type CommandClient, urlOption } from "../command-client.ts";
import { CliError, EXIT, usageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";
import { type ListOptions, printList, printTable, withListOptions } from "../list.ts";
import { clientCommand, clientFor, someText, withExamples } from "../options.ts";
import { DELIVERIES } from "../deliveries.ts";
import { withResentCount } from "../progress.ts";
import { isAnswered, renderDelivery } from "../render.ts";
import { idHelp, resolveId } from "../resolve-id.ts";
import { type Page, toQuery } from "../../client/wire-client.ts";
import { resolveFilter, toFilter, type WebhookFilter, withFilter } from "./webhooks-filter.ts";
import { tailCommand } from "./webhooks-tail.ts";
import { receivedCommand } from "./webhooks-received.ts";
import { verifyCommand } from "./webhooks-verify.ts";
import { CliCommand } from "../command.ts";
import { PROGRAM } from "../../platform/program.ts";

interface ResendOptions extends ClientOptions, WebhookFilter {
  readonly all?: boolean;
  readonly json?: boolean;
}

export function webhooksCommand(io: Io): Command {
  const command = new CliCommand("webhooks")
    .addCommand(tailCommand(io))
    .addCommand(listCommand(io))
    .addCommand(showCommand(io))
    .addCommand(resendCommand(io))
    .addCommand(receivedCommand(io))
    .addCommand(verifyCommand(io));
  return withExamples(command, [
    "webhooks tail --forward-to http://localhost:3000/pix",
    "webhooks list --status failed",
    "webhooks resend --status failed",
    "webhooks verify captured.http",
  ]);
}

function listCommand(io: Io): Command {
  const command = withFilter(
    clientCommand("list").description(
      localize({
        en: "list the newest webhooks, the newest last",
        pt: "lista os webhooks mais recentes, com o mais novo no fim",
      }),
    ),
  );
  withListOptions(command).action(async (options: ListOptions & WebhookFilter) => {
    const filter = toFilter(await resolveFilter(clientFor(options), options));
    const list = { path: "/deliveries", kind: "webhook", filter, table: DELIVERIES } as const;
    await printList(io, list, options);
  });
  return withExamples(command, ["webhooks list", "webhooks list --status failed --json"]);
}

function showCommand(io: Io): Command {
  const command = clientCommand("show")
    .description(
      localize({
        en: "show a webhook: its bytes, and each attempt with its response",
        pt: "mostra um webhook: os bytes e cada tentativa com a resposta",
      }),
    )
    .argument("<id>", idHelp("webhook"), someText)
    .action(
      async (id: string, { json, ...options }: ClientOptions & { readonly json?: boolean }) => {
        const client = clientFor(options);
        const path = `/deliveries/${await resolveId(client, "webhook", id)}`;
        const delivery = await client.control<WireDelivery>("GET", path);
        if (json) io.printJson(delivery);
        else io.print(renderDelivery(delivery, io.color));
      },
    );
  return withExamples(command, [
    "webhooks show last",
    "webhooks show evt_0123456789abcdef0123456789abcdef",
  ]);
}

function resendCommand(io: Io): Command {
  const command = withFilter(
    clientCommand("resend")
      .description(
        localize({
          en: "resend a webhook, or all that match the options, with the same id and bytes",
          pt: "reenvia um webhook, ou todos os que correspondem às opções, com o mesmo id e os mesmos bytes",
        }),
      )
      .argument("[id]", idHelp("webhook"), someText),
  )
    .option("--all", localize({ en: "every webhook", pt: "todos os webhooks" }))
    .action(async (id: string | undefined, { json, all, ...options }: ResendOptions) => {
      const hasFilter = toQuery(toFilter(options)) !== "";
      const isOne = id !== undefined;
      if (isOne === (all === true || hasFilter)) {
        throw usageError(
          isOne
            ? localize({
                en: "Do not combine an id with other options.",
                pt: "Não combine um id com outras opções.",
              })
            : localize({
                en: "Select the webhooks to resend.",
                pt: "Selecione os webhooks a reenviar.",
              }),
          localize({
            en: "Pass an id, or use --type, --transaction, --status or --all.",
            pt: "Passe um id, ou use --type, --transaction, --status ou --all.",
          }),
        );
      }
      const client = clientFor(options);
      const path = isOne
        ? `/deliveries/${await resolveId(client, "webhook", id)}/resend`
        : `/deliveries/resend${toQuery(toFilter(await resolveFilter(client, options)))}`;
      const label = localize({ en: "Resending", pt: "Reenviando" });
      const answer = await withResentCount(io, client, { label, isSilent: json }, () =>
        client.control<WireDelivery | Page<WireDelivery>>("POST", path),
      );
      const resent = "data" in answer ? answer.data : [answer];
      if (json) io.printJson(answer);
      else await printTable(io, DELIVERIES, resent, client);
      const failed = resent.filter(({ attempts }) => !isAnswered(attempts.at(-1) ?? {}));
      if (!json && resent.length > 0) io.printError(renderSummary(resent.length, failed.length));
      const [first] = failed;
      if (first) throw notAnswered(first, failed.length, resent.length, client);
    });
  return withExamples(command, [
    "webhooks resend evt_0123456789abcdef0123456789abcdef",
    "webhooks resend --status failed",
  ]);
}

function renderSummary(resent: number, failed: number): string {
  return localize({
    en: `Resent: ${resent}. Answered with 2xx: ${resent - failed}. Failed: ${failed}.`,
    pt: `Reenviados: ${resent}. Respondidos com 2xx: ${resent - failed}. Falharam: ${failed}.`,
  });
}

function notAnswered(
  { id }: WireDelivery,
  failed: number,
  resent: number,
  { url }: CommandClient,
): CliError {
  return new CliError(
    EXIT.checkFailed,
    "RESEND_FAILED",
    localize({
      en: `${failed} of ${resent} webhooks got no 2xx response.`,
      pt: `Webhooks sem resposta 2xx: ${failed} de ${resent}.`,
    }),
    localize({
      en: `See the responses with: ${PROGRAM} webhooks show ${id}${urlOption(url)}`,
      pt: `Veja as respostas com: ${PROGRAM} webhooks show ${id}${urlOption(url)}`,
    }),
  );
}
