import { readBrCode } from "../records/br-code.ts";
import type { Kind, Transaction, TransactionOf } from "../records/transaction.ts";
import { keyOf, ownerOf, type Records, type TableName, type Tables } from "./records.ts";
import type { Page, PageRequest } from "./page.ts";

/** The records that one integration can see (`null`: all). Reads go through it, so that no read can forget the filter. */
export class View {
  readonly #records: Records;
  readonly #integration: string | null;

  constructor(records: Records, integration: string | null) {
    this.#records = records;
    this.#integration = integration;
  }

  /** The row with a key: its id, or the integration that has one such row. */
  find<Name extends TableName>(name: Name, key: string): Tables[Name] | undefined {
    const found = this.#records.table(name).get(key);
    return found && this.#owns(found) ? found : undefined;
  }

  transaction<Name extends Kind>(kind: Name, id: string): TransactionOf<Name> | undefined {
    const found = this.find("transactions", id);
    return found?.kind === kind ? (found as TransactionOf<Name>) : undefined;
  }

  /** The payin whose BR Code has this location. A search, newest first: no index has locations. */
  payinAt(location: string): TransactionOf<"payin"> | undefined {
    const pixId = location.slice(location.lastIndexOf("/") + 1);
    return this.#records.transactions.newest(
      (one) =>
        one.kind === "payin" &&
        one.record.pix_id === pixId &&
        this.#owns(one) &&
        readBrCode(one.record.qr_code).location === location,
    ) as TransactionOf<"payin"> | undefined;
  }

  /** All rows of a table, oldest first. */
  all<Name extends TableName>(name: Name): Tables[Name][] {
    return this.#records
      .table(name)
      .all()
      .filter((row) => this.#owns(row));
  }

  /**
   * A page of a table's rows; undefined if it is requested by an id that the list does not have.
   * @param isWanted accepts the rows of the list; undefined if the list is not filtered
   * @param kind of transactions: only of this kind
   */
  page<Name extends "transactions" | "deliveries" | "faults">(
    name: Name,
    request: PageRequest,
    isWanted?: (row: Tables[Name]) => boolean,
    kind?: Kind,
  ): Page<Tables[Name]> | undefined {
    const isOwn = (row: Tables[Name]): boolean =>
      (kind === undefined || ("kind" in row && row.kind === kind)) && this.#owns(row);
    return this.#records.table(name).page(request, (row) => keyOf(name, row), isOwn, isWanted);
  }

  /** A page of the records of one kind; see {@link page}. */
  records<Name extends Kind>(
    kind: Name,
    request: PageRequest,
    isWanted?: (record: RecordOf<Name>) => boolean,
  ): Page<RecordOf<Name>> | undefined {
    const isRow = isWanted && (({ record }: Transaction) => isWanted(record as RecordOf<Name>));
    const page = this.page("transactions", request, isRow, kind);
    return page && { ...page, rows: page.rows.map(({ record }) => record as RecordOf<Name>) };
  }

  integrations(): string[] {
    const tokens = [...this.#records.integrations.keys()];
    return tokens.filter((token) => this.#integration === null || token === this.#integration);
  }

  #owns(row: object): boolean {
    return this.#integration === null || ownerOf(row) === this.#integration;
  }
}

type RecordOf<Name extends Kind> = TransactionOf<Name>["record"];
