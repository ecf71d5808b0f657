import { STANDARD_ASSUMPTIONS } from "../../core/assumptions/table.ts";
import { type Payin, toWirePayin } from "../../core/records/payin.ts";
import { type Payout, toWirePayout } from "../../core/records/payout.ts";
import type { Records } from "../../core/state/records.ts";
import { readerOf, type Reading } from "../../http/parse/readers.ts";
import { type Message, say } from "../../text/message.ts";

/** A record that the API could not have created: it was edited by hand. */
export interface StateProblem {
  readonly list: "payins" | "payouts" | "deliveries";
  readonly id: string;
  readonly text: Message;
}

/** Checks all records against the API's rules, under the standard assumptions, most of which are the most permissive. */
export function findProblems({ payins, payouts }: Records): readonly StateProblem[] {
  const readPayin = readerOf("payin", STANDARD_ASSUMPTIONS);
  const readPayout = readerOf("payout", STANDARD_ASSUMPTIONS);
  const problems: StateProblem[] = [];
  const note = (list: StateProblem["list"], id: string, texts: readonly Message[]): void => {
    for (const text of texts) problems.push({ list, id, text });
  };
  for (const payin of payins.each()) {
    const reading = readPayin(toWirePayin(payin, STANDARD_ASSUMPTIONS));
    note("payins", payin.id, [
      ...broken(reading),
      ...brokenTimes(payin),
      ...brokenSettlement(payin),
    ]);
  }
  for (const payout of payouts.each()) {
    const reading = readPayout(toWirePayout(payout, STANDARD_ASSUMPTIONS));
    note("payouts", payout.id, [...broken(reading), ...brokenSettlement(payout)]);
  }
  return problems;
}

/** The problem of a record that is in the state file more than once. */
export function writtenTwice(list: StateProblem["list"], id: string): StateProblem {
  return { list, id, text: TWICE };
}

function broken(reading: Reading<unknown>): readonly Message[] {
  return "fields" in reading ? reading.fields.map(({ message }) => message) : [];
}

function brokenTimes({ createdAtMs, expiresAtMs, expirationSeconds }: Payin): readonly Message[] {
  return expiresAtMs === createdAtMs + expirationSeconds * 1000 ? [] : [WRONG_EXPIRY];
}

function brokenSettlement({ status, settledAtMs, endToEndId }: Payin | Payout): readonly Message[] {
  const isWaiting = status === "waiting";
  const isPaid = status === "paid" || status === "completed";
  return [
    ...(isWaiting && settledAtMs !== null ? [SETTLED_WHILE_WAITING] : []),
    ...(!isWaiting && settledAtMs === null ? [NEVER_SETTLED] : []),
    ...(isPaid === (endToEndId !== null) ? [] : [isPaid ? NO_PAYMENT_ID : PAYMENT_ID]),
  ];
}

const TWICE = say`it is in the state file more than once; the last one is used.`;
const WRONG_EXPIRY = say`expiresAtMs must be createdAtMs plus expirationSeconds.`;
const SETTLED_WHILE_WAITING = say`settledAtMs must be null while status is waiting.`;
const NEVER_SETTLED = say`settledAtMs is missing although the status is final.`;
const NO_PAYMENT_ID = say`endToEndId is missing although the record was paid.`;
const PAYMENT_ID = say`endToEndId must be null unless the record was paid.`;
