import type { Agenda } from "./agenda.ts";
import type { AssumptionChanges, Assumptions } from "./assumptions.ts";
import { type BrCodeSettings, ChargeCodes } from "./charge-codes.ts";
import { type Clock, isSameSetting } from "./clock.ts";
import { type AttemptResult, type Delivery, recordAttempt } from "./delivery.ts";
import { GatewayError, notProcessable } from "./errors.ts";
import {
  type CallFault,
  type Effect,
  type Fault,
  type FaultDraft,
  FaultUses,
  type FaultyOperation,
  injectedError,
  isOperationEffect,
  type Members,
  type WebhookEffect,
} from "./fault.ts";
import { HeldCalls, type HeldName } from "./held-calls.ts";
import { type EventSource, payinDeliveries, payoutDeliveries } from "./event.ts";
import { Feed } from "./feed.ts";
import { HeldAssumptions } from "./held-assumptions.ts";
import { isPast, type KeyedCall, type Operation, repeatOf, type TakenKey } from "./idempotency.ts";
import type { Ids } from "./ids.ts";
import { type Payin, type PayinDraft, type PayinStatus, settlePayin } from "./payin.ts";
import { type Payout, type PayoutDraft, type PayoutOutcome, settlePayout } from "./payout.ts";
import { StorageError, type Store } from "./ports.ts";
import type { Change, Records } from "./records.ts";
import { Swaps } from "./swaps.ts";
import { View } from "./view.ts";
import type { WebhookConfiguration } from "./webhook-configuration.ts";

/** A call that creates a payin: who is asking, under which key, for what. */
export interface CreatePayin extends KeyedCall {
  /** `x-provider`, the merchant's name on the BR code. */
  readonly provider: string;
  readonly draft: PayinDraft;
  /** What the call suffers, as {@link Gateway.faultOn} has said just before. */
  readonly fault?: CallFault | undefined;
}

export interface CreatePayout extends KeyedCall {
  readonly draft: PayoutDraft;
  readonly fault?: CallFault | undefined;
}

/** A call of which it is asked what it suffers. */
export interface FaultedCall {
  readonly operation: FaultyOperation;
  readonly integration: string;
  /** Its idempotency key; null where the operation takes none. */
  readonly key: string | null;
  /** The request's JSON text, as it was sent. */
  readonly request: string;
  /** What it asks for itself. */
  readonly asked?: Effect | undefined;
}

/** What a creation answers, and whether it is the answer of an earlier call. */
export interface Created<Row> {
  readonly record: Row;
  readonly isRepeat: boolean;
}

/**
 * The gateway's operations. Each finds, decides and commits without a pause in between, and answers
 * when what it answers is durable. Refusals are GatewayErrors.
 */
export class Gateway {
  readonly feed: Feed;
  readonly #store: Store;
  readonly #records: Records;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #agenda: Agenda;
  readonly #assumptions: HeldAssumptions;
  readonly #codes: ChargeCodes;
  readonly #startDelivery: (delivery: Delivery) => void;
  readonly #dropDeliveries: (integration: string | null) => void;
  readonly #held = new HeldCalls();
  readonly #swaps = new Swaps();
  /** The deliveries of the decision under way that are to be attempted before it is answered. */
  #early: string[] = [];
  /** Each looks again whether it has waited long enough. */
  readonly #untilAttempted = new Set<() => void>();
  #isStopped = false;

