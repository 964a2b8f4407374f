import {
  COUNTED,
  type CountedName,
  type Labels,
} from "#server/core/platform/monitoring/counters.ts";

/** One value of a metric. `name` differs from the family's for the parts of a histogram. */
type Sample = { labels: Labels; value: number; name?: string };

/** A metric with all its values, in the form that prom-client formats. */
export type MetricFamily = {
  name: string;
  help: string;
  type: "gauge" | "counter" | "histogram";
  samples: Sample[];
};

type KnownOrNot = { labels?: Labels; value: number | null };

/** A gauge. Values that aren't known are left out. */
export function gauge(
  name: `posthouse_${string}`,
  help: string,
  samples: KnownOrNot[] | number | null,
): MetricFamily {
  const all: KnownOrNot[] = Array.isArray(samples) ? samples : [{ value: samples }];
  return {
    name,
    help,
    type: "gauge",
    samples: all.flatMap(({ labels = {}, value }) => (value === null ? [] : [{ labels, value }])),
  };
}

/** Like `gauge`, for a number that only increases. */
export const counter = (...args: Parameters<typeof gauge>): MetricFamily => ({
  ...gauge(...args),
  type: "counter",
});

type Total = { name: string; labels: Labels; value: number };

/** The metrics that processes count, from their totals. */
export function toCountedFamilies(totals: Total[]): MetricFamily[] {
  return (Object.keys(COUNTED) as CountedName[]).map((name) => {
    const counted = COUNTED[name];
    const samples =
      counted.kind === "counter"
        ? totals
            .filter((total) => total.name === name)
            .map(({ labels, value }) => ({ labels, value }))
        : histogramSamples(name, counted.buckets, totals);
    return { name, help: counted.help, type: counted.kind, samples };
  });
}

/** Cumulates the buckets of each series, and adds those that are still empty. */
function histogramSamples(name: string, bounds: readonly number[], totals: Total[]): Sample[] {
  return totals
    .filter((total) => total.name === `${name}_sum`)
    .flatMap(({ labels, value: sum }) => {
      const key = seriesKey(labels);
      const counts = new Map(
        totals
          .filter((total) => total.name === `${name}_bucket` && seriesKey(total.labels) === key)
          .map((total) => [total.labels.le, total.value]),
      );
      let seen = 0;
      const buckets = [...bounds.map(String), "+Inf"].map((le) => {
        seen += counts.get(le) ?? 0;
        return { name: `${name}_bucket`, labels: { ...labels, le }, value: seen };
      });
      return [
        ...buckets,
        { name: `${name}_sum`, labels, value: sum },
        { name: `${name}_count`, labels, value: seen },
      ];
    });
}

const seriesKey = (labels: Labels) =>
  JSON.stringify(
    Object.entries(labels)
      .filter(([label]) => label !== "le")
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
