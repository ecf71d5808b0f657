import { plural, say } from "../../text/message.ts";

/** A number of records with its noun. */
export const counted = {
  payins: (count: number) => plural(count, say`${count} payin`, say`${count} payins`),
  payouts: (count: number) => plural(count, say`${count} payout`, say`${count} payouts`),
  webhooks: (count: number) => plural(count, say`${count} webhook`, say`${count} webhooks`),
};
