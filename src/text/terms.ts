import { type Language, translate } from "./languages.ts";
import { type Message, say, verbatim } from "./message.ts";

export const NOUNS = { payin: say`payin`, payout: say`payout` } satisfies Record<string, Message>;

/** A status in words. Other languages add the word of the API, which filters and programs use: "paga (paid)". */
export function statusWords(kind: string, status: string): Message {
  return STATUS_WORDS[`${kind}.${status}`] ?? verbatim(status);
}

const STATUS_WORDS: Readonly<Record<string, Message>> = {
  "payin.waiting": say.for("payin status")`waiting`,
  "payin.paid": say.for("payin status")`paid`,
  "payin.completed": say.for("payin status")`completed`,
  "payin.expired": say.for("payin status")`expired`,
  "payin.canceled": say.for("payin status")`canceled`,
  "payout.waiting": say.for("payout status")`waiting`,
  "payout.completed": say.for("payout status")`completed`,
  "payout.canceled": say.for("payout status")`canceled`,
};

/** Says where a choice comes from. @param observed when, in ISO 8601 */
export function fromProfile(name: string, observed: string | null | undefined): Message {
  return observed === null || observed === undefined
    ? say`From the profile ${name}.`
    : say`From the profile ${name}, observed on ${observed.slice(0, 10)}.`;
}

/** The words of a charge's code with a button that copies it. */
export function copyFieldWords(language: Language) {
  return {
    label: translate(say`Pix copy and paste`, language),
    copy: translate(say`Copy the code`, language),
    copied: translate(say`Copied`, language),
  };
}
