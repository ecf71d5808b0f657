import { DueTasks } from "./due-tasks.ts";
import type { AssumptionChanges, Assumptions } from "../assumptions/table.ts";
import { type BrCodeSettings, createBrCodes } from "../records/br-code-writer.ts";
import type { Clock, ClockSetting } from "../time/clock.ts";
import { Transactions } from "./transaction.ts";
import { type Attempt, deliveriesOf, type Delivery, withAttempt } from "../records/delivery.ts";
import { GatewayError, notProcessable } from "../records/errors.ts";
import type { CallFault } from "../faults/fault.ts";
import type { RecordFixture } from "./fixture-loader.ts";
import type { Events } from "../state/events.ts";
import { type AssumptionTrace, EffectiveAssumptions } from "../assumptions/trace.ts";
import { isPast, type KeyedCall, repeated } from "./repeat.ts";
import type { Ids } from "../records/ids.ts";
import { FaultInjector } from "./injector.ts";
import {
  completionOf,
  type Draft,
  type Kind,
  KINDS,
  newPayin,
  newPayout,
  type PayinDraft,
  type PayinStatus,
  type PayoutDraft,
  type PayoutOutcome,
  settled,
  type Transaction,
} from "../records/transaction.ts";
import type { Store, WebhookSender } from "../state/ports.ts";
import { type Change, type Lists, NO_KEY, putsOf, type Records } from "../state/records.ts";
import { View } from "../state/view.ts";
import { toIso } from "../../wire/timestamp.ts";
import { say } from "../../text/message.ts";

/** A call that creates a transaction. */
export interface Creation extends KeyedCall {
  readonly draft: Draft;
  /** `x-provider`, the merchant's name in the BR Code. */
  readonly provider?: string | undefined;
  /** The call's fault, from {@link FaultInjector.take} in the same turn. */
  readonly fault?: CallFault | undefined;
}

/** The transaction of a creation, and whether an earlier call created it. */
export interface Created {
  readonly transaction: Transaction;
  readonly isRepeat: boolean;
}

/** What a simulation asks for. */
export interface Simulated {
  readonly integration: string;
  readonly id: string;
  readonly status: PayoutOutcome;
  readonly fault?: CallFault | undefined;
  readonly trace: AssumptionTrace;
}

interface GatewayParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The choices of a new sandbox. */
  readonly assumptions: Assumptions;
  readonly brCode: BrCodeSettings;
  readonly events: Events;
  readonly closing: AbortSignal;
}

/**
 * The gateway's operations. Each finds, decides and commits without a pause, and resolves when its result
 * is durable. Refusals are GatewayErrors.
 */
export class Gateway {
  /** Gets the deliveries that are due. It works with the gateway, so it comes after it. */
  sender: Pick<WebhookSender, "start" | "drop"> | undefined;
  readonly faults: FaultInjector;
  /** Everything that happens, when it is durable. */
  readonly events: Events;
  readonly due: DueTasks;
  /** The sandbox's time. */
  readonly clock: Clock;
  readonly codes: ReturnType<typeof createBrCodes>;
  readonly #transactions: Transactions;
  readonly #store: Store;
  readonly #records: Records;
  readonly #ids: Ids;
  readonly #assumptions: EffectiveAssumptions;

