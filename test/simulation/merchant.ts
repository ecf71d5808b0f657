import {
  type Effect,
  EFFECTS,
  isEffectOn,
  partsOf,
  readEffect,
} from "../../src/core/faults/effects.ts";
import type { CallFault, FaultDraft } from "../../src/core/faults/fault.ts";
import type { Created } from "../../src/core/operations/gateway.ts";
import type { FaultedCall } from "../../src/core/operations/injector.ts";
import { toEpochMs } from "../../src/wire/timestamp.ts";
import type { Payin, PayinDraft, Payout, PayoutDraft } from "../../src/core/records/transaction.ts";
import {
  type Call,
  configureWebhook,
  createPayin,
  createPayout,
  payinCall,
  payoutCall,
  simulate,
  traced,
} from "../support/core.ts";
import type { Chance } from "./chance.ts";
import type { Chronicle } from "./chronicle.ts";
import type { Life } from "./life.ts";
import type { Machine } from "./machine.ts";
import type { SimulatedNetwork } from "./network.ts";
import type { Plan } from "./plan.ts";
import type { System } from "./system.ts";
import type { SimulatedTime } from "./time.ts";
import type { Age, Witness } from "./witness.ts";

/** Something that the merchant wants to have once: it asks for it until it has an answer. */
interface Order {
  readonly call: { readonly payin: Call<PayinDraft> } | { readonly payout: Call<PayoutDraft> };
  readonly age: Age;
  /** The record that it was answered with last. */
  record: Payin | Payout | undefined;
  /** Whether there is nothing more to ask for. */
  isDone: boolean;
}

const INTEGRATIONS = ["shop", "other"] as const;
const RECEIVERS = ["52998224725", "11144477735", "12345678909"] as const;
const EXPIRATIONS_S = [20, 20, 25, 40, 90] as const;
/** How likely the process ends while much is done. */
const STRIKE = 0.35;
/** The values of effects that do not take 2, or for which 2 would be too short. The empty patch changes nothing. */
const EFFECT_VALUES: Readonly<Record<string, string>> = {
  error: "EXTERNAL_ERROR",
  patch_body: "{}",
  latency_ms: "700",
  delay_ms: "3000",
};
/** Every fault effect once. */
const FAULT_EFFECTS = Object.entries(EFFECTS).map(([kind, row]) =>
  readEffect("value" in row ? `${kind}=${EFFECT_VALUES[kind] ?? 2}` : kind),
) as Effect[];
const CALL_EFFECTS = FAULT_EFFECTS.filter((effect) => isEffectOn(effect, "call"));
const WEBHOOK_EFFECTS = FAULT_EFFECTS.filter((effect) => isEffectOn(effect, "webhook"));
const TIDY_MS = 2500;
const MAX_TIDYINGS = 150;

/** The merchant's program, its buyers, and whoever controls the sandbox: all that asks the gateway for something. */
export class Merchant {
  readonly #system: System;
  readonly #time: SimulatedTime;
  readonly #chance: Chance;
  readonly #chronicle: Chronicle;
  readonly #network: SimulatedNetwork;
  readonly #machine: Machine;
  readonly #witness: Witness;
  readonly #plan: Plan;
  readonly #orders: Order[] = [];
  /** What is asked of a process, until it is answered or the process has ended. */
  readonly #asked = new Set<{ readonly what: string; readonly of: Life }>();
  #tidyings = 0;
  #keys = 0;

  constructor(parts: {
    system: System;
    time: SimulatedTime;
    chance: Chance;
    chronicle: Chronicle;
    network: SimulatedNetwork;
    machine: Machine;
    witness: Witness;
    plan: Plan;
  }) {
    this.#system = parts.system;
    this.#time = parts.time;
    this.#chance = parts.chance;
    this.#chronicle = parts.chronicle;
    this.#network = parts.network;
    this.#machine = parts.machine;
    this.#witness = parts.witness;
    this.#plan = parts.plan;
  }

