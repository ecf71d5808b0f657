import { receiveWebhooks, sendCall } from "../../src/cli/fidelity/http-target.ts";
import { withModel } from "../../src/cli/fidelity/model-sandbox.ts";
import type { Verdict } from "../../src/fidelity/own-verdicts.ts";
import { newObserved, type Observed, runExperiments } from "../../src/fidelity/runner.ts";
import { judge } from "../../src/fidelity/verdicts.ts";
import { startVariant, type Variant } from "../variants/start-variant.ts";

export interface Probed {
  readonly verdicts: readonly Verdict[];
  readonly observed: Observed;
  readonly seconds: number;
}

/** Probes a hidden gateway with a clock that is as fast as the gateway's. */
export async function probeVariant(
  { url, credential: { api_key: token, merchant_id: providerId } }: Variant,
  { speed = 1, hasReceiver = false }: { speed?: number; hasReceiver?: boolean } = {},
): Promise<Probed> {
  const startMs = Date.now();
  const nowMs = (): number => startMs + (performance.now() - startedMs) * speed;
  const startedMs = performance.now();
  const observed = newObserved(url);
  await using receiver = await receiveWebhooks(0, observed, nowMs);
  await runExperiments(
    {
      baseUrl: url,
      headers: {
        "x-api-token": token,
        "x-provider-id": providerId,
        "x-provider": "Shop",
        "x-country-code": "BR",
      },
      perSecond: 5,
      publicUrl: hasReceiver ? `http://127.0.0.1:${receiver.port}` : undefined,
      send: sendCall,
      nowMs,
      pause: (ms) => new Promise((resolve) => void setTimeout(resolve, Math.max(0, ms / speed))),
      signal: new AbortController().signal,
      store: async () => undefined,
    },
    observed,
  );
  const seconds = (nowMs() - startMs) / 1000;
  const callers = [{ apiKey: "own", merchantId: providerId }];
  const verdicts = await withModel({ callers }, (model) => judge(observed, model));
  return { verdicts, observed, seconds };
}

/** What a probe got wrong of a hidden gateway. */
export function mistakes({ verdicts }: Probed, variant: Variant, hasReceiver: boolean) {
  const { touched, deviations } = variant;
  const shown = deviations.filter(
    ({ id, touchedBy }) => touched.has(id) && (!/\bwebhook\b/.test(touchedBy) || hasReceiver),
  );
  const choices: Readonly<Record<string, string>> = variant.choices;
  const needsReceiver = (name: string): boolean => /^webhook\.|^payin.expiry_event$/.test(name);
  const isObservable = (name: string): boolean =>
    name in choices &&
    !shown.some(({ rows }) => rows.some((row) => row === name)) &&
    !(name in variant.unobservable) &&
    (hasReceiver || !needsReceiver(name));
  const contradicted = verdicts
    .filter(({ verdict }) => verdict === "contradicted")
    .map(({ name }) => name);
  const wrong = verdicts.filter(
    ({ name, verdict, choice }) => verdict === "observed" && String(choice) !== choices[name],
  );
  const missed = verdicts.filter(
    ({ name, verdict }) => isObservable(name) && verdict !== "observed",
  );
  const unreported = shown.filter((one) =>
    one.rows.length === 0
      ? contradicted.length === 0
      : !contradicted.some((name) => one.rows.some((row) => row === name)),
  );
  const unfounded = contradicted.filter(
    (name) =>
      (name !== "specification" || shown.length === 0) &&
      !shown.some(({ rows: of }) => of.length === 0 || of.some((row) => row === name)),
  );
  const observable = verdicts.filter(({ name }) => isObservable(name));
  return { wrong, missed, unreported, unfounded, observable };
}

/** The sums over many hidden gateways. */
export interface Tally {
  readonly observable: number;
  readonly missed: number;
  /** What must not happen: wrong claims, deviations that were not reported, and contradictions without one. */
  readonly mistakes: readonly string[];
  readonly mostCalls: number;
  /** The seeds whose plan took longer than it may: 60 s, or 3 minutes with webhooks. */
  readonly slow: readonly number[];
}

/** Probes the hidden gateways of some seeds, several at once: they mostly wait. */
export async function probeSeeds(
  seeds: readonly number[],
  { jobs, ...settings }: { jobs: number; speed: number; hasReceiver: boolean },
): Promise<Tally> {
  const found: { seed: number; probed: Probed; seen: ReturnType<typeof mistakes> }[] = [];
  const queue = seeds[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const seed of queue) {
      await using variant = await startVariant(seed, { speed: settings.speed });
      const probed = await probeVariant(variant, settings);
      found.push({ seed, probed, seen: mistakes(probed, variant, settings.hasReceiver) });
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return {
    observable: found.reduce((sum, { seen }) => sum + seen.observable.length, 0),
    missed: found.reduce((sum, { seen }) => sum + seen.missed.length, 0),
    mistakes: found.flatMap(({ seed, seen: { wrong, unreported, unfounded } }) => [
      ...wrong.map(({ name, choice }) => `${seed}: ${name} is not ${choice}`),
      ...unreported.map(({ id }) => `${seed}: ${id} is not reported`),
      ...unfounded.map((name) => `${seed}: nothing contradicts ${name}`),
    ]),
    mostCalls: Math.max(...found.map(({ probed }) => probed.observed.calls)),
    slow: found
      .filter(({ probed }) => probed.seconds > (settings.hasReceiver ? 180 : 60))
      .map(({ seed }) => seed),
  };
}
