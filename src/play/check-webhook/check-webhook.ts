import { toEpochMs } from "../../wire/timestamp.ts";
import { monotonicNowMs } from "../../platform/real-time.ts";
import { LocalizedError } from "../../core/records/errors.ts";
import { findingsOf } from "../../review/finding.ts";
import { toWireReview, type WireReview } from "../../review/report.ts";
import { RULE_IDS, RULES, type RuleId, ruleOf } from "../../review/rules.ts";
import { judgeWebhookAnswer } from "../../review/webhook-answer.ts";
import { sinkUrl } from "../../wire/sample.ts";
import type { GatewayPort } from "../gateway-port.ts";
import {
  type Control,
  CONTROL_RULES,
  controlCommand,
  judgeControl,
  MAY_BE_UNKNOWN,
  mayBeUnknown,
  NOT_CONTROLLED,
  sendControl,
} from "./control.ts";
import type { Experiment } from "./experiment.ts";
import { EXPERIMENTS } from "./experiments.ts";
import { FreshIntegration } from "./fresh-integration.ts";
import { Handler, isAccepted, type Outcome, type WebhookSender } from "./handler.ts";
import { type Probe, PROBES, type ProbeSource, withNewIds } from "./probes.ts";
import { Shop } from "./shop.ts";
import { describeOutcome, type Sent, Verdicts } from "./verdicts.ts";
import { signEvent, toCurl } from "./webhook.ts";
import { type Message, say } from "../../text/message.ts";
import type { Language } from "../../text/languages.ts";

export interface CheckOptions {
  /** The sandbox. Its token, if any, is the integration whose secret signs. */
  readonly client: GatewayPort;
  /** The handler's address. */
  readonly url: string;
  /** Creates what sends webhooks to the handler. The check closes it. */
  readonly createSender: () => Promise<WebhookSender>;
  /** The secret that the merchant has configured. Default: the sandbox's. */
  readonly secret?: string | undefined;
  /** Makes the merchant create an order through the sandbox. Resolves to the id of its transaction. */
  readonly order?: (() => Promise<string>) | undefined;
  /** Reads what the merchant did about a transaction. */
  readonly effect?: ((record: Readonly<Record<string, unknown>>) => Promise<string>) | undefined;
  /** The rules to judge. Default: all that this check can judge. */
  readonly only?: readonly RuleId[] | undefined;
  /** Ends the check early: it still removes its integration. */
  readonly signal?: AbortSignal | undefined;
  /** The language of the verdicts. Default: English. The client's is that of the assumptions. */
  readonly language?: Language | undefined;
}

export interface Checked {
  readonly review: WireReview;
  /** Each webhook that was sent, in order. */
  readonly sent: readonly Sent[];
  /** What the user should know about the run. */
  readonly notes: readonly Message[];
}

/** The time for all webhooks that need no order. */
const PROBES_LIMIT_MS = 24_000;
/** The time for those that need one. */
const EXPERIMENTS_LIMIT_MS = 120_000;

/** Sends a handler valid and forged webhooks, and judges it by its responses and by what the merchant does. */
export async function checkWebhook(options: CheckOptions): Promise<Checked> {
  const { client, url, createSender, only = RULE_IDS } = options;
  const { signal = new AbortController().signal } = options;
  signal.throwIfAborted();
  const integration = new FreshIntegration(client);
  const handler = new Handler(url, await createSender(), PROBES_LIMIT_MS);
  const stop = (): void => handler.abort(new Error("the check was interrupted"));
  signal.addEventListener("abort", stop);
  try {
    const check = new Check(options, integration, handler, signal);
    await check.run(new Set(only));
    return {
      review: {
        rules: check.review().filter(({ id }) => only.includes(id)),
        assumptions: await integration.assumptions(),
      },
      sent: check.verdicts.sent,
      notes: check.notes,
    };
  } finally {
    signal.removeEventListener("abort", stop);
    handler.close();
    await integration.remove();
  }
}

/** One run. */
class Check {
  readonly verdicts = new Verdicts();
  readonly #options: CheckOptions;
  readonly #integration: FreshIntegration;
  readonly #handler: Handler;
  readonly #signal: AbortSignal;
  #nowMs: () => number = () => 0;
  #shop: Shop | undefined;

  constructor(
    options: CheckOptions,
    integration: FreshIntegration,
    handler: Handler,
    signal: AbortSignal,
  ) {
    this.#options = options;
    this.#integration = integration;
    this.#handler = handler;
    this.#signal = signal;
  }

  get notes(): readonly Message[] {
    return this.#shop?.notes ?? [];
  }

  review(): WireReview["rules"] {
    const { language = "en" } = this.#options;
    const rules = findingsOf(this.verdicts.observed);
    return toWireReview({ rules, assumptions: [] }, language).rules;
  }

