import { Command } from "commander";
import type { WireDelivery } from "../../core/wire.ts";
import type { ClientOptions } from "../client.ts";
import { usageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { t } from "../language.ts";
import { clientCommand, clientFor, someText, wholeNumber, withExamples } from "../options.ts";
import { renderDeliveries, renderDelivery } from "../render.ts";
import { type Page, reportMore } from "./records.ts";
import { toFilterQuery, type WebhookFilter, withFilter } from "./webhooks-filter.ts";
import { tailCommand } from "./webhooks-tail.ts";
import { verifyCommand } from "./webhooks-verify.ts";

interface ListOptions extends ClientOptions, WebhookFilter {
  readonly limit: number;
  readonly after?: string;
  readonly json?: boolean;
}

interface ResendOptions extends ClientOptions, WebhookFilter {
  readonly all?: boolean;
  readonly json?: boolean;
}

export function webhooksCommand(io: Io): Command {
  const command = new Command("webhooks")
    .description("watch, list, repeat and verify webhooks")
    .addCommand(tailCommand(io))
    .addCommand(listCommand(io))
    .addCommand(showCommand(io))
    .addCommand(resendCommand(io))
    .addCommand(verifyCommand(io));
  return withExamples(command, [
    "webhooks tail --forward-to http://localhost:3000/webhooks/pix",
    "webhooks list --status failed",
    "webhooks resend --status failed",
    "webhooks verify captured.http",
  ]);
}

function listCommand(io: Io): Command {
  const command = withFilter(clientCommand("list").description("list webhooks, oldest first"))
    .option("--limit <number>", "at most so many", wholeNumber(1, 1000), 100)
    .option("--after <id>", "only those behind this one")
    .action(async ({ limit, after, json, ...options }: ListOptions) => {
      const query = toFilterQuery(options, { limit, after });
      const page = await clientFor(options).control<Page<WireDelivery>>(
        "GET",
        `/deliveries${query}`,
      );
      if (json) return io.printJson(page);
      io.print(renderDeliveries(page.data, io.colour));
      return reportMore(io, page);
    });
  return withExamples(command, ["webhooks list", "webhooks list --status failed --json"]);
}

function showCommand(io: Io): Command {
  const command = clientCommand("show")
    .description("show a webhook: its bytes, and each attempt with its answer")
    .argument("<id>", "the webhook's id (evt_…)", someText)
    .action(async (id: string, { json, ...options }: ListOptions) => {
      const path = `/deliveries/${encodeURIComponent(id)}`;
      const delivery = await clientFor(options).control<WireDelivery>("GET", path);
      if (json) io.printJson(delivery);
      else io.print(renderDelivery(delivery, io.colour));
    });
  return withExamples(command, ["webhooks show evt_0123456789abcdef0123456789abcdef"]);
}

function resendCommand(io: Io): Command {
  const command = withFilter(
    clientCommand("resend")
      .description("send a webhook once more, or all that the options name: same id, same bytes")
      .argument("[id]", "the webhook's id (evt_…)", someText),
  )
    .option("--all", "every webhook there is")
    .action(async (id: string | undefined, { json, all, ...options }: ResendOptions) => {
      const query = toFilterQuery(options);
      const isOne = id !== undefined;
      if (isOne === (all === true || query !== "")) {
        throw usageError(
          isOne
            ? t`An id names one webhook already; it goes with no other option.`
            : t`Say what to resend.`,
          t`Name an id, or choose with --type, --transaction or --status, or say --all.`,
        );
      }
      const path = isOne
        ? `/deliveries/${encodeURIComponent(id)}/resend`
        : `/deliveries/resend${query}`;
      const answer = await clientFor(options).control<WireDelivery | Page<WireDelivery>>(
        "POST",
        path,
      );
      if (json) return io.printJson(answer);
      return io.print(renderDeliveries("data" in answer ? answer.data : [answer], io.colour));
    });
  return withExamples(command, [
    "webhooks resend evt_0123456789abcdef0123456789abcdef",
    "webhooks resend --status failed",
  ]);
}
