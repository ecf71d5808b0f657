/** A metric of a scrape, with its samples. */
export interface ScrapedFamily {
  readonly type: string;
  readonly help: string;
  readonly samples: readonly ScrapedSample[];
}

export interface ScrapedSample {
  /** With the suffix of a histogram's samples. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const SAMPLE = new RegExp(`^(${NAME})(?:\\{([^]*)\\})? (\\S+)$`);
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/;
const NUMBER = /^(?:[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN)$/;
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: [""],
  gauge: [""],
  histogram: ["_bucket", "_sum", "_count"],
};

/**
 * Reads the Prometheus text format, version 0.0.4, more strictly than Prometheus does: each metric has one HELP, one
 * TYPE and then all its samples, no series is repeated, and each histogram adds up.
 * @throws Error for a line that does not fit
 */
export function parseMetrics(text: string): ReadonlyMap<string, ScrapedFamily> {
  if (!text.endsWith("\n")) throw new Error("The last line does not end.");
  const families = new Map<string, ScrapedFamily & { samples: ScrapedSample[] }>();
  const series = new Set<string>();
  let help: RegExpExecArray | undefined;
  let current: string | undefined;
  for (const line of text.slice(0, -1).split("\n")) {
    if (line === "") continue;
    const fail = (reason: string): Error => new Error(`${reason}: ${line}`);
    if (line.startsWith("# HELP ")) {
      help = new RegExp(`^# HELP (${NAME}) (.+)$`).exec(line) ?? undefined;
      if (!help || families.has(help[1] ?? "")) throw fail("No first help");
    } else if (line.startsWith("#")) {
      const [, name = "", type = ""] = new RegExp(`^# TYPE (${NAME}) (\\w+)$`).exec(line) ?? [];
      if (name === "" || name !== help?.[1] || !SUFFIXES[type]) throw fail("No type after help");
      families.set(name, { type, help: help[2] ?? "", samples: [] });
      current = name;
    } else {
      const [, name = "", labels = "", value = ""] = SAMPLE.exec(line) ?? [];
      const family = families.get(current ?? "");
      const allowed = SUFFIXES[family?.type ?? ""]?.map((suffix) => `${current}${suffix}`);
      if (!family || !allowed?.includes(name)) throw fail("Not a sample of the metric");
      if (!NUMBER.test(value)) throw fail("Not a number");
      const sample = { name, labels: readLabels(labels), value: toNumber(value) };
      const key = keyOf(sample);
      if (series.has(key)) throw fail("Repeated");
      series.add(key);
      family.samples.push(sample);
    }
  }
  for (const [name, { type, samples }] of families)
    if (type === "histogram") checkHistogram(name, samples);
  return families;
}

/** The value of the one sample with these labels, in any order. */
export function valueOf(
  families: ReadonlyMap<string, ScrapedFamily>,
  name: string,
  labels: ScrapedSample["labels"] = {},
): number | undefined {
  const wanted = keyOf({ name, labels });
  for (const { samples } of families.values())
    for (const sample of samples) if (keyOf(sample) === wanted) return sample.value;
  return undefined;
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  let rest = text;
  while (rest !== "") {
    const match = LABEL.exec(rest);
    const [whole = "", name = "", value = ""] = match ?? [];
    if (!match || Object.hasOwn(labels, name)) throw new Error(`Not labels: ${text}`);
    labels[name] = value.replaceAll(/\\(.)/g, (_, letter: string) =>
      letter === "n" ? "\n" : letter,
    );
    rest = rest.slice(whole.length);
  }
  return labels;
}

function toNumber(text: string): number {
  return text.endsWith("Inf") ? Number(`${text.slice(0, -3)}Infinity`) : Number(text);
}

function keyOf({ name, labels }: Pick<ScrapedSample, "name" | "labels">): string {
  return `${name} ${JSON.stringify(Object.entries(labels).toSorted())}`;
}

function checkHistogram(name: string, samples: readonly ScrapedSample[]): void {
  const groups = new Map<
    string,
    { readonly buckets: [le: number, count: number][]; count?: number }
  >();
  for (const sample of samples) {
    const { le, ...labels } = sample.labels;
    const key = keyOf({ name, labels });
    const group = groups.get(key) ?? { buckets: [] };
    groups.set(key, group);
    if (sample.name === `${name}_bucket`) group.buckets.push([toNumber(le ?? "NaN"), sample.value]);
    if (sample.name === `${name}_count`) group.count = sample.value;
  }
  for (const [key, { buckets, count }] of groups) {
    const isAscending = buckets.every(([le, value], index) => {
      const [leBefore, before] = buckets[index - 1] ?? [Number.NEGATIVE_INFINITY, 0];
      return le > leBefore && value >= before;
    });
    const [last, all] = buckets.at(-1) ?? [];
    if (!isAscending || last !== Number.POSITIVE_INFINITY || all !== count)
      throw new Error(`The histogram does not add up: ${key}`);
  }
}
