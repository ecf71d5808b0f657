import { LANGUAGE_NAMES, translate } from "../../text/languages.ts";
import { joined } from "../../text/message.ts";
import { toSafeJson } from "../../text/plain/safe-text.ts";
import { type Export, type ExportedStep, WEBHOOK_URL } from "./retell.ts";

/** Writes an export as a scenario file, which describes itself in every language. */
export function toScenario({ about, notes, steps }: Export): string {
  const whole = joined([about, ...notes]);
  const texts = LANGUAGE_NAMES.map((name) => [name, translate(whole, name)]);
  const lines = steps.map((step) => `    ${toSafeJson(toScenarioStep(step))}`);
  return `{\n  "about": ${toSafeJson(Object.fromEntries(texts))},\n  "steps": [\n${lines.join(",\n")}\n  ]\n}`;
}

function toScenarioStep({ integration, fault, ...step }: ExportedStep): object {
  // The scenario restores the mode of a clock that its own verb has frozen.
  if (step.call.endsWith("/clock/freeze")) return { clock: "freeze" };
  // The first integration has the scenario's own token.
  const token = integration > 0 ? `${WEBHOOK_URL}/${integration + 1}` : undefined;
  const isPlain = token === undefined && fault === undefined;
  return {
    ...step,
    ...(!isPlain && { headers: { "x-api-token": token, "x-sandbox-fault": fault } }),
  };
}
