import { toEpochMs } from "../../wire/timestamp.ts";
import { monotonicNowMs } from "../../platform/real-time.ts";
import { LocalizedError } from "../../core/records/errors.ts";
import { findingsOf } from "../../review/finding.ts";
import { PROGRAM } from "../../platform/program.ts";
import { toWireFinding, type WireReview } from "../../review/report.ts";
import { RULE_IDS, type RuleId, ruleOf } from "../../review/rules.ts";
import type { Calls } from "../../client/calls.ts";
import type { WebhookEvent } from "../hand-made-webhook.ts";
import {
  type Control,
  CONTROL_RULES,
  judgeControl,
  MAY_BE_UNKNOWN,
  mayBeUnknown,
  NOT_CONTROLLED,
  sendControl,
} from "./control.ts";
import { type Experiment, type Mistake, ONCE, type Steps } from "./experiment.ts";
import { atTheEnd, duplicate, EXPERIMENTS, paidBeforeRestart } from "./experiments.ts";
import { FIRST_RULES, payFirst } from "./first-payment.ts";
import { FreshIntegration } from "./fresh-integration.ts";
import { Handler, isAccepted, type WebhookSender } from "./handler.ts";
import { noResponse, type Probe, PROBES, toExperiment } from "./probes.ts";
import { earlyWebhook } from "./early-webhook.ts";
import { canceledPayout } from "./canceled-payout.ts";
import { OpenOrders } from "./open-orders.ts";
import { type MerchantOptions, Shop, Unseen } from "./shop.ts";
import { Trial } from "./trial.ts";
import { explainRefusal, explainReserialised } from "./usual-mistakes.ts";
import { describeOutcome, type Sent, Verdicts } from "./verdicts.ts";
import { signEvent, toCurl, withNewIds } from "./webhook.ts";
import { type Message, say } from "../../text/message.ts";
import type { Language } from "../../text/languages.ts";

export interface CheckOptions extends MerchantOptions {
  /** The sandbox. Its token, if any, is the integration whose secret signs. */
  readonly client: Calls;
  /** The handler's address. */
  readonly url: string;
  /** Creates what sends webhooks to the handler. The check closes it. */
  readonly createSender: (url: string) => Promise<WebhookSender>;
  /**
   * Makes the merchant create an order through the sandbox. Resolves to the id of its transaction. Default: with an
   * `effect`, the merchant's open orders are used.
   */
  readonly order?: (() => Promise<string>) | undefined;
  /** Restarts the merchant. */
  readonly restart?: (() => Promise<void>) | undefined;
  /** The rules to judge. Default: all that this check can judge. */
  readonly only?: readonly RuleId[] | undefined;
  /** Ends the check early: it still removes its integration. */
  readonly signal?: AbortSignal | undefined;
  /** The language of the verdicts and the assumptions. Default: English. */
  readonly language?: Language | undefined;
}

export interface Checked {
  readonly review: WireReview;
  /** Each webhook that was sent, in order. */
  readonly sent: readonly Sent[];
  /** What the user should know about the run. */
  readonly notes: readonly Message[];
  /** Why the check ended early, after it had judged something. */
  readonly stopped?: unknown;
}

/** The time for all webhooks that need no order. */
export const PROBES_LIMIT_MS = 24_000;
/** The time for those that need one; after a restart there is as much again. */
export const EXPERIMENTS_LIMIT_MS = 120_000;

/** Sends a handler valid and forged webhooks, and judges it by its responses and by what the merchant does. */
export async function checkWebhook(options: CheckOptions): Promise<Checked> {
  const { client, url, createSender, only = RULE_IDS, language = "en" } = options;
  const { signal = new AbortController().signal } = options;
  signal.throwIfAborted();
  const integration = new FreshIntegration(client);
  const handler = new Handler(url, await createSender(url), PROBES_LIMIT_MS, signal);
  try {
    const check = new Check(options, integration, handler);
    const stopped: unknown = await check.run(new Set(only)).catch((error: unknown) => {
      if (signal.aborted || check.verdicts.sent.length === 0) throw error;
      for (const id of CHECKED_RULES)
        if (!check.verdicts.observed.has(id)) check.verdicts.unseen(id, STOPPED);
      return error;
    });
    await check.open?.pay();
    return {
      review: {
        rules: findingsOf(check.verdicts.observed)
          .filter(({ id }) => only.includes(id))
          .map((one) => toWireFinding(one, language, PROGRAM)),
        assumptions: check.assumptions,
      },
      sent: check.verdicts.sent,
      notes: check.notes,
      stopped,
    };
  } finally {
    handler.close();
    await integration.remove();
  }
}

