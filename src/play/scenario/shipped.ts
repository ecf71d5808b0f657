import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { folderInPackage } from "../../platform/package-folder.ts";
import { RULE_IDS, type RuleId } from "../../review/rules.ts";

/** The name of a rule's scenario. */
export function scenarioOf(rule: RuleId): string {
  return rule.replaceAll("_", "-");
}

/** The files of the package's scenarios by name: in alphabetical order, then those of the rules in their order. */
export async function shippedScenarios(): Promise<ReadonlyMap<string, string>> {
  const folder = folderInPackage("fixtures/scenarios/");
  const files = (await readdir(folder)).filter((file) => file.endsWith(".json"));
  const ofRules = RULE_IDS.map(scenarioOf);
  const found = files.map((file) => file.slice(0, -".json".length)).toSorted();
  // The index of the others, -1, puts them first.
  const names = found.toSorted((one, other) => ofRules.indexOf(one) - ofRules.indexOf(other));
  return new Map(names.map((name) => [name, fileURLToPath(new URL(`${name}.json`, folder))]));
}