  constructor(parts: {
    store: Store;
    clock: Clock;
    ids: Ids;
    agenda: Agenda;
    assumptions: Assumptions;
    brCode: BrCodeSettings;
    startDelivery: (delivery: Delivery) => void;
    dropDeliveries: (integration: string | null) => void;
  }) {
    this.#store = parts.store;
    this.#records = parts.store.records;
    this.#clock = parts.clock;
    this.#ids = parts.ids;
    this.#agenda = parts.agenda;
    this.#assumptions = new HeldAssumptions(parts.assumptions, this.#records);
    this.#codes = new ChargeCodes(parts.brCode);
    this.#startDelivery = parts.startDelivery;
    this.#dropDeliveries = parts.dropDeliveries;
    this.feed = new Feed(this.#records);
    this.#store.onPutBack = () => this.feed.forgetHeld();
    this.#scheduleAll();
  }

  /** Answers at once whatever is to be answered only after an attempt. */
  stop(): void {
    this.#isStopped = true;
    for (const look of this.#untilAttempted) look();
  }

  get lastEventNumber(): number {
    return this.#records.lastEventNumber;
  }

  /** The choices that hold for an integration; for all that changed none of its own where it is null. */
  assumptionsOf(integration: string | null): Assumptions {
    return this.#assumptions.of(integration);
  }

  /** Changes choices, of one integration or, where it is null, of all that did not change them themselves. */
  changeAssumptions(integration: string | null, changes: AssumptionChanges): Promise<Assumptions> {
    return this.#decided(() => {
      const changed = { integration, changes: this.#assumptions.changed(integration, changes) };
      this.#commit({ changedAssumptions: [changed] });
      return this.assumptionsOf(integration);
    });
  }

  /** Notes that a token was used: from then on its integration exists. */
  integrationIsUsed(token: string): void {
    this.#records.integration(token);
  }

  /** Reads as one integration sees the records, or all of them where it is null. */
  read<Result>(integration: string | null, look: (view: View) => Result): Promise<Result> {
    return this.#decided(() => look(new View(this.#records, integration)));
  }

  createPayin(call: CreatePayin): Promise<Created<Payin>> {
    return this.#decided(() => {
      this.#forgetPastKeys();
      const earlier = this.#repeat("payins.create", call, this.#records.payins);
      if (earlier) return { record: earlier, isRepeat: true };
      call.admit?.();

      if (call.fault) this.#refuse(call.fault);
      const { draft, integration } = call;
      const ordinal = this.#records.integration(integration).lastOrdinal + 1;
      const ids = this.#ids.payin(integration, ordinal);
      const nowMs = this.#clock.nowMs();
      // Written out: spreading the draft in costs more than all the rest of the operation.
      const record: Payin = {
        id: ids.id,
        integration,
        ordinal,
        idempotencyKey: call.key,
        request: call.request,
        status: "waiting",
        valueCents: draft.valueCents,
        description: draft.description,
        buyerCpf: draft.buyerCpf,
        buyerName: draft.buyerName,
        buyerEmail: draft.buyerEmail,
        webhookUrl: draft.webhookUrl,
        generateQrcode: draft.generateQrcode,
        expirationSeconds: draft.expirationSeconds,
        pixId: ids.pixId,
        acquirerId: ids.acquirerId,
        qrCode: this.#codes.write(ids.pixId, call.provider),
        createdAtMs: nowMs,
        expiresAtMs: nowMs + draft.expirationSeconds * 1000,
        settledAtMs: null,
        endToEndId: null,
        eventNumber: this.#records.takeEventNumber(),
      };
      const payins = [record];
      this.#commit(call.fault ? { payins, ...call.fault.uses?.change } : { payins });
      return { record, isRepeat: false };
    });
  }

  /** A second payout to a receiver with one in progress is, by default, created and canceled in one commit. */
  createPayout(call: CreatePayout): Promise<Created<Payout>> {
    return this.#decided(() => {
      this.#forgetPastKeys();
      const earlier = this.#repeat("payouts.create", call, this.#records.payouts);
      if (earlier) return { record: earlier, isRepeat: true };
      call.admit?.();

      if (call.fault) this.#refuse(call.fault);
      const { draft, integration, assumptions = this.assumptionsOf(integration) } = call;
      const rival = this.#rivalOf(draft, integration, assumptions);
      const ordinal = this.#records.integration(integration).lastOrdinal + 1;
      const nowMs = this.#clock.nowMs();
      const record: Payout = {
        ...draft,
        id: this.#ids.payout(integration, ordinal),
        integration,
        ordinal,
        idempotencyKey: call.key,
        request: call.request,
        status: "waiting",
        createdAtMs: nowMs,
        completesAtMs: completionOf(nowMs, assumptions),
        settledAtMs: null,
        endToEndId: null,
        eventNumber: this.#records.takeEventNumber(),
      };
      this.#commit(
        rival
          ? this.#payoutChange(record, "canceled", nowMs, call.fault)
          : { payouts: [record], ...call.fault?.uses?.change },
      );
      return { record, isRepeat: false };
    });
  }

  simulatePayin(
    integration: string,
    id: string,
    status: "completed" | "canceled",
    fault?: CallFault,
    assumptions?: Assumptions,
  ): Promise<Payin> {
    return this.#decided(() => {
      if (fault) this.#refuse(fault);
      const payin = this.#records.payins.get(id);
      return this.#simulate(
        integration,
        payin,
        status,
        assumptions,
        (found) => this.#settlePayin(found, status, fault),
        fault,
      );
    });
  }

  simulatePayout(
    integration: string,
    id: string,
    status: PayoutOutcome,
    fault?: CallFault,
    assumptions?: Assumptions,
  ): Promise<Payout> {
    return this.#decided(() => {
      if (fault) this.#refuse(fault);
      const payout = this.#records.payouts.get(id);
      return this.#simulate(
        integration,
        payout,
        status,
        assumptions,
        (found) => this.#settlePayout(found, status, fault),
        fault,
      );
    });
  }

  /** A payin is paid by its buyer, canceled, or expires before its time; undefined where the integration has none by that id. */
  movePayin(
    integration: string | null,
    id: string,
    move: "pay" | "cancel" | "expire",
  ): Promise<Payin | undefined> {
    return this.#decided(() => {
      const payin = new View(this.#records, integration).payin(id);
      if (!payin) return undefined;
      const paid = this.assumptionsOf(payin.integration)["payin.paid_status"];
      return this.#settlePayin(
        payin,
        ({ pay: paid, cancel: "canceled", expire: "expired" } as const)[move],
      );
    });
  }

  /** A payout reaches a final status; undefined where the integration has none by that id. */
  movePayout(
    integration: string | null,
    id: string,
    status: PayoutOutcome,
  ): Promise<Payout | undefined> {
    return this.#decided(() => {
      const payout = new View(this.#records, integration).payout(id);
      return payout && this.#settlePayout(payout, status);
    });
  }

  configureWebhook(configuration: WebhookConfiguration): Promise<WebhookConfiguration> {
    return this.#decided(() => {
      this.#commit({ webhookConfigurations: [configuration] });
      return configuration;
    });
  }

  /** Orders a failure, for one integration or for all where it is null. */
  createFault(integration: string | null, draft: FaultDraft): Promise<Fault> {
    return this.#decided(() => {
      const fault = this.#newFault(integration, draft);
      this.#commit({ faults: [fault] });
      return fault;
    });
  }

  /** Takes faults away, one or all that an integration has ordered; the calls that they hold go on. */
  async removeFaults(integration: string | null, id?: string): Promise<readonly Fault[]> {
    const removed = await this.#decided(() => {
      const faults = new View(this.#records, integration)
        .faults()
        .filter((fault) => id === undefined || fault.id === id);
      if (faults.length > 0) this.#commit({ removedFaults: faults.map((fault) => fault.id) });
      return faults;
    });
    // What each of them decides is a decision of its own.
    for (const fault of removed) void this.#held.release(fault.id);
    return removed;
  }

  /**
   * Lets the calls go that a fault holds, each decided before the next: those that `order` names, then the
   * others as they came. Answers when they are done; undefined where the integration has no such fault.
   */
  async releaseHeld(
    integration: string | null,
    id: string,
    order: readonly HeldName[],
  ): Promise<Fault | undefined> {
    const find = () => this.read(integration, (view) => view.fault(id));
    if (!(await find())) return undefined;
    await this.#held.release(id, order);
    return find();
  }

  /** The idempotency keys of the calls that a fault holds, in the order of their arrival. */
  heldKeys(faultId: string): readonly (string | null)[] {
    return this.#held.keysOf(faultId);
  }

  /** Keeps a call waiting until the fault is released; `work` decides before it returns. */
  hold<Result>(faultId: string, key: string | null, work: () => Promise<Result>) {
    return this.#held.hold(faultId, key, work);
  }

  /**
   * What a call suffers: what it asks for itself, or else the first fault that applies. A key that was used
   * before is answered before any fault. One that lets the call wait is used at once; any other is used by
   * the operation, which is to be told of it in the same turn.
   * @returns undefined where all is well.
   */
  faultOn({ operation, integration, key, request, asked }: FaultedCall): CallFault | undefined {
    if (asked === undefined && this.#records.faults.size === 0) return undefined;
    const webhook = asked && !isOperationEffect(asked) ? asked : undefined;
    if (key !== null && this.#isTaken(integration, key)) return undefined;
    if (asked && isOperationEffect(asked)) {
      if (asked.kind !== "hold") return { effect: asked };
      // There must be something to release.
      const fault = this.#newFault(integration, { on: operation, effect: asked, times: 0 });
      this.#commit({ faults: [{ ...fault, used: 1 }] });
      return { effect: asked, id: fault.id };
    }
    const uses = this.#newUses();
    const fault = uses.take(operation, integration, () => JSON.parse(request) as Members);
    const effect = fault && isOperationEffect(fault.effect) ? fault.effect : undefined;
    if (effect?.kind === "error" || effect?.kind === "lost_answer")
      return { effect, webhook, uses };
    this.#commitUses(uses);
    return effect || webhook ? { effect, webhook, id: fault?.id } : undefined;
  }

  /** A delivery as it stands, once what it tells of is durable; undefined where it is gone. */
  delivery(id: string): Promise<Delivery | undefined> {
    return this.read(null, (view) => view.delivery(id));
  }

  /** The same at once, for whoever has waited for that before: undefined where it is gone since. */
  deliveryNow(id: string): Delivery | undefined {
    return this.#records.deliveries.get(id);
  }

  recordAttempt(deliveryId: string, result: AttemptResult): Promise<void> {
    return this.#decided(() => {
      const delivery = this.#records.deliveries.get(deliveryId);
      if (!delivery) return;
      const attempt = { ...result, eventNumber: this.#records.takeEventNumber() };
      const assumptions = this.assumptionsOf(delivery.integration);
      this.#commit({
        deliveries: [recordAttempt(delivery, attempt, assumptions, this.#clock.nowMs())],
      });
    });
  }

  /**
   * Puts other rows in the place of all that there is of an integration, or of all of them where it is
   * null, and the clock to where the rows say. What was under way for what is gone is given up: when
   * this answers, nothing of it is sent any more.
   */
  replace(integration: string | null, rows: Change): Promise<void> {
    const before = this.#clock.setting;
    return this.#decided(() => {
      const replaces = { integration, eventNumber: this.#records.takeEventNumber() };
      const faults = [...this.#records.faults.values()];
      this.#store.commit({ replaces, ...rows });
      if (rows.clock) this.#clock.set(rows.clock);
      this.#dropDeliveries(integration);
      for (const fault of faults)
        if (integration === null || fault.integration === integration)
          this.#held.giveUp(fault.id, new GatewayError("EXTERNAL_ERROR", GIVEN_UP));
      // Entries of what is gone would pile up, and those of what is back stand there twice.
      this.#agenda.clear();
      this.#scheduleAll();
      this.feed.add({ replaces });
    }).catch((error: unknown) => {
      if (rows.clock) this.#clock.set(before);
      throw error;
    });
  }

  /** All there is of an integration, or of all of them and the clock where it is null, once it is durable. */
  rowsOf(integration: string | null): Promise<Change> {
    return this.#decided(() => {
      if (integration !== null) return this.#records.shareOf(integration);
      const { identity: _stays, ...rows } = this.#records.toChange();
      return { ...rows, clock: this.#clock.setting };
    });
  }

  /** Remembers how the clock stands. */
  keepClock(): Promise<void> {
    return this.#decided(() => {
      const { setting } = this.#clock;
      if (!isSameSetting(setting, this.#records.clock)) this.#commit({ clock: setting });
    });
  }

  /**
   * Lets happen what is due by now, all of it or about the first so many: payins expire, payouts
   * complete, and attempts of deliveries begin.
   * @throws StorageError where the store refuses it; it stays due.
   */
  catchUp(limit = Number.POSITIVE_INFINITY): void {
    const nowMs = this.#clock.nowMs();
    for (let left = limit; left > 0 && this.#agenda.nextDueMs <= nowMs; left -= EXPIRED_AT_ONCE)
      this.#catchUpSome(nowMs);
  }

  /** However many fall due together, a commit stays small: it is one line of the journal. */
  #catchUpSome(nowMs: number): void {
    const due: (Payin | Payout)[] = [];
    while (due.length < EXPIRED_AT_ONCE) {
      const id = this.#agenda.takeDue(nowMs);
      if (id === undefined) break;
      const record = this.#records.payins.get(id) ?? this.#records.payouts.get(id);
      if (record && dueMsOf(record) <= nowMs) due.push(record);
      const delivery = record ? undefined : this.#records.deliveries.get(id);
      const dueMs = delivery?.nextAttemptAtMs ?? Number.POSITIVE_INFINITY;
      if (delivery && dueMs <= nowMs) this.#start(delivery);
    }
    if (due.length === 0) return;
    const uses = this.#records.faults.size > 0 ? this.#newUses() : undefined;
    const changes: readonly Change[] = due.map((record) =>
      "expiresAtMs" in record
        ? this.#payinChange(record, "expired", dueMsOf(record), { uses })
        : this.#payoutChange(record, "completed", dueMsOf(record), { uses }),
    );
    try {
      this.#commit({
        payins: changes.flatMap(({ payins = [] }) => payins),
        payouts: changes.flatMap(({ payouts = [] }) => payouts),
        deliveries: changes.flatMap(({ deliveries = [] }) => deliveries),
        ...uses?.change,
      });
    } catch (error) {
      for (const record of due) this.#agenda.add(dueMsOf(record), record.id);
      throw error;
    }
  }

  /**
   * Decides at once, with nothing in between, and answers when all that the answer may report is durable,
   * be it a repeat, a read or a refusal.
   */
  #decided<Result>(decide: () => Result): Promise<Result> {
    try {
      this.#catchUpForReading();
      if (this.#early.length > 0) this.#early = []; // What nobody called for keeps nobody waiting.
      const result = decide();
      const early = this.#early;
      const durable = this.#store.durable();
      if (early.length === 0) return durable.then(() => result);
      return durable.then(() => this.#attempted(early)).then(() => result);
    } catch (refusal) {
      return this.#store.durable().then(() => {
        throw refusal;
      });
    }
  }

  /** A store that refuses changes still lets everything be read as it was kept. */
  #catchUpForReading(): void {
    try {
      this.catchUp();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    }
  }

  /** A key that may be used again is not worth its memory. */
  #forgetPastKeys(): void {
    const nowMs = this.#clock.nowMs();
    this.#records.forgetKeys(({ integration, createdAtMs }) =>
      isPast(createdAtMs, this.assumptionsOf(integration), nowMs),
    );
  }

  #newFault(integration: string | null, draft: FaultDraft): Fault {
    const ordinal = this.#records.lastFaultOrdinal(integration) + 1;
    return {
      ...draft,
      id: this.#ids.fault(integration, ordinal),
      integration,
      ordinal,
      used: 0,
      drawn: 0,
    };
  }

  #isTaken(integration: string, key: string): boolean {
    const taken = this.#records.takenFor(integration, key);
    const assumptions = this.assumptionsOf(integration);
    return taken !== undefined && !isPast(taken.createdAtMs, assumptions, this.#clock.nowMs());
  }

  /** @returns the record of the earlier call that this call repeats. */
  #repeat<Row extends Payin | Payout>(
    operation: Operation,
    call: KeyedCall,
    table: { get(id: string): Row | undefined },
  ): Row | undefined {
    const taken = this.#records.takenFor(call.integration, call.key);
    if (!taken) return undefined;
    const key: TakenKey = {
      operation: "pixId" in taken ? "payins.create" : "payouts.create",
      request: taken.request,
      recordId: taken.id,
      takenAtMs: taken.createdAtMs,
    };
    const { assumptions = this.assumptionsOf(call.integration) } = call;
    const repeat = repeatOf(key, operation, call, assumptions, this.#clock.nowMs());
    return repeat && table.get(repeat.recordId);
  }

  /**
   * Whether the recipient has a payout in progress that makes a new one be canceled.
   * @throws GatewayError NOT_PROCESSABLE where it makes a new one be refused.
   */
  #rivalOf(
    { receiverCpf, pixKey }: PayoutDraft,
    integration: string,
    assumptions: Assumptions,
  ): boolean {
    const { waitingByCpf, waitingByPixKey } = this.#records.integration(integration);
    const recipient = assumptions["payout.recipient"];
    const isInProgress =
      recipient === "receiver_cpf" ? waitingByCpf.has(receiverCpf) : waitingByPixKey.has(pixKey);
    if (isInProgress && assumptions["payout.rival"] === "reject")
      throw notProcessable(RIVAL_IN_PROGRESS, recipient);
    return isInProgress && assumptions["payout.rival"] === "cancel";
  }

  /** What every simulation asks first, and how each refusal names its field. */
  #simulate<Row extends Payin | Payout>(
    integration: string,
    record: Row | undefined,
    status: PayinStatus,
    seen: Assumptions | undefined,
    settle: (record: Row) => Row,
    fault: CallFault | undefined,
  ): Row {
    const assumptions = seen ?? this.assumptionsOf(integration);
    if (assumptions.environment === "production") throw notProcessable(NO_SIMULATION);
    if (record?.integration !== integration)
      throw notProcessable(UNKNOWN_TRANSACTION, "transaction_id");
    if (record.status === status && assumptions["simulation.final"] === "repeat") {
      this.#commitUses(fault?.uses);
      return record;
    }
    try {
      return settle(record);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      throw notProcessable(error.sentence, "transaction_id");
    }
  }

  #settlePayin(payin: Payin, status: PayinStatus, fault?: CallFault): Payin {
    const change = this.#payinChange(payin, status, this.#clock.nowMs(), fault);
    this.#commit(change);
    return change.payins[0];
  }

  #settlePayout(payout: Payout, status: PayoutOutcome, fault?: CallFault): Payout {
    const change = this.#payoutChange(payout, status, this.#clock.nowMs(), fault);
    this.#commit(change);
    return change.payouts[0];
  }

  #payinChange(payin: Payin, status: PayinStatus, nowMs: number, fault?: CallFault) {
    const isPaid = status === "paid" || status === "completed";
    const endToEndId = isPaid ? this.#ids.endToEnd(payin.integration, payin.ordinal, nowMs) : null;
    const settled = settlePayin(payin, status, nowMs, endToEndId, this.#records.takeEventNumber());
    const source = this.#eventSource(settled, nowMs, fault);
    const deliveries = payinDeliveries(settled, source);
    return { payins: [settled] as const, deliveries, ...source.uses?.change };
  }

  #payoutChange(payout: Payout, status: PayoutOutcome, nowMs: number, fault?: CallFault) {
    const endToEndId =
      status === "completed" ? this.#ids.endToEnd(payout.integration, payout.ordinal, nowMs) : null;
    const settled = settlePayout(
      payout,
      status,
      nowMs,
      endToEndId,
      this.#records.takeEventNumber(),
    );
    const source = this.#eventSource(settled, nowMs, fault);
    const deliveries = payoutDeliveries(settled, source);
    return { payouts: [settled] as const, deliveries, ...source.uses?.change };
  }

  #eventSource(
    { integration, ordinal }: Payin | Payout,
    nowMs: number,
    fault: CallFault | undefined,
  ): EventSource & { readonly uses: FaultUses | undefined } {
    const isFaulty = this.#records.faults.size > 0 || fault?.webhook !== undefined;
    const uses = isFaulty ? (fault?.uses ?? this.#newUses()) : undefined;
    return {
      uses,
      takeFault: uses && this.#webhookFaults(uses, integration, fault?.webhook),
      assumptions: this.assumptionsOf(integration),
      configuration: this.#records.integration(integration).configuration,
      eventId: (type) => this.#ids.event(integration, ordinal, type),
      nextEventNumber: () => this.#records.takeEventNumber(),
      nowMs,
    };
  }

  #newUses(): FaultUses {
    return new FaultUses(this.#records, (id, counter) => this.#ids.chance(id, counter));
  }

  /** Which fault each webhook of a decision gets: what its call asked for, or the first that applies. */
  #webhookFaults(
    uses: FaultUses,
    integration: string,
    asked: WebhookEffect | undefined,
  ): (url: string, data: Members) => WebhookEffect | undefined {
    return (url, data) => {
      // The second of two that trade places has had its fault.
      if (uses.swapping.delete(url) || this.#swaps.isAwaited({ integration, url }))
        return undefined;
      const effect = asked ?? uses.take("webhook", integration, () => data)?.effect;
      if (effect === undefined || isOperationEffect(effect)) return undefined;
      if (effect.kind === "reorder") uses.swapping.add(url);
      return effect;
    };
  }

  /**
   * The step of the rules: an injected error refuses the call, and leaves its key free.
   * @throws GatewayError with the code that was asked for.
   */
  #refuse({ effect, uses }: CallFault): void {
    if (effect?.kind !== "error") return;
    this.#commitUses(uses);
    throw injectedError(effect.code);
  }

  #commitUses(uses: FaultUses | undefined): void {
    if (uses?.change.faults) this.#commit(uses.change);
  }

  #commit(change: Change): void {
    this.#store.commit(change);
    this.#schedule(change);
    for (const { id, fault, attempts } of change.deliveries ?? [])
      if (fault?.kind === "early" && attempts.length === 0) this.#early.push(id);
    this.feed.add(change);
  }

  #scheduleAll(): void {
    this.#schedule({
      payins: this.#records.payins.all(),
      payouts: this.#records.payouts.all(),
      deliveries: this.#records.deliveries.all(),
    });
  }

  #schedule({ payins = [], payouts = [], deliveries = [] }: Change): void {
    for (const payin of payins)
      if (payin.status === "waiting") this.#agenda.add(payin.expiresAtMs, payin.id);
    for (const payout of payouts) {
      const dueMs = dueMsOf(payout);
      if (dueMs < Number.POSITIVE_INFINITY) this.#agenda.add(dueMs, payout.id);
    }
    for (const delivery of deliveries) {
      this.#swaps.note(delivery);
      if (delivery.nextAttemptAtMs !== null)
        this.#agenda.add(delivery.nextAttemptAtMs, delivery.id);
    }
  }

  /** Whoever traded places with it leaves right behind it. */
  #start(delivery: Delivery): void {
    this.#startDelivery(delivery);
    const behind = this.#records.deliveries.get(this.#swaps.takeBehind(delivery.id) ?? "");
    if (behind?.attempts.length === 0) this.#startDelivery(behind);
  }

  /** Resolves once each delivery has been attempted, or will not be. */
  #attempted(ids: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        const isWaiting = ids.some((id) => this.#records.deliveries.get(id)?.attempts.length === 0);
        if (isWaiting && !this.#isStopped) return;
        stopListening();
        this.#untilAttempted.delete(look);
        resolve();
      };
      const stopListening = this.feed.onMore(look);
      this.#untilAttempted.add(look);
      look();
    });
  }
}

