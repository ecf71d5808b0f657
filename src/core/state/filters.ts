import { type Delivery, DELIVERY_STATUSES } from "../records/delivery.ts";
import {
  type Kind,
  KINDS,
  type Payin,
  PAYIN_STATUSES,
  type Payout,
  PAYOUT_STATUSES,
  type Transaction,
} from "../records/transaction.ts";
import { type Message, say } from "../../text/message.ts";

/** A filter of a list: it selects the rows in which a member equals a value. */
interface Filter<Row> {
  readonly member: keyof Row;
  /** The values that it takes. Default: any text. */
  readonly choices?: readonly string[];
  /** What a value is called in the help of its option. */
  readonly value: "status" | "id" | "text";
  readonly help: Message;
}

export type Filters<Row = never> = Readonly<Record<string, Filter<Row>>>;

/** The values that are given for filters; absent ones match all rows. */
export type FilterValues<All extends Filters> = {
  readonly [Name in keyof All]?:
    | (All[Name] extends { readonly choices: readonly (infer Choice)[] } ? Choice : string)
    | undefined;
};

/** The help of a filter by status. */
export const ONLY_STATUS = say`only with this status`;

/** The filters of payins. The route's query, its description, the command's options and the client's type follow. */
export const PAYIN_FILTERS = {
  status: { member: "status", choices: PAYIN_STATUSES, value: "status", help: ONLY_STATUS },
  pix_id: {
    member: "pix_id",
    value: "id",
    help: say`only with this pix_id, the last part of a BR Code's location`,
  },
} as const satisfies Filters<Payin>;

export const PAYOUT_FILTERS = {
  status: { member: "status", choices: PAYOUT_STATUSES, value: "status", help: ONLY_STATUS },
} as const satisfies Filters<Payout>;

export const TRANSACTION_FILTERS = {
  kind: {
    member: "kind",
    choices: Object.keys(KINDS) as readonly Kind[],
    value: "text",
    help: say`only of this kind`,
  },
} as const satisfies Filters<Transaction>;

/** The filters of deliveries. */
export const DELIVERY_FILTERS = {
  status: { member: "status", choices: DELIVERY_STATUSES, value: "status", help: ONLY_STATUS },
  type: { member: "type", value: "text", help: say`only of this event type, such as payin.paid` },
  transaction_id: {
    member: "transactionId",
    value: "id",
    help: say`only of the payin or payout with this id`,
  },
} as const satisfies Filters<Delivery>;

/** A function that accepts the rows that have all given values; undefined if none is given. */
export function rowsWith<Row, All extends Filters<Row>>(
  filters: All,
  values: FilterValues<All>,
): ((row: Row) => boolean) | undefined {
  const wanted = Object.entries(filters).flatMap(([name, { member }]) =>
    values[name] === undefined ? [] : [[member, values[name]] as const],
  );
  if (wanted.length === 0) return undefined;
  return (row) => wanted.every(([member, value]) => row[member] === value);
}
