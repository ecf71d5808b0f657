import type { DueTask } from "../time/due-queue.ts";
import { DueTasks } from "./due-tasks.ts";
import type { AssumptionChanges, Assumptions } from "../assumptions/table.ts";
import { type BrCodeSettings, createBrCodes } from "../records/br-code.ts";
import type { Clock, ClockSetting } from "../time/clock.ts";
import { Transactions } from "./transaction.ts";
import {
  type AttemptResult,
  type Delivery,
  recordedAttempt,
  withAttempt,
} from "../records/delivery.ts";
import { GatewayError, notProcessable } from "../records/errors.ts";
import type { CallFault } from "../faults/fault.ts";
import type { RecordFixture } from "./fixture-loader.ts";
import type { Events } from "../state/events.ts";
import { AssumptionTrace, EffectiveAssumptions } from "../assumptions/trace.ts";
import { forgetPastKeys, type KeyedCall, repeated, type UsedKeys } from "./repeat.ts";
import type { Ids } from "../records/ids.ts";
import { FaultInjector } from "./injector.ts";
import {
  completionOf,
  type DraftOfKind,
  type Kind,
  KINDS,
  newPayin,
  newPayout,
  type PayinDraft,
  type PayinStatus,
  type PayoutDraft,
  type PayoutOutcome,
  type Transaction,
  type TransactionOf,
  type WebhookConfiguration,
} from "../records/transaction.ts";
import type { Store } from "../state/ports.ts";
import { type Change, type Lists, NO_KEY, type Records } from "../state/records.ts";
import { Settlement } from "./settlement.ts";
import type { DeliverySink } from "../state/outbox.ts";
import { View } from "../state/view.ts";
import { toIso } from "../../wire/timestamp.ts";
import { say } from "../../text/message.ts";

/** A call that creates a transaction. */
export interface Creation<Name extends Kind = Kind> extends KeyedCall {
  readonly draft: DraftOfKind[Name];
  /** `x-provider`, the merchant's name in the BR Code. */
  readonly provider?: string | undefined;
  /** The call's fault, from {@link FaultInjector.take} in the same turn. */
  readonly fault?: CallFault | undefined;
}

/** The transaction of a creation, and whether an earlier call created it. */
export interface Created<Row extends Transaction = Transaction> {
  readonly transaction: Row;
  readonly isRepeat: boolean;
}

/** What a simulation asks for. */
export interface Simulated {
  readonly integration: string;
  readonly id: string;
  readonly status: PayoutOutcome;
  readonly fault?: CallFault | undefined;
  readonly trace?: AssumptionTrace | undefined;
}

/**
 * The gateway's operations. Each finds, decides and commits without a pause, and resolves when its result
 * is durable. Refusals are GatewayErrors.
 */
export class Gateway {
  readonly faults: FaultInjector;
  /** Everything that happens, when it is durable. */
  readonly events: Events;
  readonly due: DueTasks;
  readonly #transactions: Transactions;
  readonly #store: Store;
  readonly #records: Records;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #assumptions: EffectiveAssumptions;
  readonly #keys: UsedKeys;
  readonly #codes: ReturnType<typeof createBrCodes>;
  readonly #settlement: Settlement;
  readonly #deliveries: DeliverySink;

