import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { RULE_IDS, type RuleId } from "../../review/rules.ts";

/** The name of a rule's scenario. */
export function scenarioOf(rule: RuleId): string {
  return rule.replaceAll("_", "-");
}

/** The files of the package's scenarios by name: in alphabetical order, then those of the rules in their order. */
export async function shippedScenarios(): Promise<ReadonlyMap<string, string>> {
  const folder = findFolder();
  const files = (await readdir(folder)).filter((file) => file.endsWith(".json"));
  const ofRules = RULE_IDS.map(scenarioOf);
  const found = files.map((file) => file.slice(0, -".json".length)).toSorted();
  const names = [
    ...found.filter((name) => !ofRules.includes(name)),
    ...ofRules.filter((name) => found.includes(name)),
  ];
  return new Map(names.map((name) => [name, fileURLToPath(new URL(`${name}.json`, folder))]));
}

/** Searches upwards: the built file is in another folder than this one. */
function findFolder(): URL {
  for (let folder = new URL(".", import.meta.url); ; folder = new URL("..", folder)) {
    const found = new URL("fixtures/scenarios/", folder);
    if (existsSync(found)) return found;
    if (folder.pathname === new URL("..", folder).pathname)
      throw new Error("The package is incomplete: fixtures/scenarios is missing.");
  }
}
