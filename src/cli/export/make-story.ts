import { eventsReporting } from "../../core/records/event.ts";
import { readEffect } from "../../core/faults/effects.ts";
import type { WirePayin } from "../../core/records/payin.ts";
import type { WirePayout } from "../../core/records/payout.ts";
import type { WireDelivery } from "../../core/state/wire.ts";
import type { Assumed, History } from "./history.ts";
import type { LoggedCall } from "./log.ts";
import { type Happening, inOrderOfCause } from "./order.ts";
import {
  type Expected,
  type ExpectedWebhook,
  type Step,
  type Story,
  type Template,
  Variable,
  WEBHOOK_URL,
} from "./story.ts";
import { causesOf, hasExpired, type Lives, readLives, type Transaction } from "./transactions.ts";
import { type Message, say } from "../../text/message.ts";

/**
 * Makes the story of a history.
 * @param only the id of a transaction: the story then is that of the transaction and its causes
 */
export function makeStory(history: History, only?: string): Story {
  const lives = readLives(history);
  const chosen = only === undefined ? lives : choose(lives, only);
  return new Teller(history, chosen).tell();
}

/** The lives of a transaction and its causes. */
function choose(lives: Lives, id: string): Lives {
  const causes = causesOf(id, lives);
  const transactions = lives.transactions.filter(({ record }) => causes.has(record.id));
  const keys = new Set(
    transactions.flatMap(({ token, creation }) =>
      creation ? [JSON.stringify([token, creation.key])] : [],
    ),
  );
  const tokens = new Set(transactions.map(({ token }) => token));
  const calls = lives.calls.filter(
    ({ kind, transactionId, token, key, method }) =>
      (transactionId !== undefined && causes.has(transactionId)) ||
      (kind === "create" && keys.has(JSON.stringify([token, key]))) ||
      (kind === "webhook" && method === "PUT" && tokens.has(token)),
  );
  return { transactions, calls, unread: 0, forgotten: 0 };
}

/** A transaction as the story tells it. */
interface Told {
  readonly variable: Variable;
  readonly key: string;
  /** The members of the request. */
  readonly body: Template;
  /** The types of its webhooks in the story; undefined if they cannot be known. */
  webhooks?: readonly ExpectedWebhook[] | undefined;
}

/** An integration in the story. */
interface Actor {
  readonly number: number;
  /** The choices that the story has made so far. */
  readonly assumed: Record<string, string | number>;
  /** The events that its configured webhook receives. */
  events: readonly string[];
  /** Payouts in progress, by recipient. */
  readonly inProgress: Map<string, Set<Transaction>>;
}

/**
 * Choices that the story does not make: they need more than a call (`credentials`), depend on real time, or the story
 * makes their effect happen by steps of its own.
 */
const UNTOLD: ReadonlySet<string> = new Set([
  "credentials",
  "environment",
  "rate_limit.per_minute",
  "idempotency.retention_seconds",
  "payout.auto",
  "webhook.retries",
  "webhook.timeout_seconds",
]);
/** Choices that the story makes only where something shows that they were in force. */
const SHOWN: ReadonlySet<string> = new Set([
  "payin.paid_status",
  "payout.rival",
  "payin.expiry_event",
]);

const DAY_MS = 86_400_000;
/** The clock cannot be advanced further at once. */
const MAX_ADVANCE_MS = 300 * DAY_MS;

/** Tells a story step by step, and knows the state of the sandbox after each. */
class Teller {
  readonly #history: History;
  readonly #lives: Lives;
  readonly #steps: Step[] = [];
  readonly #notes: Message[] = [];
  readonly #told = new Map<Transaction, Told>();
  readonly #byId = new Map<string, Transaction>();
  readonly #actors = new Map<string, Actor>();
  /** The keys of the story by those of the calls, with the token. */
  readonly #keys = new Map<string, string>();
  readonly #usedKeys = new Set<string>();
  readonly #counts = { payin: 0, payout: 0, refused: 0 };
  readonly #isTimed: boolean;
  #nowMs: number | undefined;
  #unreplayed = { reorders: 0, failures: 0 };

  constructor(history: History, lives: Lives) {
    this.#history = history;
    this.#lives = lives;
    this.#isTimed = lives.transactions.some(hasExpired);
    for (const one of lives.transactions) this.#byId.set(one.record.id, one);
  }

