import type { Histogram } from "../../core/metrics/histogram.ts";

type Labels = Readonly<Record<string, string>>;

/** One value of a metric. */
export interface Sample {
  readonly value: number;
  readonly labels?: Labels;
  /** Default: the family's name. */
  readonly metricName?: string;
}

/** A metric with all its labels. */
export interface Family {
  /** With the unit at its end: seconds, bytes, or `total` for a count. */
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** Reads the values at each scrape. */
  readonly read: () => readonly Sample[];
}

/** A gauge with one value; undefined while there is none. */
export function gauge(name: string, help: string, read: () => number | undefined): Family {
  const samples = (value: number | undefined): readonly Sample[] =>
    value === undefined ? [] : [{ value }];
  return { name, help, type: "gauge", read: () => samples(read()) };
}

/** One or more histograms that differ in their labels. */
export function histograms(
  name: string,
  help: string,
  read: () => Iterable<{ readonly labels?: Labels; readonly histogram: Histogram }>,
): Family {
  return {
    name,
    help,
    type: "histogram",
    read: () =>
      [...read()].flatMap(({ labels = {}, histogram }) => samplesOf(name, labels, histogram)),
  };
}

function samplesOf(name: string, labels: Labels, histogram: Histogram): readonly Sample[] {
  const { bounds, cumulative, sum } = histogram;
  return [
    ...cumulative.map((value, place) => ({
      metricName: `${name}_bucket`,
      labels: { ...labels, le: String(bounds[place] ?? "+Inf") },
      value,
    })),
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: cumulative.at(-1) ?? 0 },
  ];
}
