import { connect } from "node:net";
import { RULE_IDS, type RuleId, ruleOf } from "../../review/rules.ts";
import { toSafeLine, toVisibleLine } from "../../text/plain/safe-text.ts";
import {
  type Checked,
  checkWebhook,
  CHECKED_RULES,
} from "../../play/check-webhook/check-webhook.ts";
import { planOf } from "../review/check-plan.ts";
import { orderCommand, runRestartCommand } from "../review/shop-commands.ts";
import { checkTarget } from "../review/check-target.ts";
import { createSender } from "../../server/tools/tools.ts";
import { CliError, EXIT, interruptedError } from "../terminal/errors.ts";
import type { Io } from "../terminal/io.ts";
import { coreLanguage, localize, type Words } from "../terminal/language.ts";
import { defineOwnCommand, type Run } from "../definition/define-command.ts";
import { flag, type Given, parsed, freeText, word } from "../definition/parameters.ts";
import { withProgress } from "../client/progress.ts";
import { EffectProbe, EFFECT } from "../review/effect.ts";
import { readRule } from "../review/gate.ts";
import { renderReview } from "../review/render-review.ts";
import { foldText, renderTable, type Table } from "../terminal/table.ts";
import { SECRET } from "../webhooks/signing-secret.ts";
import { PROGRAM } from "../../platform/program.ts";
import { type Message, say } from "../../text/message.ts";
import type { Sent } from "../../play/check-webhook/verdicts.ts";

const FLAGS = {
  only: parsed("rule", collectRule, say`judge only this rule (its id or number); repeatable`, {
    isRepeatable: true,
  }),
  order: word(
    "command",
    say`a shell command that makes the merchant create an order and prints its transaction's id; without it, --effect uses the merchant's open orders`,
  ),
  effect: EFFECT,
  restart: word(
    "command",
    say`a shell command that restarts the merchant and ends; what it starts must go on in the background`,
  ),
  secret: SECRET,
  yes: flag(say`the handler may be on another machine`),
};

export const checkWebhookCommand = defineOwnCommand("check-webhook", {
  arguments: {
    address: freeText("url", say`the address of the handler`),
  },
  flags: FLAGS,
  run: ({ address, ...given }, run) => check(address, given, run),
  examples: [
    "check-webhook http://localhost:3000/pix",
    "check-webhook http://localhost:3000/pix --only 17 --only 18",
    `check-webhook URL --order ./buy --effect './show "$PIX_ID"'`,
  ],
});

async function check(
  address: string,
  { only, order, effect, restart, secret, yes = false }: Given<unknown, typeof FLAGS>,
  { io, json, client }: Run,
): Promise<void> {
  const url = checkTarget(address, yes);
  await assertListening(url);
  const probe = effect === undefined ? undefined : new EffectProbe(effect, io);
  if (!json) announce(url, { order, effect, restart, only }, io);
  const interrupted = new AbortController();
  const stopListening = io.onSignal(() => interrupted.abort());
  const label = localize(say`Checking ${url}`);
  let checked: Checked;
  try {
    checked = await withProgress(io, { label: toSafeLine(label), isSilent: json }, () =>
      checkWebhook({
        client,
        language: coreLanguage(),
        url,
        createSender,
        secret: secret?.trim(),
        order: order === undefined ? undefined : orderCommand(order, io),
        effect: probe && ((record) => probe.read(record)),
        restart: restart === undefined ? undefined : () => runRestartCommand(restart, io),
        only: only ?? (json ? RULE_IDS : CHECKED_RULES),
        signal: interrupted.signal,
      }),
    );
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    throw interruptedError(say`The check was interrupted.`);
  } finally {
    stopListening();
  }
  const { review, sent, notes, stopped } = checked;
  for (const note of notes) io.printError(toSafeLine(localize(note)));
  if (json) io.printJson(review);
  else {
    show(checked, io);
    if (order !== undefined || effect !== undefined)
      io.printError(say`The check has removed its own integration; the orders stay in the shop.`);
  }
  if (stopped !== undefined) throw stopped;
  const essential = review.rules.filter(({ id }) => !id.startsWith("webhook_answer_"));
  const byEffect = effect === undefined ? [] : essential.filter(({ id }) => needsEffect(id));
  const failed = review.rules.filter(({ verdict }) => verdict === "fail");
  if (areUnseen(review.rules)) throw nothingJudged(say`No rule was judged.`);
  if (failed.length === 0 && areUnseen(essential))
    throw nothingJudged(say`Only the time and the status of a response were judged.`);
  if (failed.length === 0 && areUnseen(byEffect))
    throw nothingJudged(say`No effect was judged: ${toSafeLine(byEffect[0]?.says ?? "")}`);
  if (failed.length === 0) return;
  const names = failed.map(({ id }) => id).join(", ");
  throw new CliError(
    EXIT.checkFailed,
    "RULES_BROKEN",
    say`Rules broken: ${names}.`,
    // The first webhook of all is a plain valid one: a handler that accepts it has the right secret.
    sent[0]?.broken.includes("valid_signature_refused")
      ? // A note may have named the mistake already.
        notes.length > 0
        ? undefined
        : secretHint(secret !== undefined)
      : json || sent.every(({ broken }) => broken.length === 0)
        ? undefined
        : say`Each curl command above sends its webhook again; its signature is valid for five minutes.`,
  );
}

