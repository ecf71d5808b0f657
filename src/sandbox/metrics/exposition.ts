import type { Metric } from "prom-client";
import Registry from "prom-client/lib/registry.js";
import { measureEventLoopLag } from "../../platform/event-loop-lag.ts";
import { familiesOf } from "./families.ts";
import type { Family } from "./family.ts";
import type { Metrics, MetricSources } from "./metrics.ts";
import { processFamilies } from "./process-families.ts";

/** Writes metrics in the Prometheus text format. Each sandbox has a registry of its own. */
export function createExposition(sources: MetricSources): Metrics {
  const lag = measureEventLoopLag();
  const registry = new Registry();
  for (const family of [...familiesOf(sources), ...processFamilies(lag)])
    registry.registerMetric(toMetric(family));
  return { scrape: () => registry.metrics(), close: () => lag?.stop() };
}

/** The shape that the registry reads. Its types know only the library's own classes. */
function toMetric({ name, help, type, read }: Family): Metric {
  const metric = {
    name,
    help,
    type,
    get: () => ({ name, help, type, values: read(), aggregator: "sum" }),
  };
  return metric as unknown as Metric;
}