  /** Does many things, several of them at about the same time. */
  storm(): void {
    const { bursts, stormMs } = this.#plan;
    const deeds = this.#deeds();
    for (let burst = 0; burst < bursts; burst++) {
      const atMs = this.#chance.between(0, stormMs);
      const spreadMs = this.#chance.pick([0, 1, 50]);
      for (let count = this.#chance.whole(2, 9); count > 0; count--)
        this.#time.after(atMs + this.#chance.draw() * spreadMs, () => this.#chance.pick(deeds)());
      // In the middle of it is when an end does harm.
      if (this.#chance.is(STRIKE))
        this.#time.after(atMs + this.#chance.between(0, 60), () => this.#machine.strike());
    }
  }

  /** Asks for what is not answered and settles what waits, until there is nothing of either. */
  tidyUp(): void {
    if (this.#tidyings++ > MAX_TIDYINGS)
      return this.#chronicle.violated(
        "everything comes to rest",
        "there is always more to ask for",
      );
    const { life } = this.#machine;
    const isTidy = life !== undefined && this.#tidy(life);
    if (!isTidy) this.#time.after(TIDY_MS, () => this.tidyUp());
  }

  #tidy(life: Life): boolean {
    const { clock, gateway, store, clockDriver } = life;
    const isFrozen = clock.mode === "frozen";
    const hasFaults = store.records.faults.size > 0;
    const isAsked = this.#isAsked(life);
    if (isFrozen) this.#ask("resume", () => clockDriver.turn("resume"));
    if (hasFaults) this.#ask("clear the faults", () => gateway.faults.remove(null));
    const open = this.#orders.filter(({ age, isDone }) => !isDone && !age.isOver);
    for (const order of open) this.#send(order);
    const waiting = store.records.transactions
      .all()
      .flatMap(({ kind, record }) =>
        kind === "payout" && record.status === "waiting" ? [record] : [],
      );
    for (const payout of waiting) this.#settlePayout(payout);
    return !isFrozen && !hasFaults && open.length === 0 && waiting.length === 0 && !isAsked;
  }

  /** Whether a process owes an answer: to a call, or to any. */
  #isAsked(life: Life, what?: string): boolean {
    return [...this.#asked].some((each) => each.of === life && (what ?? each.what) === each.what);
  }

  /** What is done, as many times as it is likely. */
  #deeds(): readonly (() => void)[] {
    const { clockMoves, configuration, faults, resets } = this.#plan;
    const deeds: readonly (readonly [number, () => void])[] = [
      [5, () => this.#order()],
      [2, () => this.#repeat()],
      [1, () => this.#misuse()],
      [3, () => this.#settleSome()],
      [2, () => this.#read()],
      [1, () => this.#resend()],
      [faults ? 2 : 0, () => this.#orderFault()],
      [faults ? 1 : 0, () => this.#release()],
      [clockMoves ? 1 : 0, () => this.#moveClock()],
      [configuration ? 1 : 0, () => this.#configure()],
      [resets ? 1 : 0, () => this.#reset()],
    ];
    return deeds.flatMap(([times, deed]) => Array.from({ length: times }, () => deed));
  }

  #order(): void {
    const integration = this.#chance.pick(INTEGRATIONS);
    const age = this.#witness.ageOf(integration);
    const key = `key ${++this.#keys}`;
    const call = this.#chance.is(0.5)
      ? { payin: this.#payinCall(integration, key) }
      : { payout: this.#payoutCall(integration, key) };
    this.#place({ call, age, record: undefined, isDone: false });
  }

  #place(order: Order): void {
    this.#orders.push(order);
    this.#witness.noteOrder(descriptionOf(order), order.age);
    this.#send(order);
    // Impatient programs ask twice, and the network may bring one call two times.
    for (let count = this.#chance.pick([0, 0, 1, 2]); count > 0; count--)
      this.#time.after(this.#chance.pick([0, 0.5, 20]), () => this.#send(order));
  }

  #payinCall(integration: string, key: string, description = key): Call<PayinDraft> {
    const draft = {
      description,
      valueCents: this.#chance.whole(1, 99_999),
      webhook_url: this.#chance.pick(this.#network.addresses),
      expiration: this.#chance.pick(EXPIRATIONS_S),
    };
    return payinCall({ integration, key, draft, request: JSON.stringify(draft) });
  }

  #payoutCall(integration: string, key: string, description = key): Call<PayoutDraft> {
    const draft = {
      description,
      valueCents: this.#chance.whole(1, 99_999),
      webhook_url: this.#chance.pick(this.#network.addresses),
      receiver_cpf: this.#chance.pick(RECEIVERS),
    };
    return payoutCall({ integration, key, draft, request: JSON.stringify(draft) });
  }

  #repeat(): void {
    const order = this.#someOrder();
    if (order) this.#send(order);
  }

  /** The same key with another body, or for another operation. */
  #misuse(): void {
    const order = this.#someOrder();
    if (!order) return;
    const { integration, key } = keyedOf(order);
    const description = `${key} (other)`;
    const call = this.#chance.is(0.5)
      ? { payin: this.#payinCall(integration, key, description) }
      : { payout: this.#payoutCall(integration, key, description) };
    // What it is refused for it asks for no more.
    this.#place({ call, age: order.age, record: undefined, isDone: true });
  }

  #send(order: Order): void {
    const { call, age } = order;
    const what = `create ${"payin" in call ? "payin" : "payout"} ${descriptionOf(order)}`;
    this.#ask(
      what,
      (life) => {
        const isUnderWay = this.#isAsked(life, what);
        const { integration, key, request } = keyedOf(order);
        const operation = "payin" in call ? "payins.create" : "payouts.create";
        const kind = "payin" in call ? "payin" : "payout";
        const repeat = life.gateway.repeatOf(kind, traced(life.gateway, keyedOf(order)));
        const answered =
          repeat ??
          this.#suffer(
            life,
            { operation, integration, key, request },
            age,
            async (fault): Promise<Created> =>
              "payin" in call
                ? createPayin(life.gateway, { ...call.payin, fault })
                : createPayout(life.gateway, { ...call.payout, fault }),
          );
        return Promise.resolve(answered).then((created) => {
          if (created.isRepeat && isUnderWay) this.#chronicle.meet("repeated while under way");
          return created;
        });
      },
      {
        age,
        told: ({ transaction: { record }, isRepeat }, asked, { store }) => {
          this.#witness.tell(record, asked, true);
          const isCanceled =
            store.records.transactions.get(record.id)?.record.status === "canceled";
          if (isCanceled && !isRepeat) this.#chronicle.meet("payout canceled by its rival");
        },
        heard: ({ transaction: { record } }) => {
          if (order.record?.id === record.id) return;
          order.isDone = true;
          order.record = record;
          if ("expires_at" in record && this.#chance.is(0.4)) this.#payLate(record);
        },
        refused: (code) => {
          if (code === "DUPLICATED_VALUE") order.isDone = true;
          if (code === "NOT_PROCESSABLE") this.#chronicle.meet("payout refused for its rival");
        },
      },
    );
  }

  /** A buyer pays at the last moment, or one too late. */
  #payLate({ id, expires_at, description }: Payin): void {
    const { life } = this.#machine;
    const expiresAtMs = toEpochMs(expires_at);
    if (!life || (life.clock.mode === "frozen" && life.clock.nowMs() < expiresAtMs)) return;
    const waitMs = Math.max(0, expiresAtMs - life.clock.nowMs());
    this.#time.after(waitMs + this.#chance.between(-1.5, 1.5), () => {
      const { clock, gateway } = this.#machine.life ?? {};
      const isClose = clock && Math.abs(clock.nowMs() - expiresAtMs) <= 2;
      if (!gateway || !isClose) return;
      this.#ask(`pay ${description} late`, () => gateway.move(null, "payin", id, "pay"), {
        wayMs: 0,
        told: (payin, asked) => {
          if (payin) this.#witness.tell(payin.record, asked);
          this.#chronicle.meet("paid at the last moment");
        },
        refused: () => this.#chronicle.meet("expired right before it was paid"),
      });
    });
  }

  #settleSome(): void {
    const record = this.#chance.pick(this.#orders.filter((order) => order.record))?.record;
    if (!record) return;
    if ("receiver_cpf" in record) this.#settlePayout(record);
    else this.#settlePayin(record);
  }

  #settlePayin({ id, integration, description }: Payin): void {
    const age = this.#witness.ageOf(integration);
    const move = this.#chance.pick(["simulate", "pay", "cancel", "expire"] as const);
    this.#ask(
      `${move} payin ${description}`,
      (life) => {
        if (move !== "simulate") return life.gateway.move(integration, "payin", id, move);
        const request = JSON.stringify({ id });
        const call = { operation: "payins.simulate", integration, key: null, request } as const;
        return this.#suffer(life, call, age, async (fault) =>
          simulate(life.gateway, "payin", { integration, id, status: "completed", fault }),
        );
      },
      { told: (payin, asked) => payin && this.#witness.tell(payin.record, asked) },
    );
  }

