import type { Delivery } from "../records/delivery.ts";
import { readBrCode } from "../records/br-code.ts";
import type { Fault } from "../faults/fault.ts";
import type {
  Kind,
  Transaction,
  TransactionOf,
  WebhookConfiguration,
} from "../records/transaction.ts";
import type { ChangedAssumptions, Records } from "./records.ts";
import { type Page, type PageRequest, readPage } from "./page.ts";

/** The records that one integration can see (`null`: all). Reads go through it, so that no read can forget the filter. */
export class View {
  readonly #records: Records;
  readonly #integration: string | null;

  constructor(records: Records, integration: string | null) {
    this.#records = records;
    this.#integration = integration;
  }

  payin(id: string): TransactionOf<"payin"> | undefined {
    return this.transaction("payin", id);
  }

  payout(id: string): TransactionOf<"payout"> | undefined {
    return this.transaction("payout", id);
  }

  transaction<Name extends Kind>(kind: Name, id: string): TransactionOf<Name> | undefined {
    const found = this.#records.transactions.get(id);
    return found?.kind === kind && this.#owns(found.record)
      ? (found as TransactionOf<Name>)
      : undefined;
  }

  /** The payin whose BR Code has this location. A search, newest first: no index has locations. */
  payinAt(location: string): TransactionOf<"payin"> | undefined {
    const pixId = location.slice(location.lastIndexOf("/") + 1);
    const isAt = (one: Transaction): boolean =>
      one.kind === "payin" &&
      one.record.pix_id === pixId &&
      this.#owns(one.record) &&
      readBrCode(one.record.qr_code).location === location;
    return this.#records.transactions.newest(isAt) as TransactionOf<"payin"> | undefined;
  }

  delivery(id: string): Delivery | undefined {
    const found = this.#records.deliveries.get(id);
    return found && this.#owns(found) ? found : undefined;
  }

  /**
   * A page of the payins and payouts, or of one kind; undefined if it is requested by an id that the list does not have.
   * @param isWanted accepts the rows of the list; undefined if the list is not filtered
   */
  transactions(
    request: PageRequest,
    isWanted?: (row: Transaction) => boolean,
    kind?: Kind,
  ): Page<Transaction> | undefined {
    const isOwn = (one: Transaction): boolean =>
      (kind === undefined || one.kind === kind) && this.#owns(one.record);
    return this.#records.transactions.page(request, ({ record }) => record.id, isOwn, isWanted);
  }

  /** A page of the records of one kind; see {@link transactions}. */
  records<Name extends Kind>(
    kind: Name,
    request: PageRequest,
    isWanted?: (record: RecordOf<Name>) => boolean,
  ): Page<RecordOf<Name>> | undefined {
    const isRow = isWanted && (({ record }: Transaction) => isWanted(record as RecordOf<Name>));
    const page = this.transactions(request, isRow, kind);
    return page && { ...page, rows: page.rows.map(({ record }) => record as RecordOf<Name>) };
  }

  deliveries(
    request: PageRequest,
    isWanted?: (row: Delivery) => boolean,
  ): Page<Delivery> | undefined {
    return this.#records.deliveries.page(request, ofId, (one) => this.#owns(one), isWanted);
  }

  /** All deliveries that are wanted, oldest first. */
  allDeliveries(isWanted: (delivery: Delivery) => boolean = () => true): Delivery[] {
    return this.#records.deliveries.all().filter((one) => this.#owns(one) && isWanted(one));
  }

  newestDelivery(isWanted: (delivery: Delivery) => boolean): Delivery | undefined {
    return this.#records.deliveries.newest((one) => this.#owns(one) && isWanted(one));
  }

  fault(id: string): Fault | undefined {
    return this.faults().find((fault) => fault.id === id);
  }

  /** The integration's own faults (`null`: all); without those that apply to every integration. */
  faults(): Fault[] {
    const { faults, callFaults } = this.#records;
    return [...faults.all(), ...callFaults.values()].filter(
      ({ integration }) => this.#integration === null || integration === this.#integration,
    );
  }

  faultPage(request: PageRequest, isWanted?: (fault: Fault) => boolean): Page<Fault> | undefined {
    return readPage({ rows: this.faults(), keyOf: ofId, isWanted }, request);
  }

  integrations(): string[] {
    const tokens = [...this.#records.integrations.keys()];
    return this.#integration === null
      ? tokens
      : tokens.filter((token) => token === this.#integration);
  }

  /** The integration's configured webhook. */
  webhookConfiguration(): WebhookConfiguration | undefined {
    return this.#integration === null
      ? undefined
      : this.#records.webhookConfigurations.get(this.#integration);
  }

  webhookConfigurations(): WebhookConfiguration[] {
    return this.#records.webhookConfigurations.all().filter((one) => this.#owns(one));
  }

  /** The changes of assumptions that are stored: of an integration, or of all (`null`). */
  changedAssumptions(): ChangedAssumptions[] {
    return this.#records.changedAssumptions
      .all()
      .filter((one) => Object.keys(one.changes).length > 0 && this.#owns(one));
  }

  #owns({ integration }: { readonly integration: string | null }): boolean {
    return this.#integration === null || integration === this.#integration;
  }
}

type RecordOf<Name extends Kind> = TransactionOf<Name>["record"];

function ofId({ id }: { readonly id: string }): string {
  return id;
}
