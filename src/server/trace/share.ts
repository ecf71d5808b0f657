import type { Change } from "../../core/state/records.ts";
import type { WireFinding } from "../../review/report.ts";
import { ruleOf } from "../../review/rules.ts";
import { type Language, LANGUAGE_NAMES, translate } from "../../text/languages.ts";
import { stepOf } from "./recorder.ts";
import { recordsAt, type Step, timeAt, type Trace } from "./trace.ts";

/** The part of a trace that belongs to an integration (`null`: to all), and to one of its tests if an id is given. */
export function shareOf(trace: Trace, integration: string | null, test?: number): Trace {
  const tested = trace.tests.find(({ id }) => id === test);
  if (integration === null && !tested) return trace;
  const { from, until } = tested ?? { from: 0, until: trace.steps.length };
  const owns = (owner: string | null): boolean => integration === null || owner === integration;
  const deliveries = new Set<string>();
  const share = (step: Step): Step => ({ ...step, change: ownPart(step.change, owns, deliveries) });
  const start = share(stepOf(recordsAt(trace, from), timeAt(trace, from)));
  const steps: Step[] = [];
  /** How many of the shared steps were before each of the whole. */
  const places: number[] = [];
  for (const step of trace.steps.slice(from, until)) {
    places.push(steps.length);
    const shared = share(step);
    if (Object.keys(shared.change).length > 0) steps.push(shared);
  }
  // A test that begins with a reset has no use for the records before it.
  const skipped = tested && steps[0]?.change.replaces ? 1 : 0;
  const placeOf = (place: number): number =>
    Math.max(0, (places[Math.max(0, place - from)] ?? steps.length) - skipped);
  const recorded = { start, steps };
  const begin = stepOf(recordsAt(recorded, skipped), timeAt(recorded, skipped));
  const shown = [begin, ...steps.slice(skipped)].flatMap(({ change }) => change.deliveries ?? []);
  const requests = trace.requests.filter(
    (one) => owns(one.integration) && (!tested || one.test === test),
  );
  return {
    ...trace,
    start: begin,
    steps: steps.slice(skipped),
    tests: trace.tests
      .filter((one) => (tested ? one === tested : owns(one.integration)))
      .map((one) => ({ ...one, from: placeOf(one.from), until: placeOf(one.until) })),
    requests,
    ...(tested && {
      reports: reportsOn(trace.reports, new Set([...requests, ...shown].map(({ id }) => id))),
    }),
  };
}

/** @param deliveries the ids of own deliveries so far: an attempt names only its delivery */
function ownPart(
  change: Change,
  owns: (owner: string | null) => boolean,
  deliveries: Set<string>,
): Change {
  // What belongs to all integrations belongs to each.
  const acts = (owner: string | null): boolean => owner === null || owns(owner);
  const own = { ...change };
  for (const { id, integration } of change.deliveries ?? [])
    if (owns(integration)) deliveries.add(id);
  const parts = {
    payins: change.payins?.filter((row) => owns(row.integration)),
    payouts: change.payouts?.filter((row) => owns(row.integration)),
    deliveries: change.deliveries?.filter((row) => owns(row.integration)),
    attempts: change.attempts?.filter(({ id }) => deliveries.has(id)),
    webhookConfigurations: change.webhookConfigurations?.filter((row) => owns(row.integration)),
    changedAssumptions: change.changedAssumptions?.filter((row) => acts(row.integration)),
    faults: change.faults?.filter((row) => acts(row.integration)),
    lastFaultOrdinals: change.lastFaultOrdinals?.filter(([owner]) => acts(owner)),
  };
  for (const [name, rows] of Object.entries(parts) as [keyof typeof parts, unknown[]?][]) {
    if (rows === undefined) continue;
    if (rows.length === 0) delete own[name];
    else Object.assign(own, { [name]: rows });
  }
  if (own.replaces && !acts(own.replaces.integration)) delete own.replaces;
  return own;
}

/** The reports with the evidence about some requests and deliveries. A rule that was broken elsewhere was not seen. */
function reportsOn(reports: Trace["reports"], ids: ReadonlySet<string>): Trace["reports"] {
  const findingIn = (language: Language, finding: WireFinding): WireFinding => {
    if (finding.evidence.length === 0) return finding;
    const evidence = finding.evidence.filter(
      ({ request = "", delivery = "" }) => ids.has(request) || ids.has(delivery),
    );
    const { id } = finding;
    if (evidence.length > 0) return { ...finding, evidence };
    const says = translate(ruleOf(id).chance, language);
    return { id, verdict: "not_seen", says, evidence };
  };
  return byLanguage((language) => ({
    ...reports[language],
    rules: reports[language].rules.map((finding) => findingIn(language, finding)),
  }));
}

export function byLanguage<Value>(valueIn: (language: Language) => Value): Record<Language, Value> {
  const entries = LANGUAGE_NAMES.map((name) => [name, valueIn(name)] as const);
  return Object.fromEntries(entries) as Record<Language, Value>;
}