  #settlePayout({ id, integration, description }: Payout): void {
    const age = this.#witness.ageOf(integration);
    const status = this.#chance.is(0.7) ? "completed" : "canceled";
    this.#ask(
      `simulate payout ${description} ${status}`,
      (life) => {
        const request = JSON.stringify({ id });
        const call = { operation: "payouts.simulate", integration, key: null, request } as const;
        return this.#suffer(life, call, age, async (fault) =>
          simulate(life.gateway, "payout", { integration, id, status, fault }),
        );
      },
      { told: (payout, asked) => this.#witness.tell(payout.record, asked) },
    );
  }

  #read(): void {
    this.#ask(
      "read all",
      ({ gateway }) =>
        gateway.read(null, (view) => [
          ...(view.records("payin", { limit: 1000 })?.rows ?? []),
          ...(view.records("payout", { limit: 1000 })?.rows ?? []),
        ]),
      {
        told: (records, asked, { store }) => {
          for (const record of records) this.#witness.tell(record, asked);
          this.#witness.compare(store.records, false);
        },
      },
    );
  }

  #resend(): void {
    this.#ask("resend", async ({ store, worker }) => {
      const delivery = this.#chance.pick(store.records.deliveries.all());
      if (delivery) await worker.resend(delivery);
    });
  }

  #configure(): void {
    const integration = this.#chance.pick(INTEGRATIONS);
    const webhook_url = this.#chance.pick(this.#network.addresses);
    const events = ["payment.received", "payment.failed"] as const;
    this.#ask(`configure ${webhook_url}`, ({ gateway }) =>
      configureWebhook(gateway, { integration, webhook_url, events }),
    );
  }

  #orderFault(): void {
    const draft = this.#drawFault();
    const integration = this.#chance.pick([...INTEGRATIONS, null]);
    this.#ask(`fault ${draft.on} ${draft.effect}`, ({ gateway }) =>
      gateway.faults.create(integration, draft),
    );
  }

  #drawFault(): FaultDraft {
    const times = this.#chance.whole(1, 3);
    const on = this.#chance.pick(["payins.create", "payouts.create", "payouts.simulate"] as const);
    return this.#chance.is(0.5)
      ? { on, effect: this.#chance.pick(CALL_EFFECTS), times }
      : { on: "webhook", effect: this.#chance.pick(WEBHOOK_EFFECTS), times };
  }

  #release(): void {
    this.#ask("release what is held", async ({ gateway, store }) => {
      const holding = [...store.records.faults.all()].find(({ effect }) => effect === "hold");
      if (holding && gateway.faults.heldKeys(holding.id).length > 0)
        this.#chronicle.meet("held call released");
      if (holding) await gateway.faults.release(null, holding.id);
    });
  }

  #moveClock(): void {
    const seconds = this.#chance.pick([1, 5, 30, 200]);
    const move = this.#chance.pick(["advance", "freeze", "resume"] as const);
    this.#ask(
      move === "advance" ? `advance ${seconds} s` : move,
      ({ clockDriver }) =>
        move === "advance"
          ? clockDriver.advance((nowMs) => nowMs + seconds * 1000)
          : clockDriver.turn(move),
      {
        told: (happened, asked) => {
          for (const { event } of happened) {
            if ("record" in event) this.#witness.tell(event.record, asked);
          }
        },
      },
    );
  }

  #reset(): void {
    const integration = this.#chance.pick(INTEGRATIONS);
    let before: Age | undefined;
    this.#ask(
      `reset ${integration}`,
      ({ clockDriver }) => {
        before = this.#witness.resetBegins(integration);
        return clockDriver.replace(integration, () => []);
      },
      {
        told: () => {
          if (before) this.#witness.resetAnswered(before);
          this.#chronicle.meet("reset answered");
        },
      },
    );
  }

  #someOrder(): Order | undefined {
    return this.#chance.pick(this.#orders.filter(({ age }) => this.#isNow(age)));
  }

  /** What was ordered before a reset is asked for no more. */
  #isNow(age: Age): boolean {
    return this.#witness.ageOf(age.integration) === age;
  }

  /** Applies the call's fault as the HTTP pipeline does. */
  async #suffer<Result>(
    { gateway, disk }: Life,
    call: FaultedCall,
    age: Age,
    work: (fault?: CallFault) => Promise<Result>,
  ): Promise<Result> {
    const fault = gateway.faults.take(call);
    if (!fault) return work();
    const { effect = "", webhook, id = "" } = fault;
    const { kind, value } = partsOf(effect);
    // After a reset nobody waits any more for what was asked before it.
    const unlessGivenUp = (): Promise<Result> =>
      this.#isNow(age) ? work({ webhook }) : Promise.reject(new Unheard());
    if (kind === "latency_ms") {
      await new Promise<void>((resolve) => {
        this.#time.after(Number(value), resolve, disk);
      });
      return unlessGivenUp();
    }
    if (kind === "hold") {
      await gateway.faults.wait(call, id).turn;
      return unlessGivenUp();
    }
    const result = await work(fault);
    if (kind !== "lost_answer") return result;
    this.#chronicle.meet("answer lost by a fault");
    throw new Unheard();
  }

  /**
   * Asks the process that runs, if there is one.
   * @param then.told what everybody may know from the moment that the answer leaves
   * @param then.heard what the merchant does once it arrives, which it may not
   */
  #ask<Result>(
    what: string,
    work: (life: Life) => Promise<Result>,
    {
      age,
      wayMs = this.#network.way(),
      told,
      heard,
      refused,
    }: {
      readonly age?: Age;
      readonly wayMs?: number | undefined;
      readonly told?: (result: Result, asked: number, by: Life) => unknown;
      readonly heard?: (result: Result) => void;
      readonly refused?: (code: string) => void;
    } = {},
  ): void {
    if (wayMs === undefined) return this.#chronicle.note(`${what}: lost on its way`);
    this.#time.after(wayMs, () => {
      const { life } = this.#machine;
      if (!life || life.disk.isDead) return this.#chronicle.note(`${what}: nobody answers`);
      if (age && !this.#isNow(age)) return;
      this.#chronicle.note(what);
      const asked = this.#chronicle.steps.length;
      const call = { what, of: life };
      const answer = (async () => work(life))();
      this.#asked.add(call);
      answer.then(
        (result) => {
          this.#asked.delete(call);
          if (life.disk.isDead) return;
          this.#chronicle.note(`${what}: answered`, JSON.stringify(result));
          told?.(result, asked, life);
          this.#machine.told();
          const backMs = this.#network.way();
          if (backMs !== undefined && heard) this.#time.after(backMs, () => heard(result));
        },
        (error: unknown) => {
          this.#asked.delete(call);
          if (!life.disk.isDead) this.#notAnswered(what, error, refused);
        },
      );
    });
  }

  #notAnswered(what: string, error: unknown, refused?: (code: string) => void): void {
    const { GatewayError, StorageError } = this.#system.parts;
    this.#chronicle.note(`${what}: ${String(error)}`);
    if (error instanceof GatewayError) refused?.(error.code);
    else if (error instanceof StorageError) {
      if (error.message.includes("ENOSPC")) this.#chronicle.meet("refused for a full disk");
    } else if (!(error instanceof Unheard))
      this.#chronicle.violated("only refusals are thrown", (error as Error).stack ?? what);
  }
}

/** The connection died before the answer came. */
class Unheard extends Error {
  override readonly name = "Unheard";
}

function keyedOf({ call }: Order): Call<PayinDraft> | Call<PayoutDraft> {
  return "payin" in call ? call.payin : call.payout;
}

function descriptionOf(order: Order): string {
  return keyedOf(order).draft.description ?? "";
}