/** One run. */
class Check {
  readonly verdicts = new Verdicts();
  assumptions: WireReview["assumptions"] = [];
  readonly #options: CheckOptions;
  readonly #integration: FreshIntegration;
  readonly #handler: Handler;
  /** The merchant's orders that the check uses, without a command for new ones. */
  open: OpenOrders | undefined;
  #nowMs: () => number = () => 0;
  #shop: Shop | undefined;
  readonly #notes: Message[] = [];

  constructor(options: CheckOptions, integration: FreshIntegration, handler: Handler) {
    this.#options = options;
    this.#integration = integration;
    this.#handler = handler;
  }

  get notes(): readonly Message[] {
    const isReserialised = this.verdicts.isBroken("body_reserialised");
    const mending = isReserialised ? [explainReserialised(this.#handler)] : [];
    return [...this.#notes, ...mending, ...(this.#shop?.notes ?? [])];
  }

  async run(wanted: ReadonlySet<RuleId>): Promise<void> {
    const { client, url, order, effect, restart, language = "en" } = this.#options;
    this.#nowMs = await sandboxTime(client);
    const secret = this.#options.secret ?? (await client.call("GET /secret")).secret;
    const first = await sendControl(this.#integration, this.#handler, secret);
    const open = effect && !order ? new OpenOrders(client, url, this.#nowMs) : undefined;
    this.open = open;
    const next = order ?? (open && (() => open.take()));
    if (next)
      this.#shop = new Shop({
        ...this.#options,
        client: client.as(null),
        handler: this.#handler,
        order: next,
        makesOrders: order !== undefined,
        paid: first.event,
        nowMs: this.#nowMs,
      });
    this.assumptions = await this.#integration.assumptions(language);
    await this.#integration.remove();
    const control = await this.#accepted(first);
    if (!control) {
      const why = await explainRefusal(this.#handler, first);
      if (why) this.#notes.push(why);
      return;
    }
    if (order && !effect && control === first) this.#notes.push(NOT_ORDERED);
    // A handler that refuses unknown transactions needs one that it knows for each webhook.
    const known = control === first ? undefined : this.#shop;
    const nextEvent = async () => (await known?.newOrder())?.event ?? withNewIds(control.event);
    const isWanted = ({ rule }: { readonly rule: RuleId }): boolean => wanted.has(rule);
    const probes = PROBES.filter(isWanted);
    const byEffect = probes.filter(({ isRepeat = false }) => !isRepeat).map(toExperiment);
    // Only a new order can be paid early.
    const ordered = EXPERIMENTS.filter((one) => isWanted(one) && (order || one !== earlyWebhook));
    if (!order && effect) this.verdicts.unseen(earlyWebhook.rule, NO_NEW_ORDER);
    const experiments = [...byEffect, ...ordered];
    const judgesFirst = FIRST_RULES.some((rule) => wanted.has(rule));
    const shop = effect && (judgesFirst || experiments.length > 0) ? this.#shop : undefined;
    if (shop) this.#handler.extend(EXPERIMENTS_LIMIT_MS);
    const showsEffects = shop !== undefined && (await this.#payFirst(shop));
    // A merchant that verifies later accepts forged webhooks too: only the effect would show it.
    for (const probe of probes)
      if (probe.isRepeat || (!showsEffects && (probe.isValid || !shop)))
        await this.#probe(probe, control, nextEvent);
    if (!showsEffects) return;
    await this.#experiment(experiments, shop);
    await this.#experiment((await atTheEnd(shop)).filter(isWanted), shop);
    if (restart && wanted.has("payment_lost")) {
      this.#handler.extend(EXPERIMENTS_LIMIT_MS);
      await this.#experiment([paidBeforeRestart(restart)], shop);
    }
    await this.#experiment([duplicate].filter(isWanted), shop);
  }

  /** Pays the first order. @returns whether the effect can show something */
  async #payFirst(shop: Shop): Promise<boolean> {
    let reason: Message;
    try {
      const mistake = await payFirst(shop);
      if (!mistake) {
        for (const rule of FIRST_RULES) this.verdicts.kept(rule);
        return true;
      }
      this.verdicts.broken(mistake.rule, { ...mistake, atMs: this.#nowMs() });
      reason = mistake.text;
    } catch (error) {
      this.#handler.signal.throwIfAborted();
      // An effect that cannot be read, too, leaves rules without a verdict.
      if (!(error instanceof LocalizedError)) throw error;
      reason = error.text;
    }
    const all = [...PROBES.filter(({ isValid }) => !isValid), ...EXPERIMENTS];
    for (const rule of [...FIRST_RULES, ...all.map((one) => one.rule)])
      this.verdicts.unseen(rule, reason);
    return false;
  }

  /** Makes experiments side by side: they wait together. */
  async #experiment(experiments: readonly Experiment[], shop: Shop): Promise<void> {
    const all = experiments.map((experiment) => {
      const trial = new Trial(shop);
      return { experiment, trial, steps: experiment.run(trial), result: undefined as Result };
    });
    for (let open = all; open.length > 0; open = open.filter(({ result }) => !result)) {
      for (const one of open) one.result = await this.#step(one.steps);
      await shop.quiet();
    }
    for (const { experiment, trial, result } of all) await this.#judge(experiment, trial, result);
  }

  /** @returns the result of an experiment that has ended with this step */
  async #step(steps: Steps): Promise<Result> {
    this.#handler.signal.throwIfAborted();
    if (this.#handler.isTimeUp) return { unseen: TIME_IS_UP };
    try {
      const { done = false, value } = await steps.next();
      if (value && "rule" in value) return { mistake: value.text, other: value.rule };
      return done ? { mistake: value ?? undefined } : undefined;
    } catch (error) {
      this.#handler.signal.throwIfAborted();
      if (!(error instanceof LocalizedError)) throw error;
      return { unseen: error.text };
    }
  }

  async #judge(experiment: Experiment, trial: Trial, result: Result): Promise<void> {
    const { rule, what, expected = ONCE, lateRule = rule } = experiment;
    if (result && "unseen" in result) return this.verdicts.unseen(rule, result.unseen);
    const { mistake: shown, other = rule } = result ?? {};
    const mistake = shown ?? (await trial.changedLater());
    const brokenRule = shown ? other : lateRule;
    const { command } = trial;
    if (mistake) this.verdicts.broken(brokenRule, { atMs: this.#nowMs(), text: mistake, command });
    if (!mistake || brokenRule !== rule) this.verdicts.kept(rule);
    this.verdicts.sent.push({
      rules: [rule],
      what,
      expected,
      seen: mistake ? OTHERWISE : expected,
      broken: mistake ? [brokenRule] : [],
      command,
    });
  }

  /** The control that the handler accepted; undefined if it accepted none. */
  async #accepted(first: Control): Promise<Control | undefined> {
    const shop = mayBeUnknown(first.outcome) ? this.#shop : undefined;
    const order = await shop?.newOrder().catch(toUnseen);
    if (!order || order instanceof Unseen) return this.#judgeControl(first, false);
    const { event, secret } = order;
    const webhook = signEvent(event, secret);
    const outcome = await this.#handler.post(webhook);
    return this.#judgeControl({ event, secret, webhook, outcome }, true);
  }

  #judgeControl(control: Control, knowsTransaction: boolean): Control | undefined {
    const { outcome, event } = control;
    const command = toCurl(this.#handler.url, control.webhook);
    const only200 = this.assumptions.some(
      ({ name, choice }) => name === "webhook.success" && choice === "only_200",
    );
    const { broken, kept } = judgeControl(outcome, knowsTransaction, only200);
    const seen = describeOutcome(outcome);
    for (const rule of kept) this.verdicts.kept(rule);
    for (const rule of broken)
      this.verdicts.broken(rule, {
        atMs: this.#nowMs(),
        text: say`The valid webhook ${event.id} (${event.type}): ${seen}.`,
        command,
      });
    this.verdicts.sent.push({
      rules: CONTROL_RULES,
      what: say`a valid webhook`,
      expected: ACCEPTED,
      seen,
      broken,
      command,
    });
    if (isAccepted(outcome)) return control;
    const isUnknown = mayBeUnknown(outcome) && !knowsTransaction && broken.length === 0;
    for (const id of CHECKED_RULES)
      this.verdicts.unseen(id, isUnknown ? MAY_BE_UNKNOWN : NOT_CONTROLLED);
    return undefined;
  }

  /**
   * Judges a probe by the response alone.
   * @param nextEvent a payin.paid that the handler has not seen, of a transaction that it accepts
   */
  async #probe(
    probe: Probe,
    { event, secret }: Control,
    nextEvent: () => Promise<WebhookEvent>,
  ): Promise<void> {
    const { rule, what, isValid, isRepeat = false, make } = probe;
    this.#handler.signal.throwIfAborted();
    if (this.#handler.isTimeUp) return this.verdicts.unseen(rule, TIME_IS_UP);
    const next = isRepeat ? event : await nextEvent().catch(toUnseen);
    if (next instanceof Unseen) return this.verdicts.unseen(rule, next.text);
    const webhook = make(next, secret);
    const outcome = await this.#handler.post(webhook);
    const command = toCurl(this.#handler.url, webhook);
    const seen = describeOutcome(outcome);
    const broken: RuleId[] = [];
    if (outcome.status === null) this.verdicts.unseen(rule, noResponse(what, outcome));
    else if (isAccepted(outcome) === isValid) this.verdicts.kept(rule);
    else {
      broken.push(rule);
      const text = say`Sent ${what}: ${seen}.`;
      this.verdicts.broken(rule, { atMs: this.#nowMs(), text, command, isByStatus: !isValid });
    }
    this.verdicts.sent.push({
      rules: [rule],
      what,
      expected: isValid ? ACCEPTED : REFUSED,
      seen,
      broken,
      command,
    });
  }
}

function toUnseen(error: unknown): Unseen {
  if (error instanceof Unseen) return error;
  throw error;
}

const ACCEPTED: Message = say`2xx`;
const REFUSED: Message = say`not 2xx`;
const OTHERWISE: Message = say`something else`;
const NOT_ORDERED: Message = say`The order's command was not run, since the handler accepts a transaction that it does not know. Pass --effect too, to judge what the merchant does about its orders.`;
const STOPPED: Message = say`The check stopped before it judged this rule.`;
const NO_NEW_ORDER: Message = say`Only a new order can be paid before the create response. Pass --order on the command line.`;
const TIME_IS_UP: Message = say`There was no time left: the handler responds slowly.`;

/** Reads the sandbox's clock once. @returns its time from now on */
async function sandboxTime(client: Calls): Promise<() => number> {
  const { now, mode } = await client.call("GET /clock");
  const startMs = monotonicNowMs();
  const sandboxMs = toEpochMs(now);
  return () => (mode === "frozen" ? sandboxMs : sandboxMs + Math.round(monotonicNowMs() - startMs));
}

/** How an experiment has ended; undefined as long as it goes on. */
type Result =
  | { readonly mistake: Mistake; readonly other?: RuleId }
  | { readonly unseen: Message }
  | undefined;

/** The rules that this check can judge. */
export const CHECKED_RULES: readonly RuleId[] = RULE_IDS.filter(
  (id) => ruleOf(id).judgedBy !== undefined || [...CONTROL_RULES, canceledPayout.rule].includes(id),
);