  async run(wanted: ReadonlySet<RuleId>): Promise<void> {
    const { client, order, effect } = this.#options;
    this.#nowMs = await sandboxTime(client);
    const secret =
      this.#options.secret ?? (await client.control<{ secret: string }>("GET", "/secret")).secret;
    const first = await sendControl(this.#integration, this.#handler, secret, {
      sinkUrl: sinkUrl(client.url),
      signal: this.#signal,
    });
    if (order)
      this.#shop = new Shop({
        client: client.as(null),
        handler: this.#handler,
        order,
        effect,
        secret: this.#options.secret,
        paid: first.event,
        nowMs: this.#nowMs,
        signal: this.#signal,
      });
    const control = await this.#accepted(first);
    if (!control) return;
    // A handler that refuses unknown transactions needs one that it knows for each webhook.
    const source: ProbeSource = {
      control,
      secret: control === first ? secret : await this.#orderSecret(),
      nextEvent: async () => {
        if (control !== first && this.#shop) return (await this.#shop.newOrder()).event;
        return withNewIds(control.event);
      },
    };
    for (const probe of PROBES) if (wanted.has(probe.rule)) await this.#probe(probe, source);
    if (!this.#shop || !effect) return;
    this.#handler.extend(EXPERIMENTS_LIMIT_MS);
    for (const experiment of EXPERIMENTS)
      if (wanted.has(experiment.rule)) await this.#experiment(experiment, this.#shop);
  }

  async #experiment({ rule, what, expected, run }: Experiment, shop: Shop): Promise<void> {
    this.#signal.throwIfAborted();
    if (this.#handler.isTimeUp) return this.verdicts.unseen(rule, TIME_IS_UP);
    let mistake: Message | undefined;
    try {
      mistake = await run(shop);
    } catch (error) {
      this.#signal.throwIfAborted();
      // An effect that cannot be read, too, leaves a rule without a verdict.
      if (!(error instanceof LocalizedError)) throw error;
      return this.verdicts.unseen(rule, error.text);
    }
    const { command } = shop;
    if (mistake) this.verdicts.broken(rule, { atMs: this.#nowMs(), text: mistake, command });
    else this.verdicts.kept(rule);
    this.verdicts.sent.push({
      rules: [rule],
      what,
      expected,
      seen: mistake ? OTHERWISE : expected,
      broken: mistake ? [rule] : [],
      command,
    });
  }

  /** The control that the handler accepted; undefined if it accepted none. */
  async #accepted(first: Control): Promise<Control | undefined> {
    const shop = this.#shop;
    if (shop && !isAccepted(first.outcome) && mayBeUnknown(first.outcome)) {
      const { event, secret } = await shop.newOrder();
      const webhook = signEvent(event, secret);
      const outcome = await this.#handler.post(webhook);
      this.#signal.throwIfAborted();
      return this.#judgeControl({ event, webhook, outcome }, true);
    }
    return this.#judgeControl(first, false);
  }

  #judgeControl(control: Control, knowsTransaction: boolean): Control | undefined {
    const { outcome, event } = control;
    const command = controlCommand(this.#handler, control);
    const { broken, kept } = judgeControl(outcome, knowsTransaction);
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
    for (const id of RULE_IDS)
      if (ruleOf(id).judgedBy !== "traffic" || (CONTROL_RULES as readonly RuleId[]).includes(id))
        this.verdicts.unseen(id, isUnknown ? MAY_BE_UNKNOWN : NOT_CONTROLLED);
    return undefined;
  }

  async #orderSecret(): Promise<string> {
    return (await this.#shop?.secret()) ?? "";
  }

  async #probe({ rule, what, isValid, make }: Probe, source: ProbeSource): Promise<void> {
    this.#signal.throwIfAborted();
    if (this.#handler.isTimeUp) return this.verdicts.unseen(rule, TIME_IS_UP);
    const webhook = await make(source);
    const outcome = await this.#handler.post(webhook);
    this.#signal.throwIfAborted();
    const command = toCurl(this.#handler.url, webhook);
    const seen = describeOutcome(outcome);
    const broken: RuleId[] = isValid ? this.#judgeResponse(outcome, what, command) : [];
    if (outcome.status === null)
      this.verdicts.unseen(
        rule,
        say`The handler did not respond to ${what}: ${outcome.error ?? ""}.`,
      );
    else if (isAccepted(outcome) === isValid) this.verdicts.kept(rule);
    else {
      broken.push(rule);
      this.#break(rule, what, seen, command);
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

  /** Judges how the handler responded to a valid webhook. @returns the rules that it broke */
  #judgeResponse(outcome: Outcome, what: Message, command: string): RuleId[] {
    const seen = describeOutcome(outcome);
    return judgeWebhookAnswer(outcome).flatMap(([rule, isBroken]) => {
      if (!isBroken) {
        this.verdicts.kept(rule);
        return [];
      }
      this.#break(rule, what, seen, command);
      return [rule];
    });
  }

  #break(rule: RuleId, what: Message, seen: Message, command: string): void {
    this.verdicts.broken(rule, {
      atMs: this.#nowMs(),
      text: say`Sent ${what}: ${seen}.`,
      command,
    });
  }
}

const ACCEPTED: Message = say`2xx`;
const REFUSED: Message = say`not 2xx`;

const OTHERWISE: Message = say`something else`;

const TIME_IS_UP: Message = say`There was no time left: the handler responds slowly.`;

/** Reads the sandbox's clock once. @returns its time from now on */
async function sandboxTime(client: GatewayPort): Promise<() => number> {
  const { now, mode } = await client.control<{ now: string; mode: string }>("GET", "/clock");
  const startMs = monotonicNowMs();
  const sandboxMs = toEpochMs(now);
  return () => (mode === "frozen" ? sandboxMs : sandboxMs + Math.round(monotonicNowMs() - startMs));
}

/** The rules that this check can judge. */
export const CHECKED_RULES: readonly RuleId[] = RULE_IDS.filter(
  (id) => RULES[id].judgedBy !== "traffic" || (CONTROL_RULES as readonly RuleId[]).includes(id),
);