  constructor({ store, clock, ids, assumptions, brCode, events, closing }: GatewayParts) {
    const { records } = store;
    this.#store = store;
    this.events = events;
    this.#records = records;
    this.clock = clock;
    this.#ids = ids;
    this.#assumptions = new EffectiveAssumptions(assumptions, records);
    this.codes = createBrCodes(brCode);
    const due = new DueTasks({
      clock,
      records,
      start: (delivery) => this.sender?.start(delivery),
      settle: (...settling) => this.#settlement(...settling).change,
      commit: (change) => this.#transactions.commit(change),
    });
    this.due = due;
    this.#transactions = new Transactions({ store, due, events, closing });
    this.faults = new FaultInjector({ transactions: this.#transactions, records, ids, due });
    due.refill();
    // The queue lacks due tasks that were rolled back or refused meanwhile. They follow from the records.
    store.onRecovered = () => due.refill();
  }

  /** Whether changes are refused because the store cannot write them. */
  get isDegraded(): boolean {
    return this.#store.isDegraded;
  }

  /** The choices in force for an integration; `null`: for integrations without changes of their own. */
  assumptionsOf(integration: string | null): Assumptions {
    return this.#assumptions.of(integration);
  }

  /** Changes choices of an integration; `null`: of all integrations without changes of their own. */
  changeAssumptions(integration: string | null, changes: AssumptionChanges): Promise<Assumptions> {
    return this.#transactions.transact(() => {
      const all = { ...this.#records.changesOf(integration), ...changes };
      this.#transactions.commit([["changedAssumptions", { integration, changes: all }]]);
      const toWire = (): object => ({ integration, changes });
      this.#transactions.report([{ kind: "assumptions", integration, toWire }]);
      return this.assumptionsOf(integration);
    });
  }

  /** Creates the integration of a token at its first use. */
  integrationIsUsed(token: string): void {
    this.#records.integration(token);
  }

  /** Reads the records of an integration (`null`: of all). Resolves when what was read is durable. */
  read<Result>(integration: string | null, look: (view: View) => Result): Promise<Result> {
    return this.#transactions.transact(() => look(new View(this.#records, integration)));
  }

  /**
   * Finds the transaction of the earlier call that this call repeats, and resolves when it is durable; undefined for
   * a first call. Rejects with DUPLICATED_VALUE if the key was used for another request.
   */
  repeatOf(kind: Kind, call: KeyedCall): Promise<Created> | undefined {
    const earlier = this.#records.takenFor(call.integration, call.key);
    if (!earlier) return undefined;
    const retention = call.trace.read("idempotency.retention_seconds");
    if (isPast(earlier, retention, this.clock.nowMs())) return undefined;
    return this.#transactions.transact(() => {
      return { transaction: repeated(earlier, kind, call), isRepeat: true };
    });
  }

  /**
   * Creates a transaction; {@link repeatOf} has found no earlier one in the same turn. A second payout to a receiver
   * with one in progress is, by default, created and canceled in one commit.
   */
  create(kind: Kind, call: Creation): Promise<Created> {
    return this.#transactions.transact(() => {
      this.#forgetPastKeys();
      const { integration, fault, trace } = call;
      if (fault) this.faults.refuse(fault);
      const isRival =
        kind === "payout" && this.#isRival(call.draft as PayoutDraft, integration, trace);
      const ordinal = this.#records.integration(integration).lastOrdinal + 1;
      const nowMs = this.clock.nowMs();
      const opening = { ordinal, nowMs, auto: () => trace.read("payout.auto") };
      const transaction = this.#open(kind, call, opening);
      if (isRival) this.#settle(transaction, "canceled", nowMs, fault);
      else this.#transactions.commit([["transactions", transaction]]);
      return { transaction, isRepeat: false };
    });
  }

  #forgetPastKeys(): void {
    const { clock } = this;
    // The earlier of the live and the persisted clock: a crash restores the persisted one.
    const nowMs = Math.min(clock.nowMs(), clock.nowMsBy(this.#records.clock ?? clock.setting));
    this.#records.forgetKeys((one) => {
      const choices = this.assumptionsOf(one.record.integration);
      return isPast(one, choices["idempotency.retention_seconds"], nowMs);
    });
  }

  /** Settles a transaction for a merchant; each refusal except that of `environment` names its field. */
  simulate(kind: Kind, { integration, id, status, fault, trace }: Simulated): Promise<Transaction> {
    return this.#transactions.transact(() => {
      if (fault) this.faults.refuse(fault);
      if (trace.read("environment") === "production") throw notProcessable(NO_SIMULATION);
      const found = new View(this.#records, integration).transaction(kind, id);
      if (!found) throw notProcessable(UNKNOWN_TRANSACTION, "transaction_id");
      const isSame = found.record.status === status;
      if (isSame && trace.read("simulation.final") === "repeat") return found;
      try {
        return this.#settle(found, status, this.clock.nowMs(), fault);
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
  ): Promise<Transaction | undefined> {
    return this.#transactions.transact(() => {
      const found = new View(this.#records, integration).transaction(kind, id);
      if (!found) return undefined;
      const status = KINDS[kind].moves[move as never] as PayinStatus;
      const paid = this.assumptionsOf(found.record.integration)["payin.paid_status"];
      return this.#settle(found, status === "paid" ? paid : status, this.clock.nowMs());
    });
  }

  /** A new transaction, which waits. */
  #open(
    kind: Kind,
    { integration, key, request, draft, provider = "", fault }: Omit<Creation, "trace">,
    { ordinal, nowMs, auto, fixture }: Opening,
  ): Transaction {
    const ids = this.#ids[kind](integration, ordinal);
    const isPayin = kind === "payin";
    const qr_code = isPayin ? this.codes.write(ids.pix_id, provider) : "";
    const added = { integration, nowMs, ids, qr_code };
    const record = isPayin
      ? newPayin(draft as PayinDraft, added)
      : newPayout(draft as PayoutDraft, added);
    const usualMs = isPayin
      ? nowMs + (draft as PayinDraft).expiration * 1000
      : completionOf(nowMs, auto());
    const cancelMs = nowMs + (fault?.magic?.cancelsAfterMs ?? Number.POSITIVE_INFINITY);
    const isCanceled = Number.isFinite(cancelMs) && cancelMs <= (usualMs ?? cancelMs);
    const dueMs = isCanceled ? cancelMs : usualMs;
    const whenDue = isCanceled ? "canceled" : undefined;
    return { kind, record, ordinal, key, request, dueMs, whenDue, fixture } as Transaction;
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
   * Records an attempt at once; resolves when it is durable, or if the delivery no longer exists. A crash before that
   * repeats the attempt.
   */
  recordAttempt(deliveryId: string, attempt: Attempt): Promise<void> {
    return this.#transactions.transact(() => {
      const delivery = this.delivery(deliveryId);
      if (!delivery) return;
      const assumptions = this.assumptionsOf(delivery.integration);
      const after = withAttempt(delivery, attempt, assumptions, this.clock.nowMs());
      this.#transactions.commit([["deliveries", after]]);
    });
  }

  /**
   * Replaces all records of one integration (`null`: of all, and the clock) and cancels their pending
   * deliveries: when this resolves, none of them is sent any more.
   * @param makeRows creates the new records inside the transaction, so that their ids are new
   */
  async replace(integration: string | null, makeRows: () => Change): Promise<void> {
    const before = this.clock.setting;
    let moved: ClockSetting | undefined;
    try {
      await this.#transactions.transact(() => {
        this.#ids.startGeneration();
        const rows = makeRows();
        this.#store.commit([["reset", integration], ...rows]);
        for (const [table, row] of rows) if (table === "clock") moved = row ?? undefined;
        if (moved) this.clock.setting = moved;
        this.sender?.drop(integration);
        this.faults.dropCalls(integration);
        this.due.refill();
        this.#transactions.report([{ kind: "reset", integration }]);
      });
    } catch (error) {
      if (moved) this.clock.setting = before;
      throw error;
    }
    if (moved) this.#publishClock();
  }

  /** Adds rows, or replaces those with the same keys; none if none are given. */
  put(rows: Change): Promise<void> {
    return this.#transactions.transact(() => {
      if (rows.length > 0) this.#transactions.commit(rows);
    });
  }

  /** All records of an integration (`null`: of all, and the clock), when they are durable. */
  rowsOf(integration: string | null): Promise<Lists> {
    return this.#transactions.transact(() => {
      const lists = this.#records.listsOf(integration);
      return integration === null ? { ...lists, identity: [], clock: [this.clock.setting] } : lists;
    });
  }

  /** Stores the clock's setting. */
  async storeClock(): Promise<void> {
    const { setting } = this.clock;
    const isSame = JSON.stringify(setting) === JSON.stringify(this.#records.clock);
    await this.put(isSame ? [] : [["clock", setting]]);
    if (!isSame) this.#publishClock();
  }

  #publishClock(): void {
    const clock = { now: toIso(this.clock.nowMs()), mode: this.clock.mode };
    this.events.add({ kind: "clock", integration: null, toWire: () => clock });
  }

  /** A transaction as a fixture has it: without a call, and without webhooks. */
  newFixture(
    { kind, integration, status, draft, name: fixture }: RecordFixture,
    opening: Opening,
  ): Transaction {
    const call = { integration, draft, key: NO_KEY, request: "", provider: PROVIDER };
    const transaction = this.#open(kind, call, { ...opening, fixture });
    if (status === "waiting") return transaction;
    return settled(transaction, status, opening.nowMs, this.#ids);
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

  /**
   * What settles a transaction: it in its final status, its webhooks, and the faults that they use.
   * @throws GatewayError NOT_PROCESSABLE if the transaction has a final status already.
   */
  #settlement(transaction: Transaction, status: PayinStatus, nowMs: number, fault?: CallFault) {
    const { integration } = transaction.record;
    const after = settled(transaction, status, nowMs, this.#ids);
    const { take, change } = this.faults.onWebhooks(integration, fault?.webhook);
    const deliveries = deliveriesOf(after, {
      takeFault: take,
      assumptions: this.assumptionsOf(integration),
      configuration: this.#records.table("webhookConfigurations").get(integration),
      eventId: (type) => this.#ids.event(integration, transaction.ordinal, type),
      nowMs,
    });
    return { after, change: [...putsOf({ transactions: [after], deliveries }), ...change()] };
  }

  #settle(one: Transaction, status: PayinStatus, nowMs: number, fault?: CallFault): Transaction {
    const { after, change } = this.#settlement(one, status, nowMs, fault);
    this.#transactions.commit(change);
    return after;
  }
}

/** The merchant's name in the BR Codes of fixtures, which no call has sent. */
const PROVIDER = "pix-sandbox";

/** The place of a new transaction: its ordinal, its time, and when it completes by itself. */
interface Opening {
  readonly ordinal: number;
  readonly nowMs: number;
  readonly auto: () => Assumptions["payout.auto"];
  /** The name of the fixture that it comes from. */
  readonly fixture?: string | undefined;
}

const UNKNOWN_TRANSACTION = say`No transaction of this integration has this transaction_id.`;

const NO_SIMULATION = say`Simulations exist in the staging environment only.`;

const RIVAL_IN_PROGRESS = say`This receiver has a payout in progress; wait until it is completed or canceled.`;