  constructor(parts: {
    store: Store;
    clock: Clock;
    ids: Ids;
    assumptions: Assumptions;
    brCode: BrCodeSettings;
    deliveries: DeliverySink;
    events: Events;
  }) {
    const { store, clock, ids, deliveries, events } = parts;
    const { records } = store;
    const assumptions = new EffectiveAssumptions(parts.assumptions, records);
    this.#store = store;
    this.events = events;
    this.#records = records;
    this.#clock = clock;
    this.#ids = ids;
    this.#assumptions = assumptions;
    this.#codes = createBrCodes(parts.brCode);
    this.#deliveries = deliveries;
    this.#keys = { records, assumptions, clock };
    const due = new DueTasks({
      clock,
      records,
      deliveries,
      settle: (...settling) => settlement.settle(...settling).change,
      commit: (change) => this.#transactions.commit(change),
    });
    const settlement = new Settlement({ records, ids, assumptions, due });
    this.due = due;
    this.#settlement = settlement;
    this.#transactions = new Transactions({ store, due, events });
    this.faults = new FaultInjector({
      transactions: this.#transactions,
      records,
      ids,
      events,
    });
    due.refill();
    // The queue lacks due tasks that were rolled back or refused meanwhile. They follow from the records.
    store.onRecovered = () => due.refill();
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
      const all = { ...this.#records.changesOf(integration), ...changes };
      const changed = { integration, changes: all };
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
   * Finds the transaction of the earlier call that this call repeats, and resolves when it is durable; undefined for
   * a first call. Rejects with DUPLICATED_VALUE if the key was used for another request.
   */
  repeatOf<Name extends Kind>(
    kind: Name,
    call: KeyedCall,
  ): Promise<Created<TransactionOf<Name>>> | undefined {
    // Nearly every call has a new key: one look-up.
    if (!this.#records.takenFor(call.integration, call.key)) return undefined;
    forgetPastKeys(this.#keys);
    let transaction: TransactionOf<Name> | undefined;
    try {
      transaction = repeated(this.#keys, kind, call) as TransactionOf<Name> | undefined;
    } catch (refusal) {
      return this.#transactions.transact(() => {
        throw refusal;
      });
    }
    if (!transaction) return undefined;
    const created = { transaction, isRepeat: true };
    return this.#transactions.transact(() => created);
  }

  /**
   * Creates a transaction; {@link repeatOf} has found no earlier one in the same turn. A second payout to a receiver
   * with one in progress is, by default, created and canceled in one commit.
   */
  create<Name extends Kind>(
    kind: Name,
    call: Creation<Name>,
  ): Promise<Created<TransactionOf<Name>>> {
    return this.#transactions.transact(() => {
      forgetPastKeys(this.#keys);
      const {
        integration,
        fault,
        trace = new AssumptionTrace(this.assumptionsOf(integration)),
      } = call;
      if (fault) this.faults.refuse(fault);
      const isRival =
        kind === "payout" && this.#isRival(call.draft as PayoutDraft, integration, trace);
      const ordinal = this.#records.integration(integration).lastOrdinal + 1;
      const nowMs = this.#clock.nowMs();
      const transaction = this.#open(kind, call, {
        ordinal,
        nowMs,
        auto: () => trace.read("payout.auto"),
      });
      if (isRival) this.#settle(transaction, "canceled", fault, nowMs);
      else this.#transactions.commit([["transactions", transaction]]);
      return { transaction, isRepeat: false };
    });
  }

