import { type DueQueue, type DueTask, Scheduler } from "../time/scheduler.ts";
import type { AssumptionChanges, Assumptions } from "../assumptions/table.ts";
import { type BrCodeSettings, BrCodeFactory } from "../records/br-code-factory.ts";
import { type Clock, type ClockSetting, isSameSetting } from "../time/clock.ts";
import { Committer, Transactions } from "./transaction.ts";
import {
  type AttemptResult,
  type Delivery,
  recordedAttempt,
  withAttempt,
} from "../records/delivery.ts";
import { CatchUp } from "./catch-up.ts";
import { GatewayError, notProcessable } from "../records/errors.ts";
import type { CallFault } from "../faults/fault.ts";
import type { Events } from "../state/events.ts";
import { AssumptionTrace, EffectiveAssumptions } from "../assumptions/trace.ts";
import { type KeyedCall, type Operation, UsedKeys } from "./repeat.ts";
import type { Ids } from "../records/ids.ts";
import { FaultInjector } from "./injector.ts";
import { newPayin, type Payin, type PayinDraft, type PayinStatus } from "../records/payin.ts";
import {
  completionOf,
  newPayout,
  type Payout,
  type PayoutDraft,
  type PayoutOutcome,
} from "../records/payout.ts";
import { recipientKey } from "../records/checks.ts";
import type { Eventually, Store } from "../state/ports.ts";
import type { Change, Lists, Records } from "../state/records.ts";
import { Settlement } from "./settlement.ts";
import type { DeliverySink } from "../state/outbox.ts";
import { WebhookReorder } from "../state/reorder.ts";
import { View } from "../state/view.ts";
import type { WebhookConfiguration } from "../records/webhook-configuration.ts";
import { toIso } from "../../wire/timestamp.ts";
import { say } from "../../text/message.ts";

/** A call that creates a payin. */
export interface CreatePayin extends KeyedCall {
  /** `x-provider`, the merchant's name in the BR Code. */
  readonly provider: string;
  readonly draft: PayinDraft;
  /** The call's fault, from {@link FaultInjector.take} in the same turn. */
  readonly fault?: CallFault | undefined;
}

export interface CreatePayout extends KeyedCall {
  readonly draft: PayoutDraft;
  readonly fault?: CallFault | undefined;
}

/** The record of a creation, and whether an earlier call created it. */
export interface Created<Row> {
  readonly record: Row;
  readonly isRepeat: boolean;
}

/**
 * The gateway's operations. Each finds, decides and commits without a pause, and resolves when its result
 * is durable. Refusals are GatewayErrors.
 */
export class Gateway {
  readonly faults: FaultInjector;
  /** Everything that happens, when it is durable. */
  readonly events: Events;
  /** Runs due tasks. */
  readonly catchUp: CatchUp;
  readonly #committer: Committer;
  readonly #transactions: Transactions;
  readonly #store: Store;
  readonly #records: Records;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #assumptions: EffectiveAssumptions;
  readonly #keys: UsedKeys;
  readonly #codes: BrCodeFactory;
  readonly #scheduler: Scheduler;
  readonly #settlement: Settlement;
  readonly #deliveries: DeliverySink;

  constructor(parts: {
    store: Store;
    clock: Clock;
    ids: Ids;
    dueQueue: DueQueue;
    assumptions: Assumptions;
    brCode: BrCodeSettings;
    deliveries: DeliverySink;
    events: Events;
  }) {
    const { store, clock, ids, dueQueue, deliveries, events } = parts;
    const { records } = store;
    const reorder = new WebhookReorder();
    const assumptions = new EffectiveAssumptions(parts.assumptions, records);
    this.#store = store;
    this.events = events;
    this.#records = records;
    this.#clock = clock;
    this.#ids = ids;
    this.#assumptions = assumptions;
    this.#codes = new BrCodeFactory(parts.brCode);
    this.#deliveries = deliveries;
    this.#keys = new UsedKeys({ records, assumptions, clock });
    this.#settlement = new Settlement({ records, ids, assumptions, reorder });
    this.#scheduler = new Scheduler({ dueQueue, records, reorder, deliveries });
    const settlement = this.#settlement;
    const scheduler = this.#scheduler;
    const committer = new Committer({ store, scheduler, events });
    this.#committer = committer;
    this.catchUp = new CatchUp({ clock, records, scheduler, settlement, committer });
    this.#transactions = new Transactions({ store, committer, catchUp: this.catchUp });
    this.faults = new FaultInjector({
      transactions: this.#transactions,
      records,
      ids,
      settlement,
      events,
    });
    this.#scheduler.scheduleAnew();
    // The queue lacks due tasks that were rolled back or refused meanwhile. They follow from the records.
    store.onRecovered = () => this.#scheduler.scheduleAnew();
  }

