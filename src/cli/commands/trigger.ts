import type { Command } from "commander";
import type { LocalizedText } from "../../text/localized-text.ts";
import type { WirePayin } from "../../core/records/payin.ts";
import type { WirePayout } from "../../core/records/payout.ts";
import { toSafeLine } from "../../text/safe-text.ts";
import type { EventType } from "../../core/records/delivery.ts";
import type { WireDelivery } from "../../core/state/wire.ts";
import { SAMPLE } from "../../client/sample.ts";
import { type Page, toQuery } from "../../client/wire-client.ts";
import type { ReceivedWebhook } from "./webhooks-received.ts";
import { CliCommand } from "../command.ts";
import { SIGNATURE_STATUSES, VERIFY_STEP } from "../advice.ts";
import { type ClientOptions, type CommandClient, urlOption } from "../command-client.ts";
import {
  createPayin,
  createPayout,
  type PayinFields,
  type PayoutFields,
  randomCpf,
  withPayinFields,
  withPayoutFields,
} from "../create-record.ts";
import { CliError, EXIT } from "../errors.ts";
import { waitForFirstAttempt } from "../first-attempt.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";
import { withProgress } from "../progress.ts";
import { isAnswered, outcomeOf, renderDelivery } from "../render.ts";
import { PROGRAM } from "../../platform/program.ts";

/** How an event is caused: a record is created, and its status changes. */
interface Trigger {
  readonly type: EventType;
  readonly noun: "payin" | "payout";
  /** The control route that moves it. */
  readonly move: string;
  readonly description: LocalizedText;
}

const TRIGGERS: readonly Trigger[] = [
  {
    type: "payin.paid",
    noun: "payin",
    move: "pay",
    description: { en: "create a payin and pay it", pt: "cria um payin e o paga" },
  },
  {
    type: "payin.expired",
    noun: "payin",
    move: "expire",
    description: { en: "create a payin and expire it", pt: "cria um payin e o expira" },
  },
  {
    type: "payout.completed",
    noun: "payout",
    move: "complete",
    description: { en: "create a payout and complete it", pt: "cria um payout e o conclui" },
  },
  {
    type: "payout.canceled",
    noun: "payout",
    move: "cancel",
    description: { en: "create a payout and cancel it", pt: "cria um payout e o cancela" },
  },
  {
    type: "payment.received",
    noun: "payin",
    move: "pay",
    description: {
      en: "create a payin and pay it; the webhook goes to the configured address",
      pt: "cria um payin e o paga; o webhook vai para o endereço configurado",
    },
  },
  {
    type: "payment.failed",
    noun: "payin",
    move: "cancel",
    description: {
      en: "create a payin and cancel it; the webhook goes to the configured address",
      pt: "cria um payin e o cancela; o webhook vai para o endereço configurado",
    },
  },
];

interface TriggerOptions extends ClientOptions {
  readonly json?: boolean;
}

type WireRecord = WirePayin | WirePayout;

export function triggerCommand(io: Io): Command {
  const command = new CliCommand("trigger");
  command.subcommandNoun = { en: "event type", pt: "Tipo de evento desconhecido:" };
  for (const trigger of TRIGGERS) command.addCommand(eventCommand(trigger, io));
  return withExamples(command, [
    "trigger payin.paid",
    "trigger payin.paid --webhook-url http://localhost:3000/pix",
    "trigger payout.canceled --json",
  ]);
}

function eventCommand(trigger: Trigger, io: Io): Command {
  const { type, noun, description } = trigger;
  const withFields = noun === "payin" ? withPayinFields : withPayoutFields;
  const command = withFields(clientCommand(type).description(localize(description)));
  command.action(async (options: TriggerOptions & PayinFields & PayoutFields) => {
    const client = clientFor(options);
    if (type.startsWith("payment.")) await checkConfiguration(client, type, options.token);
    // The sample receiver can have another payout in progress.
    const isSample = command.getOptionValueSource("receiverCpf") === "default";
    const cause = async () => {
      const created =
        noun === "payin"
          ? await createPayin(client, options)
          : await createPayout(
              client,
              isSample ? { ...options, receiverCpf: randomCpf() } : options,
            );
      const moved = await client.control<WireRecord>(
        "POST",
        `/${noun}s/${created.id}/${trigger.move}`,
      );
      const query = toQuery({ type, transaction_id: moved.id });
      const { data } = await client.control<Page<WireDelivery>>("GET", `/deliveries${query}`);
      if (!data[0] && type !== "payin.expired") throw removed(noun, moved);
      return { record: moved, webhook: data[0] && (await waitForFirstAttempt(client, data[0].id)) };
    };
    const label = localize({ en: `Waiting for ${type}`, pt: `Esperando ${type}` });
    const { record, webhook } = await withProgress(io, { label, isSilent: options.json }, cause);
    if (options.json) {
      io.printJson({ record, webhook: webhook ?? null });
    } else {
      showRecord(noun, record, io);
      if (webhook) await showWebhook(client, webhook, io);
      else explainAbsence(io);
    }
    if (webhook) checkResponse(webhook, client);
  });
  return withExamples(command, [
    `trigger ${type}`,
    `trigger ${type} --value 25`,
    `trigger ${type} --webhook-url http://localhost:3000`,
  ]);
}

