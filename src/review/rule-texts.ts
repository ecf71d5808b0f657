import { RULE_IDS, type RuleId, ruleOf } from "./rules.ts";
import { type Language, translate } from "../text/languages.ts";

/** A rule as `GET /_sandbox/report/rules` lists it. */
export interface WireRule {
  readonly id: RuleId;
  readonly number: number;
  readonly mistake: string;
  readonly harm: string;
}

/** Every rule, in the order of their numbers. */
export function toWireRules(language: Language): WireRule[] {
  return RULE_IDS.map((id) => {
    const { number, mistake, harm } = ruleOf(id);
    return { id, number, mistake: translate(mistake, language), harm: translate(harm, language) };
  });
}