  tell(): Story {
    if (this.#isTimed) this.#add("all", say`Freeze the clock`, { kind: "freeze" });
    for (const happening of inOrderOfCause(this.#lives)) this.#happen(happening);
    this.#lookAtEnd();
    this.#noteLosses();
    const { payin, payout } = this.#counts;
    return {
      about: say`What happened in a sandbox: payins: ${payin}, payouts: ${payout}.`,
      notes: this.#notes,
      integrations: this.#actors.size,
      steps: this.#steps,
    };
  }

  #happen(happening: Happening): void {
    const actor = this.#actorOf(happening.token);
    switch (happening.kind) {
      case "created":
        this.#passTime(happening.atMs);
        return this.#create(happening.transaction, actor);
      case "settled":
        return this.#settle(happening.transaction, actor, happening.atMs);
      case "called":
        return this.#call(happening.call, happening.of, actor);
    }
  }

  #actorOf(token: string): Actor {
    const known = this.#actors.get(token);
    if (known) return known;
    const actor: Actor = {
      number: this.#actors.size,
      assumed: {},
      events: [],
      inProgress: new Map(),
    };
    this.#actors.set(token, actor);
    const held: Assumed = this.#history.assumptions.get(token) ?? {};
    const changes = Object.entries(held).filter(([name]) => !UNTOLD.has(name) && !SHOWN.has(name));
    this.#assume(actor, Object.fromEntries(changes));
    this.#configureUnlogged(token, actor);
    return actor;
  }

  /** Configures the webhook of an integration if no logged call did, and webhooks show that one was configured. */
  #configureUnlogged(token: string, actor: Actor): void {
    const isLogged = this.#lives.calls.some(
      (call) => isConfiguration(call) && call.token === token,
    );
    const types = this.#lives.transactions
      .filter((one) => one.token === token)
      .flatMap(({ deliveries }) => deliveries.map(({ type }) => type))
      .filter((type) => type.startsWith("payment."));
    if (isLogged || types.length === 0) return;
    this.#configure(actor, { webhook_url: WEBHOOK_URL, events: [...new Set(types)].toSorted() });
  }

  #configure(actor: Actor, body: { readonly [member: string]: Template }): void {
    this.#add(actor.number, say`Configure the webhook`, {
      kind: "gateway",
      method: "PUT",
      path: "/v1/webhooks",
      body,
      expected: { status: 200 },
    });
    const { events } = body;
    actor.events = Array.isArray(events) ? events.map(String) : [];
  }

  /** Makes the choices that are not in force yet. */
  #assume(actor: Actor, wanted: Assumed): void {
    const changes = Object.fromEntries(
      Object.entries(wanted).filter(
        ([name, choice]) =>
          !UNTOLD.has(name) &&
          String(actor.assumed[name] ?? DEFAULTS[name] ?? "") !== String(choice),
      ),
    );
    const names = Object.keys(changes);
    if (names.length === 0) return;
    Object.assign(actor.assumed, changes);
    const list = names.join(", ");
    this.#add(actor.number, say`Change assumptions: ${list}`, { kind: "assume", changes });
  }

  #passTime(atMs: number): void {
    const before = this.#nowMs ?? atMs;
    this.#nowMs = Math.max(before, atMs);
    if (!this.#isTimed) return;
    for (let left = atMs - before; left > 0; left -= MAX_ADVANCE_MS) {
      const ms = Math.min(left, MAX_ADVANCE_MS);
      const says = say`${ms / 1000} seconds pass`;
      this.#add("all", says, { kind: "advance", ms });
    }
  }

  #create(transaction: Transaction, actor: Actor): void {
    const { noun, record, creation, repeats } = transaction;
    const variable = new Variable(`${noun}_${++this.#counts[noun]}`);
    const logged = creation ?? repeats[0];
    const body = logged ? toTemplate(logged.body) : rebuiltBody(noun, record);
    const told: Told = { variable, key: this.#keyOf(variable.name, creation), body };
    this.#told.set(transaction, told);
    if (creation) this.#assume(actor, creation.assumed);
    const rivals = this.#rivalsOf(transaction, actor);
    const isCanceled = isCanceledByRival(transaction, rivals);
    if (rivals.size > 0) this.#assume(actor, { "payout.rival": isCanceled ? "cancel" : "allow" });
    const isLost = creation?.isLost === true;
    const effect = isCanceled && !isLost ? this.#webhookFault(transaction)?.effect : undefined;
    const { name } = variable;
    this.#add(
      actor.number,
      isLost ? say`Create ${name}; the response is lost` : say`Create ${name}`,
      {
        kind: "create",
        noun,
        path: logged?.path ?? `/v1/${noun}s`,
        body,
        key: told.key,
        fault: isLost ? "lost_answer" : effect,
        as: isLost ? undefined : variable,
        expected: isLost ? "lost" : { status: 200 },
      },
    );
    if (isLost) this.#add(actor.number, say`Find ${name}`, { kind: "find", noun, as: variable });
    if (isCanceled) told.webhooks = this.#webhooksOf(transaction, actor, effect);
    else if (transaction.recipient !== undefined) rivals.add(transaction);
  }

  /** The payouts in progress to the recipient of a payout. */
  #rivalsOf({ recipient }: Transaction, { inProgress }: Actor): Set<Transaction> {
    if (recipient === undefined) return new Set();
    const rivals = inProgress.get(recipient) ?? new Set();
    inProgress.set(recipient, rivals);
    return rivals;
  }

  #settle(transaction: Transaction, actor: Actor, atMs: number): void {
    const { noun, record, simulation, recipient } = transaction;
    const told = this.#told.get(transaction);
    // A rival canceled it when it was created.
    if (!told || told.webhooks) return;
    const { variable } = told;
    const { name } = variable;
    const { status } = record;
    if (transaction.deliveries.some(({ type }) => type === "payin.expired"))
      this.#assume(actor, { "payin.expiry_event": "webhook" });
    if (status === "paid") this.#assume(actor, { "payin.paid_status": "paid" });
    if (simulation) this.#assume(actor, simulation.assumed);
    const isTimed = hasExpired(transaction);
    const isSimulated =
      !isTimed &&
      (simulation !== undefined ||
        (noun === "payin" &&
          status === "completed" &&
          actor.assumed["payin.paid_status"] !== "completed"));
    const fault = this.#webhookFault(transaction);
    const isLost = simulation?.isLost === true;
    const isByHeader = isSimulated && !isLost;
    if (!isTimed) this.#passTime(atMs);
    if (fault && !isByHeader)
      this.#add(actor.number, say`A webhook of ${name} has a fault`, {
        kind: "fault",
        effect: fault.effect,
        of: variable,
        times: fault.times,
      });
    if (isTimed) this.#passTime(atMs);
    else if (isSimulated)
      this.#add(
        actor.number,
        isLost
          ? say`Simulate ${name}: ${status}; the response is lost`
          : say`Simulate ${name}: ${status}`,
        {
          kind: "simulate",
          noun,
          body: { transaction_id: variable, status },
          fault: isLost ? "lost_answer" : fault?.effect,
          expected: isLost ? "lost" : { status: 200 },
        },
      );
    else {
      const move = moveTo(transaction);
      const says = {
        pay: say`The buyer pays ${name}`,
        cancel: say`${name} is canceled`,
        expire: say`${name} expires`,
        complete: say`${name} is completed`,
      }[move];
      const expected = { status: 200, members: { status } };
      this.#add(actor.number, says, { kind: "move", noun, of: variable, move, expected });
    }
    if (recipient !== undefined) actor.inProgress.get(recipient)?.delete(transaction);
    told.webhooks = this.#webhooksOf(transaction, actor, fault?.effect);
  }

  /** The fault of a transaction's webhooks, as far as a story can repeat it. */
  #webhookFault({ deliveries }: Transaction) {
    const faulty = deliveries.filter(({ fault }) => fault !== undefined);
    const [first] = faulty;
    if (first?.fault === undefined) return undefined;
    if (readEffect(first.fault)?.kind !== "reorder")
      return { effect: first.fault, times: faulty.length };
    // Which webhook overtakes it depends on all others to its address.
    this.#unreplayed.reorders += 1;
    return undefined;
  }

  /** The webhooks that a transaction has in the story; undefined if those that are stored differ. */
  #webhooksOf(
    { deliveries, noun, record }: Transaction,
    actor: Actor,
    effect: string | undefined,
  ): readonly ExpectedWebhook[] | undefined {
    const expiryEvent = actor.assumed["payin.expiry_event"] === "webhook" ? "webhook" : "none";
    const types: readonly string[] = eventsReporting(
      noun,
      record.status,
      { "payin.expiry_event": expiryEvent },
      actor.events,
    );
    if (deliveries.some(({ attempts, fault }) => fault === undefined && attempts.some(hasFailed)))
      this.#unreplayed.failures += 1;
    const stored = deliveries.map(({ type }) => type);
    if (types.toSorted().join() !== stored.toSorted().join()) return UNKNOWN;
    const kind = effect === undefined ? undefined : readEffect(effect)?.kind;
    const isLate = kind === "delay_ms" || kind === "drop_attempts";
    const isTwice = kind === "duplicate" || kind === "duplicate_at_once";
    const faulty = new Set(
      deliveries.filter(({ fault }) => fault !== undefined).map(({ type }) => type),
    );
    // A header affects all webhooks of the call, a stored fault those that it was used for.
    if (faulty.size > 0 && faulty.size < types.length)
      return types.map((type) => ({ type, attempts: undefined }));
    return types.map((type) => ({ type, attempts: isLate ? undefined : isTwice ? 2 : 1 }));
  }

  /** A call that changed nothing, or the configuration. */
  #call(call: LoggedCall, of: Transaction | undefined, actor: Actor): void {
    const { kind, noun, method, path, status } = call;
    this.#assume(actor, call.assumed);
    const told = of && this.#told.get(of);
    const name = told?.variable.name ?? noun;
    const expected = expectedOf(call);
    if (kind === "webhook") {
      if (isConfiguration(call))
        return this.#configure(actor, toTemplate(call.body) as Record<string, Template>);
      const body = call.body === undefined ? undefined : toTemplate(call.body, call);
      this.#add(
        actor.number,
        method === "GET" ? say`Read the webhook's configuration` : say`A configuration is refused`,
        { kind: "gateway", method, path, body, expected },
      );
      return;
    }
    const refusal = call.code ?? status;
    if (kind === "simulate") {
      const { transaction_id: id } = Object(call.body) as { transaction_id?: unknown };
      const known = typeof id === "string" ? this.#byId.get(id) : undefined;
      const variable = known && this.#told.get(known)?.variable;
      const template = toTemplate(call.body, call);
      const body =
        variable && typeof template === "object" && template !== null
          ? { ...(template as Record<string, Template>), transaction_id: variable }
          : template;
      this.#add(
        actor.number,
        status === 200
          ? say`Simulate ${name} again`
          : say`A simulation of ${variable?.name ?? name} is refused: ${refusal}`,
        { kind: "simulate", noun, body, fault: faultOf(call), expected },
      );
      return;
    }
    const isRepeat = status === 200 && told !== undefined;
    const body = toTemplate(call.body, call);
    this.#add(
      actor.number,
      isRepeat ? say`The retry gets ${name} again` : say`A ${noun} is refused: ${refusal}`,
      {
        kind: "create",
        noun,
        path,
        body,
        key: isRepeat ? told.key : this.#refusedKeyOf(call),
        fault: faultOf(call),
        expected: isRepeat ? { status: 200, members: { id: told.variable } } : expected,
      },
    );
  }

  /** The key of a creation: that of refused calls with the same key before it, else a new one. */
  #keyOf(name: string, creation: LoggedCall | undefined): string {
    if (!creation) return name;
    const original = JSON.stringify([creation.token, creation.key]);
    const refused = this.#keys.get(original);
    const key = refused !== undefined && !this.#usedKeys.has(refused) ? refused : name;
    this.#keys.set(original, key);
    this.#usedKeys.add(key);
    return key;
  }

  #refusedKeyOf({ token, key }: LoggedCall): string {
    const original = JSON.stringify([token, key]);
    const known = this.#keys.get(original);
    if (known !== undefined) return known;
    const name = `refused_${++this.#counts.refused}`;
    this.#keys.set(original, name);
    return name;
  }

  /** Expects the final status and the webhooks of each transaction. */
  #lookAtEnd(): void {
    if (this.#told.size === 0) return;
    this.#add("all", say`The webhooks are delivered`, { kind: "settle" });
    for (const [{ noun, record, token }, { variable, webhooks }] of this.#told) {
      const { name } = variable;
      const { number } = this.#actorOf(token);
      const { status, value } = record;
      this.#add(number, say`${name} is ${status}`, {
        kind: "record",
        noun,
        of: variable,
        members: { status, value },
      });
      if (webhooks && webhooks !== UNKNOWN)
        this.#add(number, say`The webhooks of ${name}`, {
          kind: "webhooks",
          noun,
          of: variable,
          are: webhooks,
        });
    }
  }

  #noteLosses(): void {
    const { unread, forgotten, transactions } = this.#lives;
    const rebuilt = transactions.filter(({ creation }) => creation === undefined).length;
    const { reorders, failures } = this.#unreplayed;
    if (rebuilt > 0)
      this.#notes.push(
        say`The request log does not have the creation of ${rebuilt} of ${transactions.length} transactions: they are rebuilt from their records, without refused calls and retries.`,
      );
    if (unread > 0)
      this.#notes.push(say`Requests that cannot be repeated are left out: ${unread}.`);
    if (forgotten > 0)
      this.#notes.push(
        say`Requests whose transactions no longer exist are left out: ${forgotten}.`,
      );
    if (reorders > 0)
      this.#notes.push(say`The order of reordered webhooks is not repeated: ${reorders}.`);
    if (failures > 0)
      this.#notes.push(
        say`Webhooks had attempts that failed; here the receiver responds with 200 to the first attempt: ${failures}.`,
      );
  }

  #add(integration: number | "all", says: Message, step: OwnParts): void {
    this.#steps.push({ integration, says, ...step });
  }
}

