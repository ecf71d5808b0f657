import { toSafeLine } from "../../text/plain/safe-text.ts";
import { EVENT_TYPES, type EventType } from "../../core/records/transaction.ts";
import type { WireDelivery } from "../../core/state/wire.ts";
import { PROGRAM } from "../../platform/program.ts";
import { SAMPLE } from "../../wire/sample.ts";
import { SIGNATURE_STATUSES, VERIFY_STEP } from "../output/advice.ts";
import { urlOption } from "../client/command-client.ts";
import type { Calls } from "../../client/calls.ts";
import {
  createPayin,
  createPayout,
  PAYIN_FIELDS,
  PAYOUT_FIELDS,
  randomCpf,
} from "../records/create-record.ts";
import {
  type CommandBuilder,
  defineGroup,
  defineOwnCommand,
  type Run,
} from "../definition/define-command.ts";
import { SandboxError } from "../../client/calls.ts";
import { CliError, EXIT } from "../terminal/errors.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { foldText } from "../terminal/table.ts";
import { flagOf, type Parameters } from "../definition/parameters.ts";
import { withProgress } from "../client/progress.ts";
import { isAnswered, outcomeOf } from "../output/render.ts";
import { describeMoved, type MovedRecord, type MoveKey } from "./records.ts";
import { toMoney } from "../terminal/numbers.ts";
import { type Message, say } from "../../text/message.ts";
import { NOUNS } from "../../text/terms.ts";
import { showWebhook, waitForFirstAttempt } from "../webhooks/first-attempt.ts";
import { isSinkUrl } from "../../wire/names.ts";

function definePayinTrigger(type: EventType, move: MoveKey, summary: Message): CommandBuilder {
  return defineOwnCommand(`trigger ${type}`, {
    summary,
    flags: PAYIN_FIELDS,
    run: (given, run) =>
      trigger("payin", type, move, run, () => createPayin(run.client, given, run.connection)),
    examples: examplesOf(type),
  });
}

function definePayoutTrigger(type: EventType, move: MoveKey, summary: Message): CommandBuilder {
  return defineOwnCommand(`trigger ${type}`, {
    summary,
    flags: PAYOUT_FIELDS,
    run(given, run) {
      // The sample receiver can have another payout in progress.
      const isSample = run.command.getOptionValueSource("receiverCpf") === "default";
      const fields = isSample ? { ...given, receiver_cpf: randomCpf() } : given;
      return trigger("payout", type, move, run, () =>
        createPayout(run.client, fields, run.connection),
      );
    },
    examples: examplesOf(type),
  });
}

function examplesOf(type: EventType): string[] {
  return [
    `trigger ${type}`,
    `trigger ${type} --value 25`,
    `trigger ${type} --webhook-url http://localhost:3000`,
  ];
}

const TRIGGERS: Readonly<Record<EventType, (type: EventType) => CommandBuilder>> = {
  "payin.paid": (type) =>
    definePayinTrigger(type, "POST /payins/{id}/pay", say`create a payin and pay it`),
  "payin.expired": (type) =>
    definePayinTrigger(type, "POST /payins/{id}/expire", say`create a payin and expire it`),
  "payout.completed": (type) =>
    definePayoutTrigger(type, "POST /payouts/{id}/complete", say`create a payout and complete it`),
  "payout.canceled": (type) =>
    definePayoutTrigger(type, "POST /payouts/{id}/cancel", say`create a payout and cancel it`),
  "payment.received": (type) =>
    definePayinTrigger(
      type,
      "POST /payins/{id}/pay",
      say`create a payin and pay it; the webhook goes to the configured address`,
    ),
  "payment.failed": (type) =>
    definePayinTrigger(
      type,
      "POST /payins/{id}/cancel",
      say`create a payin and cancel it; the webhook goes to the configured address`,
    ),
};

const triggerGroup = defineGroup(
  "trigger",
  [
    "trigger payin.paid",
    "trigger payin.paid --webhook-url http://localhost:3000/pix",
    "trigger payout.canceled --json",
  ],
  EVENT_TYPES.map((type) => TRIGGERS[type](type)),
  { noun: say.for("unknown")`event type` },
);

const HELP_WIDTH = 80;

/** The help of the group names the fields, as each event's help describes them. */
export const triggerCommand: CommandBuilder = (io) => {
  const flags = (fields: object): string =>
    Object.entries(fields as Parameters)
      .map(([name, parameter]) => `--${flagOf(name, parameter)}`)
      .join(" ");
  const fields = [
    say`Options of a payin: ${flags(PAYIN_FIELDS)}`,
    say`Options of a payout: ${flags(PAYOUT_FIELDS)}`,
  ].map((line) => foldText(localize(line), HELP_WIDTH));
  return triggerGroup(io).addHelpText("after", ["", ...fields].join("\n"));
};