function announce(url: string, wanted: Parameters<typeof planOf>[0], io: Io): void {
  const { webhooks, orders, seconds } = planOf(wanted);
  const shown = toSafeLine(url);
  const lines = [
    ...(wanted.effect === undefined ? [] : [USES_PAYOUTS]),
    ...(wanted.effect !== undefined && orders === 0 ? [USES_ORDERS] : []),
    orders === 0
      ? say`The check sends at most ${webhooks} webhooks, some of them forged, to ${shown}, for at most ${seconds} s.`
      : say`The check makes at most ${orders} orders, and sends at most ${webhooks} webhooks, some of them forged, to ${shown}, for at most ${seconds} s.`,
  ];
  for (const line of lines) io.printError(foldText(localize(line), io.columns));
}

const USES_PAYOUTS = say`If the shop has two open payouts, the check completes one and cancels the other.`;
const USES_ORDERS = say`The check pays open orders of the shop by webhooks, and at its end at the gateway.`;

async function assertListening(url: string): Promise<void> {
  const { hostname, port, protocol } = new URL(url);
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || (protocol === "https:" ? HTTPS_PORT : HTTP_PORT)),
  });
  const isRefused = await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(false));
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED"));
    socket.setTimeout(CONNECT_MS, () => resolve(false));
  });
  socket.destroy();
  if (!isRefused) return;
  const shown = toSafeLine(url);
  throw new CliError(EXIT.checkFailed, "NOTHING_LISTENS", say`Nothing listens at ${shown}.`);
}

const HTTP_PORT = 80;
const HTTPS_PORT = 443;
/** A slow host is the check's own matter. */
const CONNECT_MS = 2000;

type Found = Checked["review"]["rules"][number];

function areUnseen(rules: readonly Found[]): boolean {
  return rules.length > 0 && rules.every(({ verdict }) => verdict === "not_seen");
}

function needsEffect(id: RuleId): boolean {
  return ruleOf(id).judgedBy === "effect";
}

/** A check that could judge nothing must not look like one that passed. */
function nothingJudged(text: Message): CliError {
  const hint = say`Each rule says what it needs.`;
  return new CliError(EXIT.checkFailed, "NOTHING_JUDGED", text, hint);
}

function secretHint(isGiven: boolean): Words {
  return isGiven
    ? say`Does the handler verify with the secret that you set (--secret or PIX_SANDBOX_SECRET)? Another one refuses every webhook.`
    : say`Does the handler verify with the sandbox's secret? ${PROGRAM} secret prints it; --secret signs with another one.`;
}

/** The command that prints all evidence. */
const ALL = "check-webhook --json …";

function show({ review, sent }: Checked, io: Io): void {
  io.print(renderSent(sent, io));
  const commands = renderCommands(sent);
  if (commands !== "") io.print(`\n${commands}`);
  // `report` does not know the integration any more.
  const look = { color: io.color, columns: io.columns, all: ALL, withoutCommands: true };
  io.print(`\n${renderReview({ ...review, assumptions: [] }, look)}`);
  const names = review.assumptions.map(({ name, choice }) => `${name}=${choice}`).join(", ");
  if (names === "") return;
  const text = toSafeLine(
    localize(
      say`Assumptions that the webhooks depended on: ${names}. --json has the question to ask the provider about each.`,
    ),
  );
  io.print(`\n${foldText(text, io.columns)}`);
}

function collectRule(text: string, before: readonly RuleId[] = []): readonly RuleId[] {
  return [...before, readRule(text, CHECKED_RULES)];
}

const TABLE: Table<Sent> = {
  none: say`Nothing was sent.`,
  columns: [
    { title: say`RULE`, text: numbersOf },
    { title: say`SENT`, text: ({ what }) => localize(what), least: 28, wraps: true },
    { title: say`EXPECTED`, text: ({ expected }) => localize(expected), least: 16, wraps: true },
    {
      title: say`SEEN`,
      text: ({ seen }) => localize(seen),
      least: 16,
      wraps: true,
      isFailure: ({ broken }) => broken.length > 0,
    },
  ],
};

function renderSent(sent: readonly Sent[], io: Pick<Io, "columns" | "color">): string {
  return renderTable(TABLE, sent, {
    columns: Math.min(io.columns ?? WIDTH, WIDTH),
    color: io.color,
  });
}

function renderCommands(sent: readonly Sent[]): string {
  return sent
    .filter(({ broken }) => broken.length > 0)
    .map((one) => `# ${[...one.broken].map(titleOf).join(", ")}\n${toVisibleLine(one.command)}`)
    .join("\n\n");
}

const WIDTH = 80;

function titleOf(id: Sent["rules"][number]): string {
  return `${ruleOf(id).number} ${id}`;
}

/** The numbers of rules, with a dash for those between. */
function numbersOf({ rules }: Sent): string {
  const numbers = rules.map((id) => ruleOf(id).number);
  return numbers.length > 1 ? `${Math.min(...numbers)}-${Math.max(...numbers)}` : `${numbers[0]}`;
}