/** The events that go to each record's own address instead. */
const OTHER_EVENTS: Readonly<Record<string, string>> = {
  "payment.received": "payin.paid",
  "payment.failed": "payout.canceled",
};

/** @throws CliError if no configured address receives the event. */
async function checkConfiguration(
  client: CommandClient,
  type: EventType,
  token: string = SAMPLE.token,
): Promise<void> {
  let events: readonly string[] = [];
  try {
    ({ events } = await client.gateway<{ events: readonly string[] }>(
      "GET",
      "/webhooks",
      undefined,
      { token },
    ));
  } catch (error) {
    if (!(error instanceof CliError && error.exitCode === EXIT.notFound)) throw error;
  }
  if (events.includes(type)) return;
  throw new CliError(
    EXIT.notFound,
    "NOT_CONFIGURED",
    localize({
      en: `The integration ${token} has no address for ${type}.`,
      pt: `A integração ${token} não tem endereço para ${type}.`,
    }),
    localize({
      en: `Configure one: PUT ${client.url}/v1/webhooks with {"webhook_url":"…","events":["${type}"]} and the headers of a gateway call. Or use trigger ${OTHER_EVENTS[type] ?? "payin.paid"}.`,
      pt: `Configure um: PUT ${client.url}/v1/webhooks com {"webhook_url":"…","events":["${type}"]} e os cabeçalhos de uma chamada do gateway. Ou use trigger ${OTHER_EVENTS[type] ?? "payin.paid"}.`,
    }),
  );
}

function showRecord(noun: string, { id, status }: WireRecord, io: Io): void {
  io.print(localize({ en: `${noun} ${id} is ${status}`, pt: `${noun} ${id} está ${status}` }));
}

function removed(noun: string, { id }: WireRecord): CliError {
  return new CliError(
    EXIT.notFound,
    "NOT_FOUND",
    localize({
      en: `The webhook of ${noun} ${id} no longer exists.`,
      pt: `O webhook do ${noun} ${id} não existe mais.`,
    }),
    localize({
      en: "A reset or a restore has removed it. Run the command again.",
      pt: "Um reset ou um restore o removeu. Rode o comando de novo.",
    }),
  );
}

/** Explains why payin.expired has no webhook. */
function explainAbsence(io: Io): void {
  io.printError(
    localize({
      en: `No webhook: the assumption payin.expiry_event is none.\nTo send payin.expired: ${PROGRAM} serve --assume payin.expiry_event=webhook`,
      pt: `Nenhum webhook: a premissa payin.expiry_event é none.\nPara enviar payin.expired: ${PROGRAM} serve --assume payin.expiry_event=webhook`,
    }),
  );
}

async function showWebhook(client: CommandClient, webhook: WireDelivery, io: Io): Promise<void> {
  io.print(`\n${renderDelivery(webhook, io.color)}`);
  const [, sink] = /\/_sandbox\/sink\/([\w-]+)$/.exec(webhook.url) ?? [];
  if (sink === undefined) return;
  const page = await client.list<ReceivedWebhook>("/sink", { sink });
  const received = page.find((one) => one.webhook_id === webhook.id);
  if (!received) return;
  const { verified, message } = received;
  io.print(
    verified
      ? io.color.green(
          localize({
            en: "   verified: the signature is valid",
            pt: "   verificado: a assinatura é válida",
          }),
        )
      : io.color.red(
          `   ${localize({ en: "not valid", pt: "não é válido" })}: ${toSafeLine(message ?? "")}`,
        ),
  );
  // A configured address receives the other events.
  if (webhook.type.startsWith("payment.")) return;
  const next = `${PROGRAM} trigger ${webhook.type} --webhook-url URL${urlOption(client.url)}`;
  io.printError(
    `\n${localize({ en: "Next, your own handler", pt: "A seguir, o seu handler" })}: ${next}`,
  );
}

/** @throws CliError if the response to the first attempt is not a 2xx. */
function checkResponse({ id, url, attempts: [first] }: WireDelivery, client: CommandClient): void {
  if (first && isAnswered(first)) return;
  const at = urlOption(client.url);
  const isRefused = first && "status" in first && SIGNATURE_STATUSES.has(first.status);
  const outcome = first
    ? outcomeOf(first)
    : localize({ en: "not sent yet", pt: "ainda não enviado" });
  throw new CliError(
    EXIT.checkFailed,
    "WEBHOOK_NOT_DELIVERED",
    toSafeLine(
      localize({
        en: `The webhook to ${url} failed: ${outcome}.`,
        pt: `O webhook para ${url} falhou: ${outcome}.`,
      }),
    ),
    first
      ? [
          ...(isRefused ? [localize(VERIFY_STEP)] : []),
          localize({
            en: `To send it again: ${PROGRAM} webhooks resend ${id}${at}`,
            pt: `Para reenviar: ${PROGRAM} webhooks resend ${id}${at}`,
          }),
        ].join("\n")
      : localize({
          en: `It is due later, and the clock is frozen. Move it: ${PROGRAM} clock advance 1s${at}`,
          pt: `Ele vence depois, e o relógio está congelado. Mova o relógio: ${PROGRAM} clock advance 1s${at}`,
        }),
  );
}