async function trigger(
  noun: "payin" | "payout",
  type: EventType,
  move: MoveKey,
  run: Run,
  create: () => Promise<MovedRecord>,
): Promise<void> {
  const { io, client, json, connection } = run;
  if (type.startsWith("payment.")) await checkConfiguration(client, type, connection.token);
  const cause = async () => {
    const { id } = await create();
    const record = await client.call(move, { id });
    const { data } = await client.call("GET /deliveries", { type, transaction_id: id });
    if (!data[0] && type !== "payin.expired") throw removed(noun, record);
    return { record, webhook: data[0] && (await waitForFirstAttempt(client, data[0].id)) };
  };
  const label = say`Waiting for ${type}`;
  const { record, webhook } = await withProgress(io, { label, isSilent: json }, cause);
  if (json) {
    io.printJson({ record, webhook: webhook ?? null });
  } else {
    io.print(`${describeMoved(noun, record)}  ${toMoney(record.value)}`);
    if (webhook) await showWebhook(webhook, run);
    else explainAbsence(io);
    if (webhook?.attempts[0]) suggestOwnApp(webhook, run);
  }
  if (webhook) checkResponse(webhook, client);
}

/** The events that go to each record's own address instead. */
const OTHER_EVENTS: Readonly<Record<string, string>> = {
  "payment.received": "payin.paid",
  "payment.failed": "payout.canceled",
};

/** @throws CliError if no configured address receives the event. */
async function checkConfiguration(
  client: Calls,
  type: EventType,
  token: string = SAMPLE.token,
): Promise<void> {
  let events: readonly string[] = [];
  try {
    ({ events } = await client.call("GET /v1/webhooks", {}, { token }));
  } catch (error) {
    if (!(error instanceof SandboxError && error.status === 404)) throw error;
  }
  if (events.includes(type)) return;
  throw new CliError(
    EXIT.notFound,
    "NOT_CONFIGURED",
    say`The integration ${token} has no address for ${type}.`,
    say`Configure one: PUT ${client.url}/v1/webhooks with {"webhook_url":"…","events":["${type}"]} and the headers of a gateway call. Or use trigger ${OTHER_EVENTS[type] ?? "payin.paid"}.`,
  );
}

function removed(noun: keyof typeof NOUNS, { id }: MovedRecord): CliError {
  return new CliError(
    EXIT.notFound,
    "NOT_FOUND",
    say`The webhook of ${NOUNS[noun]} ${id} no longer exists.`,
    say`A reset or a restore has removed it. Run the command again.`,
  );
}

function explainAbsence(io: Io): void {
  io.printError(
    say`No webhook: the assumption payin.expiry_event is none.\nTo send payin.expired: ${PROGRAM} serve --assume payin.expiry_event=webhook`,
  );
}

/** Says how to try the user's own app, if the sandbox's own receiver got the webhook. */
function suggestOwnApp({ url, type }: WireDelivery, { io, client }: Run): void {
  // A configured address receives the other events.
  if (!isSinkUrl(url) || type.startsWith("payment.")) return;
  const next = `${PROGRAM} trigger ${type} --webhook-url URL${urlOption(client.url)}`;
  io.printError(`\n${localize(say`Next, your own handler`)}: ${next}`);
}

/** @throws CliError if the response to the first attempt is not a 2xx. */
function checkResponse({ id, url, type, attempts: [first] }: WireDelivery, client: Calls): void {
  if (first && isAnswered(first)) return;
  const at = urlOption(client.url);
  const isRefused = first && "status" in first && SIGNATURE_STATUSES.has(first.status);
  const isUnknown = first && "status" in first && first.status === 404 && type === "payin.paid";
  const outcome = first ? outcomeOf(first) : localize(say`not sent yet`);
  throw new CliError(
    EXIT.checkFailed,
    "WEBHOOK_NOT_DELIVERED",
    toSafeLine(localize(say`The webhook to ${url} failed: ${outcome}.`)),
    first
      ? [
          ...(isRefused ? [localize(VERIFY_STEP)] : []),
          ...(isUnknown
            ? [
                localize(
                  say`if the app does not know this payin: let the app create one, then ${PROGRAM} pay last${at}`,
                ),
              ]
            : []),
          localize(say`To send it again: ${PROGRAM} webhooks resend ${id}${at}`),
        ].join("\n")
      : say`It is due later, and the clock is frozen. Move it: ${PROGRAM} clock advance 1s${at}`,
  );
}