  /** Whether changes are refused because the store cannot write them. */
  get isDegraded(): boolean {
    return this.#store.isDegraded;
  }

  /** Ends all waits for attempts, so that the waiting calls get their responses. */
  stop(): void {
    this.#transactions.stop();
  }

  /** The sandbox's time. */
  get nowMs(): number {
    return this.#clock.nowMs();
  }

  /** The choices in force for an integration; `null`: for integrations without changes of their own. */
  assumptionsOf(integration: string | null): Assumptions {
    return this.#assumptions.of(integration);
  }

  /** Changes choices of an integration; `null`: of all integrations without changes of their own. */
  async changeAssumptions(
    integration: string | null,
    changes: AssumptionChanges,
  ): Promise<Assumptions> {
    const effective = await this.#transactions.transact(() => {
      const changed = { integration, changes: this.#assumptions.changed(integration, changes) };
      this.#transactions.commit([["changedAssumptions", changed]]);
      return this.assumptionsOf(integration);
    });
    const toWire = (): object => ({ integration, changes });
    this.events.add({ kind: "assumptions", integration, toWire });
    return effective;
  }

  /** Creates the integration of a token at its first use. */
  integrationIsUsed(token: string): void {
    this.#records.integration(token);
  }

  /** Whether a BR Code's location is one of this gateway's. */
  isOwnLocation(location: string): boolean {
    return this.#codes.isOwn(location);
  }

  /** Reads the records of an integration (`null`: of all). Resolves when what was read is durable. */
  read<Result>(integration: string | null, look: (view: View) => Result): Promise<Result> {
    return this.#transactions.transact(() => look(new View(this.#records, integration)));
  }

  /**
   * Finds the record of the earlier call that this call repeats, and resolves when it is durable; undefined for
   * a first call. Rejects with DUPLICATED_VALUE if the key was used for another request.
   */
  findRepeatedPayin(call: KeyedCall): Eventually<Created<Payin>> | undefined {
    return this.#findRepeat("payins.create", call, this.#records.payins);
  }

  /** The same for a payout; see {@link findRepeatedPayin}. */
  findRepeatedPayout(call: KeyedCall): Eventually<Created<Payout>> | undefined {
    return this.#findRepeat("payouts.create", call, this.#records.payouts);
  }

  createPayin(call: CreatePayin): Eventually<Created<Payin>> {
    return this.#transactions.transactNow(() => {
      this.#keys.forgetPast();
      const earlier = this.#keys.repeated("payins.create", call, this.#records.payins);
      if (earlier) return { record: earlier, isRepeat: true };
      if (call.fault) this.faults.refuse(call.fault);
      const { draft, integration } = call;
      const ordinal = this.#records.integration(integration).lastOrdinal + 1;
      const ids = this.#ids.payin(integration, ordinal);
      const nowMs = this.#clock.nowMs();
      const record = newPayin(draft, {
        id: ids.id,
        pixId: ids.pixId,
        acquirerId: ids.acquirerId,
        integration,
        ordinal,
        idempotencyKey: call.key,
        request: call.request,
        qrCode: this.#codes.write(ids.pixId, call.provider),
        createdAtMs: nowMs,
        cancelsAtMs: call.fault && cancellationOf(nowMs, call.fault),
      });
      this.#transactions.commit([["payins", record], ...usesOf(call.fault)]);
      return { record, isRepeat: false };
    });
  }

  /** A second payout to a receiver with one in progress is, by default, created and canceled in one commit. */
  createPayout(call: CreatePayout): Eventually<Created<Payout>> {
    return this.#transactions.transactNow(() => {
      this.#keys.forgetPast();
      const earlier = this.#keys.repeated("payouts.create", call, this.#records.payouts);
      if (earlier) return { record: earlier, isRepeat: true };
      if (call.fault) this.faults.refuse(call.fault);
      const {
        draft,
        integration,
        trace = new AssumptionTrace(this.assumptionsOf(integration)),
      } = call;
      const rival = this.#rivalOf(draft, integration, trace);
      const ordinal = this.#records.integration(integration).lastOrdinal + 1;
      const nowMs = this.#clock.nowMs();
      const record = newPayout(draft, {
        id: this.#ids.payout(integration, ordinal),
        integration,
        ordinal,
        idempotencyKey: call.key,
        request: call.request,
        createdAtMs: nowMs,
        completesAtMs: completionOf(nowMs, trace.read("payout.auto")),
        cancelsAtMs: call.fault && cancellationOf(nowMs, call.fault),
      });
      if (rival) this.#settlePayout(record, "canceled", call.fault, nowMs);
      else this.#transactions.commit([["payouts", record], ...usesOf(call.fault)]);
      return { record, isRepeat: false };
    });
  }

  simulatePayin(
    integration: string,
    id: string,
    status: "completed" | "canceled",
    fault?: CallFault,
    trace: AssumptionTrace = new AssumptionTrace(this.assumptionsOf(integration)),
  ): Eventually<Payin> {
    return this.#transactions.transactNow(() => {
      if (fault) this.faults.refuse(fault);
      const payin = this.#records.payins.get(id);
      return this.#simulate(
        integration,
        payin,
        status,
        trace,
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
    trace: AssumptionTrace = new AssumptionTrace(this.assumptionsOf(integration)),
  ): Eventually<Payout> {
    return this.#transactions.transactNow(() => {
      if (fault) this.faults.refuse(fault);
      const payout = this.#records.payouts.get(id);
      return this.#simulate(
        integration,
        payout,
        status,
        trace,
        (found) => this.#settlePayout(found, status, fault),
        fault,
      );
    });
  }

  /** Pays, cancels or expires a payin; undefined if the integration has no payin with this id. */
  movePayin(
    integration: string | null,
    id: string,
    move: "pay" | "cancel" | "expire",
  ): Promise<Payin | undefined> {
    return this.#transactions.transact(() => {
      const payin = new View(this.#records, integration).payin(id);
      if (!payin) return undefined;
      const paid = this.assumptionsOf(payin.integration)["payin.paid_status"];
      return this.#settlePayin(
        payin,
        ({ pay: paid, cancel: "canceled", expire: "expired" } as const)[move],
      );
    });
  }

  /** Settles a payout; undefined if the integration has no payout with this id. */
  movePayout(
    integration: string | null,
    id: string,
    status: PayoutOutcome,
  ): Promise<Payout | undefined> {
    return this.#transactions.transact(() => {
      const payout = new View(this.#records, integration).payout(id);
      return payout && this.#settlePayout(payout, status);
    });
  }

  configureWebhook(configuration: WebhookConfiguration): Promise<WebhookConfiguration> {
    return this.#transactions.transact(() => {
      this.#transactions.commit([["webhookConfigurations", configuration]]);
      return configuration;
    });
  }

  /** Reads a delivery; resolves when its event is durable. Undefined if the delivery no longer exists. */
  delivery(id: string): Promise<Delivery | undefined> {
    return this.read(null, (view) => view.delivery(id));
  }

  /** Resolves when all that was decided so far is durable. Rejects if some of it was rolled back. */
  durable(): Promise<void> {
    return this.#store.durable();
  }

  /** Reads a delivery that is known to be durable; undefined if it no longer exists. */
  deliveryNow(id: string): Delivery | undefined {
    return this.#records.deliveries.get(id);
  }

  /** Records the result of an attempt; resolves when it is durable. */
  recordAttempt(deliveryId: string, result: AttemptResult): Promise<void> {
    return this.#transactions.transact(() => this.#addAttempt(deliveryId, result));
  }

  /**
   * Records the result of an attempt, which becomes durable soon. A crash before that repeats the attempt.
   * @throws StorageError if the store refuses it
   */
  noteAttempt(deliveryId: string, result: AttemptResult): void {
    this.#transactions.run(() => this.#addAttempt(deliveryId, result));
  }

  /**
   * Replaces all records of one integration (`null`: of all, and the clock) and cancels their pending
   * deliveries: when this resolves, none of them is sent any more.
   * @param makeRows creates the new records inside the transaction, so that their ids are new
   */
  replace(integration: string | null, makeRows: () => Change): Promise<void> {
    const before = this.#clock.setting;
    let moved: ClockSetting | undefined;
    return this.#transactions
      .transact(() => {
        this.#ids.startGeneration();
        const rows = makeRows();
        this.#store.commit([["reset", integration], ...rows]);
        for (const [table, row] of rows) if (table === "clock") moved = row ?? undefined;
        if (moved) this.#clock.set(moved);
        this.#deliveries.drop(integration);
        this.faults.dropCalls(integration);
        this.#scheduler.scheduleAnew();
        this.#committer.report([{ kind: "reset", integration }]);
      })
      .then(
        () => {
          if (moved) this.#publishClock();
        },
        (error: unknown) => {
          if (moved) this.#clock.set(before);
          throw error;
        },
      );
  }

  /** Adds records, if any are given. */
  put(rows: Change): Promise<void> {
    return this.#transactions.transact(() => {
      if (rows.length > 0) this.#transactions.commit(rows);
    });
  }

  /** All records of an integration (`null`: of all, and the clock), when they are durable. */
  rowsOf(integration: string | null): Promise<Lists> {
    return this.#transactions.transact(() => {
      const lists = this.#records.listsOf(integration);
      return integration === null
        ? { ...lists, identity: [], clock: [this.#clock.setting] }
        : lists;
    });
  }

  /** The next task that the clock will run for an integration (`null`: for any); undefined if there is none. */
  nextTask(integration: string | null): Promise<DueTask | undefined> {
    return this.#transactions.transact(() => this.#scheduler.next(integration));
  }

  /** Stores the clock's setting. */
  async storeClock(): Promise<void> {
    const isChanged = await this.#transactions.transact(() => {
      const { setting } = this.#clock;
      if (isSameSetting(setting, this.#records.clock)) return false;
      this.#transactions.commit([["clock", setting]]);
      return true;
    });
    if (isChanged) this.#publishClock();
  }

  #publishClock(): void {
    const clock = { now: toIso(this.#clock.nowMs()), mode: this.#clock.mode };
    this.events.add({ kind: "clock", integration: null, toWire: () => clock });
  }

  /** Resolves or rejects when everything read is durable; see {@link findRepeatedPayin}. */
  #findRepeat<Row extends Payin | Payout>(
    operation: Operation,
    call: KeyedCall,
    table: { get(id: string): Row | undefined },
  ): Eventually<Created<Row>> | undefined {
    // Nearly every call has a new key: one look-up.
    if (!this.#records.takenFor(call.integration, call.key)) return undefined;
    this.#keys.forgetPast();
    let record: Row | undefined;
    try {
      record = this.#keys.repeated(operation, call, table);
    } catch (refusal) {
      return this.#transactions.transactNow(() => {
        throw refusal;
      });
    }
    if (!record) return undefined;
    const created = { record, isRepeat: true };
    return this.#transactions.transactNow(() => created);
  }

  /**
   * Whether the recipient has a payout in progress because of which a new one is canceled.
   * @throws GatewayError NOT_PROCESSABLE if a new one is refused because of it.
   */
  #rivalOf(
    { receiverCpf, pixKey }: PayoutDraft,
    integration: string,
    trace: AssumptionTrace,
  ): boolean {
    const { waitingByCpf, waitingByPixKey } = this.#records.integration(integration);
    const recipient = trace.read("payout.recipient");
    const isInProgress =
      recipient === "receiver_cpf"
        ? waitingByCpf.has(receiverCpf)
        : waitingByPixKey.has(recipientKey(pixKey));
    if (!isInProgress) return false;
    const choice = trace.read("payout.rival");
    if (choice === "reject") throw notProcessable(RIVAL_IN_PROGRESS, recipient);
    return choice === "cancel";
  }

  /** The checks that every simulation makes; each refusal except that of `environment` names its field. */
  #simulate<Row extends Payin | Payout>(
    integration: string,
    record: Row | undefined,
    status: PayinStatus,
    trace: AssumptionTrace,
    settle: (record: Row) => Row,
    fault: CallFault | undefined,
  ): Row {
    if (trace.read("environment") === "production") throw notProcessable(NO_SIMULATION);
    if (record?.integration !== integration)
      throw notProcessable(UNKNOWN_TRANSACTION, "transaction_id");
    if (record.status === status && trace.read("simulation.final") === "repeat") {
      this.faults.commitUses(fault?.uses);
      return record;
    }
    try {
      return settle(record);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      throw notProcessable(error.text, "transaction_id");
    }
  }

  #addAttempt(deliveryId: string, result: AttemptResult): void {
    const delivery = this.#records.deliveries.get(deliveryId);
    if (!delivery) return;
    const assumptions = this.assumptionsOf(delivery.integration);
    const attempt = recordedAttempt(delivery, result, assumptions, this.#clock.nowMs());
    this.#transactions.commit([["deliveries", withAttempt(delivery, attempt)]]);
  }

  #settlePayin(payin: Payin, status: PayinStatus, fault?: CallFault): Payin {
    const { settled, change, uses } = this.#settlement.ofPayin(
      payin,
      status,
      this.#clock.nowMs(),
      fault,
    );
    this.#transactions.commit([...change, ...(uses?.change ?? [])]);
    return settled;
  }

  #settlePayout(
    payout: Payout,
    status: PayoutOutcome,
    fault?: CallFault,
    nowMs = this.#clock.nowMs(),
  ): Payout {
    const { settled, change, uses } = this.#settlement.ofPayout(payout, status, nowMs, fault);
    this.#transactions.commit([...change, ...(uses?.change ?? [])]);
    return settled;
  }
}

/** The uses of faults that a call's change commits. */
function usesOf(fault: CallFault | undefined): Change {
  return fault?.uses?.change ?? [];
}

/** When the created record is canceled automatically; undefined without such a magic value. */
function cancellationOf(nowMs: number, { magic }: CallFault): number | undefined {
  return magic?.cancelsAfterMs === undefined ? undefined : nowMs + magic.cancelsAfterMs;
}

const UNKNOWN_TRANSACTION = say`No transaction of this integration has this transaction_id.`;

const NO_SIMULATION = say`Simulations exist in the staging environment only.`;

const RIVAL_IN_PROGRESS = say`This receiver has a payout in progress; wait until it is completed or canceled.`;
