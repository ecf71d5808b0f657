import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { WireDelivery, WireFault } from "../../core/state/wire.ts";
import { wallNowMs } from "../../platform/real-time.ts";
import { parseDurationMs } from "../../text/duration.ts";
import { toIso } from "../../wire/timestamp.ts";
import type { Exchange, ScenarioPort } from "../gateway-port.ts";
import { toSigned } from "../hand-made-webhook.ts";
import { BUYER, RECEIVER } from "../../wire/sample.ts";
import { differencesOf, StepFailure } from "./difference.ts";
import {
  type ArrivedWebhook,
  type WebhookResponse,
  WebhookServer,
} from "../../webhook-diagnosis/webhook-server.ts";
import { ANYTHING, LOST, resolve } from "./references.ts";
import { type Step, type StepOf, type Scenario, describeStep, objectOf } from "./scenario.ts";
import { type Message, say } from "../../text/message.ts";
import { english } from "../../text/languages.ts";

/** A handler under test: it responds in place of the scenario's own. */
export interface Handler {
  /** Sends it a webhook. @returns a null status, and an error, if it does not respond */
  send(
    body: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number | null; readonly error: string | null }>;
}

/** The sandbox and the integration of a run. */
export interface Stage {
  readonly client: ScenarioPort;
  /** The scenario's own integration, so that its faults and records do not affect others. */
  readonly token: string;
  readonly handler?: Handler | undefined;
  readonly signal: AbortSignal;
}

/** A step that has run, and why it failed. */
export interface PlayedStep {
  readonly number: number;
  readonly words: Message;
  readonly failure?: StepFailure | undefined;
  /** The step is only for the scenario's own handler. */
  readonly isSkipped?: boolean;
  /** How the handler under test responded to the webhooks that arrived during the step. */
  readonly responses?: readonly HandlerResponse[] | undefined;
}

export interface HandlerResponse {
  /** The type of the webhook. */
  readonly type: string;
  readonly response: WebhookResponse;
  /** Why there is no response. */
  readonly error?: string | undefined;
}

/**
 * Runs a scenario up to the first failed step. Then removes its faults and restores the clock's mode.
 * @param onStep called as each step ends
 * @throws the port's error if no sandbox responds.
 */
export async function play(
  { steps }: Scenario,
  stage: Stage,
  onStep: (step: PlayedStep) => void,
): Promise<boolean> {
  const { secret } = await stage.client.control<{ secret: string }>("GET", "/secret");
  const received: ArrivedWebhook[] = [];
  const responses: HandlerResponse[] = [];
  const { handler } = stage;
  await using server = await WebhookServer.open({
    secret,
    ...(handler && {
      respond: async (webhook) => {
        const { status, error } = await handler.send(webhook.rawBody, forwarded(webhook));
        const response = status ?? "nothing";
        responses.push({ type: webhook.type, response, error: error ?? undefined });
        return response;
      },
    }),
    onWebhook: (webhook) => void received.push(webhook),
  });
  const player = new Player(stage, { server, received, secret });
  try {
    for (const [index, step] of steps.entries()) {
      stage.signal.throwIfAborted();
      const described = { number: index + 1, words: describeStep(step) };
      if (handler && isForOwnHandler(step)) {
        onStep({ ...described, isSkipped: true });
        continue;
      }
      const failure = await player.take(step).then(
        () => undefined,
        (error: unknown) => {
          if (error instanceof StepFailure) return error;
          throw error;
        },
      );
      // A step also fails if the sandbox stops. That is no failure of the scenario.
      if (failure) await stage.client.assertRunning();
      onStep({ ...described, failure, ...(handler && { responses: responses.splice(0) }) });
      if (failure) return false;
    }
    return true;
  } finally {
    await player.leave();
  }
}

function isForOwnHandler({ verb, only }: Step): boolean {
  return only === "own_handler" || verb === "merchant_answers";
}

/** The headers that belong to a connection, not to a webhook. */
const OF_CONNECTION = new Set(["host", "connection", "content-length", "transfer-encoding"]);

/** The headers of a webhook that the handler under test gets. */
function forwarded({ headers }: ArrivedWebhook): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name)));
}

type Members = Readonly<Record<string, unknown>>;
interface Called {
  /** Its idempotency key; null if it has none. */
  readonly key: string | null;
  readonly answer: Promise<Exchange | undefined>;
}

