import { urlOption } from "../client/command-client.ts";
import { InvalidArgumentError } from "commander";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { toIso } from "../../wire/timestamp.ts";
import { wallNowMs } from "../../platform/real-time.ts";
import type {
  ArrivedWebhook,
  WebhookResponse,
  WebhookServer,
} from "../../webhook-diagnosis/webhook-server.ts";
import { readDurationMs } from "../terminal/duration.ts";
import { CliError, EXIT, usageError } from "../terminal/errors.ts";
import { stopSignal } from "../records/following.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { defineOwnCommand } from "../definition/define-command.ts";
import { integer, parsed, freeText } from "../definition/parameters.ts";
import { idFor } from "../output/render.ts";
import { toTime } from "../terminal/times.ts";
import { findSecret, SECRET } from "../webhooks/signing-secret.ts";
import { PROGRAM } from "../../platform/program.ts";
import { say } from "../../text/message.ts";
import { english } from "../../text/languages.ts";

const MAX_DELAY_MS = 600_000;

export const listenCommand = defineOwnCommand("listen", {
  flags: {
    port: integer([0, 65_535], "port", say`the port to listen on; 0 takes a free one`, {
      default: 0,
    }),
    status: parsed(
      "number",
      readStatuses,
      say`the status of each response, or a list such as 500,200 whose last one repeats`,
      { default: [200], defaultText: "200" },
    ),
    delay: freeText("duration", say`wait before each response`, { default: "0s" }),
    secret: SECRET,
  },
  async run({ port, status, delay, secret: given }, run) {
    const { io, json } = run;
    const delayMs = readDelayMs(delay);
    const secret = await findSecret(given, run);
    using stopping = stopSignal(io);
    const onWebhook = (webhook: ArrivedWebhook, response: WebhookResponse): void => {
      if (json) io.printJson(toJson(webhook, response));
      else io.print(renderWebhook(webhook, response, io));
    };
    await using server = await open({ secret, port, delayMs, onWebhook });
    server.respondWith(status);
    if (json) io.printJson({ type: "listening", url: server.url });
    else showAddress(server.url, urlOption(run.client.url), io);
    await new Promise<void>((resolve) => {
      if (stopping.signal.aborted) resolve();
      stopping.signal.addEventListener("abort", () => resolve());
    });
  },
  examples: ["listen", "listen --port 4000 --status 500,200", "listen --delay 12s --json"],
});

function showAddress(url: string, sandbox: string, io: Io): void {
  io.print(say`Receiving webhooks at ${url}`);
  io.printError(
    say`Ctrl-C to stop. Next: ${PROGRAM} trigger payin.paid --webhook-url ${url}${sandbox}`,
  );
}

function toJson(
  { id, type, transactionId, flaw, headers, rawBody }: ArrivedWebhook,
  response: WebhookResponse,
) {
  return {
    type: "webhook",
    at: toIso(wallNowMs()),
    id,
    event: type,
    transaction_id: transactionId || null,
    verified: flaw === null,
    mistake: flaw?.mistake ?? null,
    message: flaw ? toSafeLine(english(flaw.text)) : null,
    status: response,
    headers,
    body: rawBody,
  };
}

function renderWebhook(
  { id, type, transactionId, flaw }: ArrivedWebhook,
  response: WebhookResponse,
  io: Io,
): string {
  const { color } = io;
  const ids = [id, transactionId]
    .filter((one) => one !== "")
    .map((one) => idFor(toSafeLine(one), io.isTerminal));
  const head = [
    color.dim(toTime(new Date(wallNowMs()))),
    color.bold(toSafeLine(type || "?")),
    ...ids,
    String(response),
  ].join("  ");
  return flaw === null
    ? `${head}  ${color.green(localize(say`verified`))}`
    : [
        `${head}  ${color.red(localize(say`not valid: ${flaw.mistake}`))}`,
        color.yellow(`!!  ${toSafeLine(localize(flaw.text))}`),
      ].join("\n");
}

function readStatuses(text: string): readonly number[] {
  const statuses = text.split(",").map((one) => one.trim());
  if (statuses.every((one) => /^[2-5]\d\d$/.test(one))) return statuses.map(Number);
  throw new InvalidArgumentError(
    localize(say`Use an HTTP status from 200 to 599, or a list of them such as 500,200.`),
  );
}

function readDelayMs(text: string): number {
  const delayMs = readDurationMs(text);
  if (delayMs <= MAX_DELAY_MS) return delayMs;
  throw usageError(say`Invalid --delay. Use at most 10m.`);
}

async function open(options: Parameters<typeof WebhookServer.open>[0]): Promise<WebhookServer> {
  const { WebhookServer: Server } = await import("../../webhook-diagnosis/webhook-server.ts");
  try {
    return await Server.open(options);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "EADDRINUSE" && code !== "EACCES") throw error;
    throw new CliError(
      EXIT.inUse,
      "PORT_TAKEN",
      say`The receiver cannot use port ${options.port ?? ""}: ${message}.`,
      say`Choose another port with --port, or a free one with --port 0.`,
    );
  }
}