/** How many payins expire, and payouts complete, in one commit. */
export const EXPIRED_AT_ONCE = 100;

/** When a record reaches a final status by itself; infinite where it does not, or has one. */
function dueMsOf(record: Payin | Payout): number {
  if (record.status !== "waiting") return Number.POSITIVE_INFINITY;
  const dueMs = "expiresAtMs" in record ? record.expiresAtMs : record.completesAtMs;
  return dueMs ?? Number.POSITIVE_INFINITY;
}

/** When a payout that is created now completes by itself; undefined where it does not. */
function completionOf(nowMs: number, assumptions: Assumptions): number | undefined {
  const choice = assumptions["payout.auto"];
  if (choice === "never") return undefined;
  return nowMs + Number(choice.slice("complete_after:".length)) * 1000;
}

const GIVEN_UP = {
  en: "The sandbox was reset while a fault held this call; nothing was done.",
  pt: "O sandbox foi reiniciado enquanto uma falha retinha esta chamada; nada foi feito.",
};

const UNKNOWN_TRANSACTION = {
  en: "No transaction of this integration has this transaction_id.",
  pt: "Nenhuma transação desta integração tem este transaction_id.",
};

const NO_SIMULATION = {
  en: "Simulations exist in the staging environment only.",
  pt: "As simulações existem apenas no ambiente de staging.",
};

const RIVAL_IN_PROGRESS = {
  en: "This receiver has a payout in progress; wait until it is completed or canceled.",
  pt: "Este recebedor já tem um pagamento em andamento; aguarde sua conclusão ou cancelamento.",
};