/** The scenario's own handler, what it received, and the secret that signs its webhooks. */
interface OwnHandler {
  readonly server: WebhookServer;
  readonly received: readonly ArrivedWebhook[];
  readonly secret: string;
}

/** One run of a scenario: its named values, and what it must clean up. */
class Player {
  readonly #stage: Stage;
  readonly #own: OwnHandler;
  readonly #signal: AbortSignal;
  /** Aborts the calls that no step waits for. */
  readonly #over = new AbortController();
  /** Makes the idempotency keys of each run unique. */
  readonly #run = randomUUID();
  readonly #values = new Map<string, unknown>();
  readonly #nouns = new Map<string, "payins" | "payouts">();
  readonly #later = new Map<string, Called>();
  readonly #faults: string[] = [];
  #modeBefore: string | undefined;

  constructor(stage: Stage, own: OwnHandler) {
    this.#stage = stage;
    this.#own = own;
    this.#signal = AbortSignal.any([stage.signal, this.#over.signal]);
  }

  /** Removes the faults of the run and restores the clock. */
  async leave(): Promise<void> {
    const token = this.#stage.token;
    const cleanUp = (method: string, path: string) =>
      this.#stage.client.exchange(method, `/_sandbox${path}`, { token });
    for (const id of this.#faults) await cleanUp("DELETE", `/faults/${id}`);
    if (this.#modeBefore !== undefined)
      await cleanUp("POST", this.#modeBefore === "frozen" ? "/clock/freeze" : "/clock/resume");
    this.#over.abort();
    await Promise.allSettled([...this.#later.values()].map(({ answer }) => answer));
  }

  /** @throws StepFailure if the step fails. */
  async take(step: Step): Promise<void> {
    switch (step.verb) {
      case "create_payin":
        return this.#create(step, "payins", { ...BUYER, ...step.create_payin });
      case "create_payout":
        return this.#create(step, "payouts", { ...RECEIVER, ...step.create_payout });
      case "answer_of": {
        return this.#awaitAnswer(step, this.#later.get(step.answer_of), step.answer_of);
      }
      case "simulate": {
        const body = {
          transaction_id: this.#id(step.simulate),
          status: step.status ?? "completed",
        };
        const path = `/v1/${this.#nouns.get(step.simulate)}/simulations`;
        const answer = this.#exchange("POST", path, { body });
        return this.#awaitAnswer(step, { key: null, answer });
      }
      case "call":
        return this.#call(step);
      case "pay":
      case "expire":
      case "complete":
      case "cancel":
        return this.#move(step);
      case "clock":
        return this.#moveClock(step.clock);
      case "fault":
        return this.#order(step);
      case "release": {
        const order = step.order?.map((name) => this.#later.get(name)?.key);
        const id = this.#id(step.release);
        return void (await this.#control("POST", `/faults/${id}/release`, { order }));
      }
      case "clear_faults":
        return void (await this.#control("DELETE", "/faults"));
      case "merchant_answers":
        return this.#own.server.respondWith(step.merchant_answers);
      case "send_webhook":
        return this.#sendWebhook(step);
      case "settle":
        return void (await this.#control("POST", "/settle"));
      case "wait_for":
        return this.#waitFor(step);
      case "expect_record":
        return this.#expectRecord(step);
      case "expect_webhooks":
        return this.#expectWebhooks(step);
      case "expect_received":
        return this.#expectReceived(step);
    }
  }

  async #create(
    step: StepOf<"create_payin" | "create_payout">,
    noun: "payins" | "payouts",
    members: Members,
  ): Promise<void> {
    const body = { webhook_url: this.#own.server.url, ...(this.#resolved(members) as Members) };
    const key = this.#keyOf(step.key);
    const called = { key, answer: this.#exchange("POST", `/v1/${noun}`, { body, key }) };
    if (step.as !== undefined) this.#nouns.set(step.as, noun);
    if (step.later && step.as !== undefined) {
      this.#later.set(step.as, called);
      await this.#untilHeld(called);
      return;
    }
    await this.#awaitAnswer(step, called, step.as);
  }

  async #call(step: StepOf<"call">): Promise<void> {
    const { call, body, headers = {}, as } = step;
    const [method = "", path = ""] = call.split(" ");
    const inPath = (name: string, members: readonly string[]): string =>
      encodeURIComponent(String(this.#find(name, members)));
    const key = this.#keyOf(step.key);
    const answer = this.#exchange(method, String(resolve(path, inPath)), {
      body: this.#resolved(body),
      headers: this.#resolved(headers) as Record<string, string>,
      key,
    });
    await this.#awaitAnswer(step, { key, answer }, as);
  }

  async #move(step: StepOf<"pay" | "expire" | "complete" | "cancel">): Promise<void> {
    const path = this.#pathOf(String(objectOf(step)));
    await this.#control("POST", `${path}/${step.verb}`, undefined, step.answer);
  }

  async #moveClock(text: string): Promise<void> {
    const [, move = "", rest = ""] = /^(\w+) ?(.*)$/.exec(text) ?? [];
    if (move === "freeze" || move === "resume") {
      const { mode } = await this.#stage.client.control<{ mode: string }>("GET", "/clock");
      this.#modeBefore ??= mode;
    }
    const body =
      move === "advance"
        ? { seconds: Number(parseDurationMs(rest)) / 1000 }
        : move === "set"
          ? { now: this.#resolved(rest) }
          : undefined;
    await this.#control("POST", `/clock/${move}`, body);
  }

  async #order({ fault, on, times, probability, match, as }: StepOf<"fault">): Promise<void> {
    const body = { on, effect: fault, times, probability, match: this.#resolved(match) };
    const ordered = (await this.#control("POST", "/faults", body)) as WireFault;
    this.#faults.push(ordered.id);
    this.#store(as, ordered);
  }

  async #waitFor({ wait_for: type, of, timeout, as }: StepOf<"wait_for">): Promise<void> {
    const query = new URLSearchParams({
      type,
      timeout_ms: String(Math.round(Number(parseDurationMs(timeout ?? "5s")))),
    });
    if (of !== undefined) query.set("transaction_id", this.#id(of));
    const answer = await this.#exchange("GET", `/_sandbox/wait?${query.toString()}`);
    if (answer?.status === 408)
      throw new StepFailure([{ member: "webhook", expected: type }], await this.#nearest(of));
    this.#store(as, this.#checkAnswer(answer));
  }

  async #sendWebhook(step: StepOf<"send_webhook">): Promise<void> {
    const { send_webhook: type, of, signature, json, answer, as } = step;
    const record = of === undefined ? {} : await this.#control("GET", this.#pathOf(of));
    const id = step.id === undefined ? `evt_${randomUUID()}` : String(this.#resolved(step.id));
    const created_at = String(this.#resolved(step.created_at ?? toIso(wallNowMs())));
    const data = { ...(record as Members), ...(this.#resolved(step.data ?? {}) as Members) };
    const event = { id, type, created_at, data };
    const { body, headers } = toSigned(event, this.#own.secret, { signature, spelling: json });
    const { status } = await fetch(this.#own.server.url, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal: this.#signal,
    }).catch(() => ({ status: null }));
    this.#signal.throwIfAborted();
    const reaction = status !== null && status >= 200 && status < 300 ? "accepted" : "refused";
    if (answer !== undefined && reaction !== answer)
      throw new StepFailure([
        { member: "answer", expected: answer, found: status ?? english(LOST) },
      ]);
    this.#store(as, { id, status });
  }

  #pathOf(name: string): string {
    return `/${this.#nouns.get(name)}/${this.#id(name)}`;
  }

  async #expectRecord({ expect_record: name, members, as }: StepOf<"expect_record">) {
    const record = await this.#control("GET", this.#pathOf(name));
    const differences = differencesOf(this.#resolved(members), record, name);
    if (differences.length > 0) throw new StepFailure(differences);
    this.#store(as, record);
  }

  async #expectWebhooks({ expect_webhooks: name, are }: StepOf<"expect_webhooks">): Promise<void> {
    await this.#control("POST", "/settle");
    const sent = await this.#deliveries(this.#id(name));
    const expected = this.#resolved(are) as typeof are;
    const differences =
      expected.length === sent.length
        ? differencesOf(
            expected,
            sent.map((one) => ({ ...toShown(one), data: dataOf(one) })),
            "webhooks",
          )
        : [{ member: "webhooks", expected, found: sent.map(toShown) }];
    if (differences.length > 0) throw new StepFailure(differences, await this.#nearest(name));
  }

  async #expectReceived(step: StepOf<"expect_received">): Promise<void> {
    await this.#control("POST", "/settle");
    const id = step.of === undefined ? undefined : this.#id(step.of);
    const received = this.#own.received.filter(
      ({ type, data }) =>
        (step.type === undefined || type === step.type) && (id === undefined || data["id"] === id),
    );
    const { expect_received: count, ids, signature } = step;
    const each = { ...(signature && { signature }), data: this.#resolved(step.data ?? {}) };
    const differences = [
      ...differencesOf(
        { received: count, ...(ids !== undefined && { ids }) },
        { received: received.length, ids: new Set(received.map((one) => one.id)).size },
      ),
      ...differencesOf(
        received.map(() => each),
        received.map(({ flaw, data }) => ({ signature: flaw === null ? "holds" : "fails", data })),
        "received",
      ),
    ];
    const flaws = received.flatMap(({ flaw }) => (flaw === null ? [] : [flaw.text]));
    const notes =
      signature === "holds"
        ? [...new Map(flaws.map((flaw) => [english(flaw), flaw])).values()]
        : [];
    if (differences.length > 0)
      throw new StepFailure(differences, [...notes, ...(await this.#nearest(step.of))]);
  }

  /** @returns the body of a response that meets the expectation. */
  #checkAnswer(exchange: Exchange | undefined, expected: Expected = {}): unknown {
    const { lost, ...wanted } = this.#resolved(expected) as NonNullable<Expected>;
    if (exchange === undefined) {
      if (lost) return undefined;
      throw new StepFailure([
        { member: "answer", expected: wanted.status ?? 200, found: english(LOST) },
      ]);
    }
    const { status, headers, body } = exchange;
    if (lost) throw new StepFailure([{ member: "answer", expected: english(LOST), found: status }]);
    const error = body as { message?: string; code?: string; errors?: { message: string }[] };
    const answered = {
      status,
      code: error?.code,
      headers: Object.fromEntries(
        Object.keys(wanted.headers ?? {}).map((name) => [
          name,
          headers[name.toLowerCase()] ?? null,
        ]),
      ),
      body,
    };
    const isOpen = wanted.status === undefined && wanted.code === undefined;
    const differences = differencesOf(isOpen ? { status: 200, ...wanted } : wanted, answered);
    const details = (error?.errors ?? []).map(({ message }) => message);
    // The details name the fields.
    const sentences = (details.length > 0 ? details : [error?.message]).filter((each) => each);
    if (differences.length > 0)
      throw new StepFailure(
        differences,
        status >= 400 && sentences.length > 0
          ? [say`The response was: ${sentences.join(" ")}`]
          : [],
      );
    return body;
  }

  async #deliveries(transactionId?: string): Promise<readonly WireDelivery[]> {
    const of = transactionId === undefined ? "" : `&transaction_id=${transactionId}`;
    const answer = await this.#control("GET", `/deliveries?limit=1000${of}`);
    return (answer as { data: readonly WireDelivery[] }).data;
  }

  /** Describes the latest webhooks, those of a record first. */
  async #nearest(name: string | undefined): Promise<Message[]> {
    const id = name === undefined ? undefined : this.#id(name);
    const all = (await this.#deliveries()).toReversed();
    const isOf = ({ transaction_id }: WireDelivery): boolean => transaction_id === id;
    const near = [...all.filter(isOf), ...all.filter((one) => !isOf(one))].slice(0, MAX_NEAREST);
    if (near.length === 0) return [say`There are no webhooks.`];
    const names = new Map(
      [...this.#nouns.keys()].map((each) => [(this.#values.get(each) as Members)?.["id"], each]),
    );
    return near.map((one) => {
      const { type, status, attempts } = toShown(one);
      const of = names.get(one.transaction_id) ?? one.transaction_id;
      const outcome = [status, ...attempts].join(", ");
      return say`There is ${type} of ${of}: ${outcome}.`;
    });
  }

  /**
   * Waits for the expected response of a call, and stores its body.
   * @throws StepFailure if a fault holds the call: no later step would run that could release it
   */
  async #awaitAnswer(step: Calling, called?: Called, as?: string): Promise<void> {
    const fault = called && (await this.#untilHeld(called));
    if (!fault) return this.#store(as, this.#checkAnswer(await called?.answer, step.answer));
    const note = say`The fault "hold" on ${fault.on} holds this call, so no later step would run.`;
    throw new StepFailure([], [note, HELD_STEPS[step.verb] ?? NEVER_HELD]);
  }

  /** Waits until a call gets its response, or is held by a fault, which is returned. */
  async #untilHeld({ key, answer }: Called): Promise<WireFault | undefined> {
    const answered = Promise.allSettled([answer]);
    let pauseMs = FIRST_LOOK_MS;
    while (!(await Promise.race([answered, wait(pauseMs, false)]))) {
      // Those of all integrations too: one of them may hold the call.
      const { data } = await this.#stage.client
        .as(null)
        .control<{ data: readonly WireFault[] }>("GET", "/faults?limit=1000");
      const fault = data.find(
        ({ held, integration }) =>
          (integration === null || integration === this.#stage.token) &&
          held?.some(({ idempotency_key: heldKey }) => heldKey === key),
      );
      if (fault) return fault;
      pauseMs = Math.min(2 * pauseMs, LOOK_AGAIN_MS);
    }
    return undefined;
  }

  #store(name: string | undefined, value: unknown): void {
    if (name !== undefined) this.#values.set(name, value);
  }

  #id(name: string): string {
    return String(this.#find(name, ["id"]));
  }

  #find(name: string, path: readonly string[]): unknown {
    const start = name === "merchant" ? { url: this.#own.server.url } : this.#values.get(name);
    let found: unknown = start;
    for (const member of path)
      found =
        typeof found === "object" && found !== null && Object.hasOwn(found, member)
          ? (found as Members)[member]
          : undefined;
    if (found !== undefined) return found;
    const known = typeof start === "object" && start !== null ? Object.keys(start).join(", ") : "";
    throw new StepFailure(
      [{ member: [name, ...path].join("."), expected: ANYTHING }],
      [known === "" ? say`${name} has no members.` : say`${name} has the members ${known}.`],
    );
  }

  #resolved(value: unknown): unknown {
    return resolve(value, (name, path) => this.#find(name, path));
  }

  #keyOf(key: string | undefined): string {
    return key === undefined ? randomUUID() : `${this.#run}:${String(this.#resolved(key))}`;
  }

  #exchange(
    method: string,
    path: string,
    call: { body?: unknown; headers?: Record<string, string>; key?: string } = {},
  ): Promise<Exchange | undefined> {
    const { body, headers, key } = call;
    const keyed = { ...(key !== undefined && { "x-idempotency-key": key }), ...headers };
    return this.#stage.client.exchange(method, path, {
      token: this.#stage.token,
      body,
      headers: keyed,
      signal: this.#signal,
    });
  }

  /** @returns the body of the expected response of a control route */
  async #control(method: string, path: string, body?: unknown, expected?: Expected) {
    return this.#checkAnswer(await this.#exchange(method, `/_sandbox${path}`, { body }), expected);
  }
}

type Expected = StepOf<"pay">["answer"];
/** A step whose call a fault can hold. */
type Calling = StepOf<"create_payin" | "create_payout" | "answer_of" | "simulate" | "call">;

const MAX_NEAREST = 5;
const FIRST_LOOK_MS = 10;
const LOOK_AGAIN_MS = 200;

/** What to change in a step whose call is held. */
const SET_LATER = say`Set "later": true in this step, then use release and answer_of.`;
const HELD_STEPS: Partial<Readonly<Record<Step["verb"], Message>>> = {
  create_payin: SET_LATER,
  create_payout: SET_LATER,
  answer_of: say`Use release before this step.`,
};
const NEVER_HELD = say`Hold only create_payin and create_payout, with "later": true.`;

/** The parts of a webhook that a step can expect. */
function toShown({ type, status, attempts }: WireDelivery) {
  const outcomes = attempts.map((attempt) =>
    "status" in attempt ? attempt.status : "error" in attempt ? attempt.error : "",
  );
  return { type, status, attempts: outcomes };
}

function dataOf({ body }: WireDelivery): unknown {
  return (JSON.parse(body) as { data: unknown }).data;
}