  /** Settles a transaction for a merchant; each refusal except that of `environment` names its field. */
  simulate<Name extends Kind>(
    kind: Name,
    {
      integration,
      id,
      status,
      fault,
      trace = new AssumptionTrace(this.assumptionsOf(integration)),
    }: Simulated,
  ): Promise<TransactionOf<Name>> {
    return this.#transactions.transact(() => {
      if (fault) this.faults.refuse(fault);
      if (trace.read("environment") === "production") throw notProcessable(NO_SIMULATION);
      const found = this.#find(kind, integration, id);
      if (!found) throw notProcessable(UNKNOWN_TRANSACTION, "transaction_id");
      const isSame = (found as Transaction).record.status === status;
      if (isSame && trace.read("simulation.final") === "repeat") {
        return found;
      }
      try {
        return this.#settle(found, status, fault);
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        throw notProcessable(error.text, "transaction_id");
      }
    });
  }

  /** Moves a transaction to a final status; undefined if the integration (`null`: any) has none with this id. */
  move<Name extends Kind>(
    integration: string | null,
    kind: Name,
    id: string,
    move: keyof (typeof KINDS)[Name]["moves"],
  ): Promise<TransactionOf<Name> | undefined> {
    return this.#transactions.transact(() => {
      const found = this.#find(kind, integration, id);
      if (!found) return undefined;
      const status = KINDS[kind].moves[move as never] as PayinStatus;
      const owner = (found as Transaction).record.integration;
      const paid = this.assumptionsOf(owner)["payin.paid_status"];
      return this.#settle(found, status === "paid" ? paid : status);
    });
  }

  /** A new transaction, which waits. */
  #open<Name extends Kind>(
    kind: Name,
    { integration, key, request, draft, provider = "", fault, fixture }: Creation<Name> & Named,
    { ordinal, nowMs, auto }: Opening,
  ): TransactionOf<Name> {
    const isPayin = kind === "payin";
    const ids = this.#ids[kind](integration, ordinal);
    const qr_code = isPayin ? this.#codes.write(ids.pix_id, provider) : "";
    const added = { integration, nowMs, ids, qr_code };
    const record = isPayin
      ? newPayin(draft as PayinDraft, added)
      : newPayout(draft as PayoutDraft, added);
    const whenDueMs = isPayin
      ? nowMs + (draft as PayinDraft).expiration * 1000
      : completionOf(nowMs, auto());
    const cancelsAfterMs = fault?.magic?.cancelsAfterMs;
    const cancelsAtMs = cancelsAfterMs === undefined ? null : nowMs + cancelsAfterMs;
    const isCanceled = cancelsAtMs !== null && cancelsAtMs <= (whenDueMs ?? cancelsAtMs);
    return {
      kind,
      record,
      ordinal,
      key,
      request,
      dueMs: isCanceled ? cancelsAtMs : whenDueMs,
      whenDue: isCanceled ? "canceled" : undefined,
      fixture,
    } as Transaction as TransactionOf<Name>;
  }

  configureWebhook(configuration: WebhookConfiguration): Promise<WebhookConfiguration> {
    return this.#transactions.transact(() => {
      this.#transactions.commit([["webhookConfigurations", configuration]]);
      return configuration;
    });
  }

  /** Resolves when all that was decided so far is durable. Rejects if some of it was rolled back. */
  durable(): Promise<void> {
    return this.#store.durable();
  }

  /** Reads a delivery that is known to be durable; undefined if it no longer exists. */
  delivery(id: string): Delivery | undefined {
    return this.#records.deliveries.get(id);
  }

  newestDeliveryOf(transactionId: string): Delivery | undefined {
    return this.#records.newestDeliveryOf(transactionId);
  }

  /**
   * Records the result of an attempt at once; resolves when it is durable, or if the delivery no longer exists. A crash
   * before that repeats the attempt.
   */
  recordAttempt(deliveryId: string, result: AttemptResult): Promise<void> {
    return this.#transactions.transact(() => {
      const delivery = this.delivery(deliveryId);
      if (!delivery) return;
      const assumptions = this.assumptionsOf(delivery.integration);
      const attempt = recordedAttempt(delivery, result, assumptions, this.#clock.nowMs());
      this.#transactions.commit([["deliveries", withAttempt(delivery, attempt)]]);
    });
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
        if (moved) this.#clock.setting = moved;
        this.#deliveries.drop(integration);
        this.faults.dropCalls(integration);
        this.due.refill();
        this.#transactions.report([{ kind: "reset", integration }]);
      })
      .then(
        () => {
          if (moved) this.#publishClock();
        },
        (error: unknown) => {
          if (moved) this.#clock.setting = before;
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
    return this.#transactions.transact(() => this.due.next(integration));
  }

  /** Stores the clock's setting. */
  async storeClock(): Promise<void> {
    const isChanged = await this.#transactions.transact(() => {
      const { setting } = this.#clock;
      if (JSON.stringify(setting) === JSON.stringify(this.#records.clock)) return false;
      this.#transactions.commit([["clock", setting]]);
      return true;
    });
    if (isChanged) this.#publishClock();
  }

  #publishClock(): void {
    const clock = { now: toIso(this.#clock.nowMs()), mode: this.#clock.mode };
    this.events.add({ kind: "clock", integration: null, toWire: () => clock });
  }

  /** A transaction as a fixture has it: without a call, and without webhooks. */
  newFixture(
    { kind, integration, status, draft, name }: RecordFixture,
    opening: Opening,
  ): Transaction {
    const call = {
      integration,
      draft,
      key: NO_KEY,
      request: "",
      provider: PROVIDER,
      fixture: name,
    };
    const transaction = this.#open(kind, call, opening);
    if (status === "waiting") return transaction;
    return this.#settlement.settled(transaction, status, opening.nowMs);
  }

  #find<Name extends Kind>(
    kind: Name,
    integration: string | null,
    id: string,
  ): TransactionOf<Name> | undefined {
    return new View(this.#records, integration).transaction(kind, id);
  }

  /**
   * Whether the recipient has a payout in progress because of which a new one is canceled.
   * @throws GatewayError NOT_PROCESSABLE if a new one is refused because of it.
   */
  #isRival(draft: PayoutDraft, integration: string, trace: AssumptionTrace): boolean {
    const recipient = trace.read("payout.recipient");
    if (!this.#records.isReceiving(integration, recipient, draft)) return false;
    const choice = trace.read("payout.rival");
    if (choice === "reject") throw notProcessable(RIVAL_IN_PROGRESS, recipient);
    return choice === "cancel";
  }

  #settle<Name extends Kind>(
    transaction: TransactionOf<Name>,
    status: PayinStatus,
    fault?: CallFault,
    nowMs = this.#clock.nowMs(),
  ): TransactionOf<Name> {
    const { settled, change } = this.#settlement.settle(transaction, status, nowMs, fault);
    this.#transactions.commit(change);
    return settled;
  }
}

/** The merchant's name in the BR Codes of fixtures, which no call has sent. */
const PROVIDER = "pix-sandbox";

interface Named {
  /** The name of the fixture that it comes from. */
  readonly fixture?: string | undefined;
}

/** The place of a new transaction: its ordinal, its time, and when it completes by itself. */
interface Opening {
  readonly ordinal: number;
  readonly nowMs: number;
  readonly auto: () => Assumptions["payout.auto"];
}

const UNKNOWN_TRANSACTION = say`No transaction of this integration has this transaction_id.`;

const NO_SIMULATION = say`Simulations exist in the staging environment only.`;

const RIVAL_IN_PROGRESS = say`This receiver has a payout in progress; wait until it is completed or canceled.`;
