import { RULE_IDS, type RuleId, ruleOf } from "./rules.ts";
import { type Language, translate } from "../text/languages.ts";
import type { Message } from "../text/message.ts";

/** A rule as `GET /_sandbox/report/rules` lists it. */
export interface WireRule {
  readonly id: RuleId;
  readonly number: number;
  readonly mistake: string;
  readonly harm: string;
  readonly change: string;
}

/** Every rule, in the order of their numbers. */
export function toWireRules(language: Language): WireRule[] {
  return RULE_IDS.map((id) => {
    const { number, mistake, harm, change } = ruleOf(id);
    const inWords = (text: Message): string => translate(text, language);
    return { id, number, mistake: inWords(mistake), harm: inWords(harm), change: inWords(change) };
  });
}
