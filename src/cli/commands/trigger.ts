import { toSafeLine } from "../../text/plain/safe-text.ts";
import { EVENT_TYPES, type EventType } from "../../core/records/transaction.ts";
import type { WireDelivery } from "../../core/state/wire.ts";
import { PROGRAM } from "../../platform/program.ts";
import { SAMPLE } from "../../wire/sample.ts";
import { SIGNATURE_STATUSES, VERIFY_STEP } from "../output/advice.ts";
import { urlOption } from "../client/command-client.ts";
import { type Calls, SandboxError } from "../../client/calls.ts";
import {
  createPayin,
  createPayout,
  PAYIN_FIELDS,
  PAYOUT_FIELDS,
  randomCpf,
} from "../records/create-record.ts";
import { defineOwnCommand, type Run, toAttribute } from "../definition/define-command.ts";
import { CliError, EXIT, usageError } from "../terminal/errors.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { oneOf, toFlag } from "../definition/parameters.ts";
import { withProgress } from "../client/progress.ts";
import { isAnswered, outcomeOf } from "../output/render.ts";
import { describeMoved, type MovedRecord, type MoveKey } from "./records.ts";
import { toMoney } from "../terminal/numbers.ts";
import { say } from "../../text/message.ts";
import { NOUNS } from "../../text/terms.ts";
import { showWebhook, waitForFirstAttempt } from "../webhooks/first-attempt.ts";
import { isSinkUrl } from "../../wire/names.ts";

/** What causes each event. */
const CAUSES: Readonly<Record<EventType, readonly ["payin" | "payout", MoveKey]>> = {
  "payin.paid": ["payin", "POST /payins/{id}/pay"],
  "payin.expired": ["payin", "POST /payins/{id}/expire"],
  "payout.completed": ["payout", "POST /payouts/{id}/complete"],
  "payout.canceled": ["payout", "POST /payouts/{id}/cancel"],
  "payment.received": ["payin", "POST /payins/{id}/pay"],
  "payment.failed": ["payin", "POST /payins/{id}/cancel"],
};
const FIELDS = { payin: PAYIN_FIELDS, payout: PAYOUT_FIELDS };

export const triggerCommand = defineOwnCommand("trigger", {
  arguments: {
    event: oneOf(
      EVENT_TYPES,
      "event",
      say`the event; payment.received and payment.failed go to the configured address`,
    ),
  },
  flags: { ...PAYIN_FIELDS, ...PAYOUT_FIELDS },
  run({ event, ...fields }, run) {
    const [noun, move] = CAUSES[event];
    const { client, connection, command } = run;
    const isGiven = (name: string): boolean =>
      command.getOptionValueSource(toAttribute(name)) === "cli";
    const wrong = Object.keys(fields).find((name) => isGiven(name) && !(name in FIELDS[noun]));
    if (wrong !== undefined)
      throw usageError(say`${event} is an event of a ${noun}, which has no --${toFlag(wrong)}.`);
    const own = Object.fromEntries(
      Object.entries(fields).filter(([name]) => name in FIELDS[noun]),
    ) as typeof fields;
    // The sample receiver can have another payout in progress.
    const receiver = isGiven("receiver_cpf") ? {} : { receiver_cpf: randomCpf() };
    return trigger(noun, event, move, run, () =>
      noun === "payin"
        ? createPayin(client, own, connection)
        : createPayout(client, { ...own, ...receiver }, connection),
    );
  },
  examples: [
    "trigger payin.paid",
    "trigger payin.paid --webhook-url http://localhost:3000/pix",
    "trigger payout.canceled --json",
  ],
});

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
  io.printError(`${localize(say`Next, your own handler`)}: ${next}`);
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