/** A step without what all steps have. */
type OwnParts = Step extends infer Each
  ? Each extends Step
    ? Omit<Each, "says" | "integration">
    : never
  : never;

/** The webhooks of a settled transaction of which the story expects nothing. */
const UNKNOWN: readonly ExpectedWebhook[] = [];

const DEFAULTS: Assumed = {
  "payin.paid_status": "paid",
  "payout.rival": "cancel",
  "payin.expiry_event": "none",
};

function isConfiguration({ kind, method, status }: LoggedCall): boolean {
  return kind === "webhook" && method === "PUT" && status === 200;
}

/** Whether a payout was canceled since another one to its recipient was in progress. */
function isCanceledByRival(
  { record, simulation, createdMs, settledMs }: Transaction,
  rivals: ReadonlySet<Transaction>,
): boolean {
  return (
    rivals.size > 0 &&
    record.status === "canceled" &&
    simulation === undefined &&
    settledMs === createdMs
  );
}

function moveTo({ noun, record: { status } }: Transaction) {
  if (status === "canceled") return "cancel";
  if (status === "expired") return "expire";
  return noun === "payin" ? "pay" : "complete";
}

function hasFailed(attempt: WireDelivery["attempts"][number]): boolean {
  return !("status" in attempt) || attempt.status < 200 || attempt.status > 299;
}

function faultOf({ isInjected, code }: LoggedCall): string | undefined {
  return isInjected ? `error=${code}` : undefined;
}

function expectedOf({ status, code }: LoggedCall): Expected {
  return code === undefined ? { status } : { status, members: { code } };
}

/** A body in which the webhook address is a variable, unless the call was refused for it. */
function toTemplate(body: unknown, call?: LoggedCall): Template {
  const template = body as Template;
  if (typeof template !== "object" || template === null || Array.isArray(template)) return template;
  const { webhook_url: url } = template as Readonly<Record<string, Template>>;
  if (typeof url !== "string" || !/^https?:/i.test(url) || call?.isAboutWebhookUrl) return template;
  return { ...(template as Readonly<Record<string, Template>>), webhook_url: WEBHOOK_URL };
}

/** The request of a record. */
function rebuiltBody(noun: Transaction["noun"], record: WirePayin | WirePayout): Template {
  const { value, description } = record;
  const common = {
    value,
    ...(description !== undefined && { description }),
    webhook_url: WEBHOOK_URL,
  };
  if (noun === "payin") {
    const { buyer_cpf, buyer_name, buyer_email, generate_qrcode, expiration } = record as WirePayin;
    return { ...common, buyer_cpf, buyer_name, buyer_email, generate_qrcode, expiration };
  }
  const { receiver_cpf, receiver_name, receiver_email, pix_key, pix_key_type } =
    record as WirePayout;
  return { ...common, receiver_cpf, receiver_name, receiver_email, pix_key, pix_key_type };
}
