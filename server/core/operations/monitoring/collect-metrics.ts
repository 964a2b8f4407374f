import { PromiseCache } from "#server/core/shared/caches.ts";
import { flushCounters, listTotals } from "#server/core/platform/monitoring/counters.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

import { databaseFamilies, queueFamilies } from "./database-families.ts";
import { gauge, type MetricFamily, toCountedFamilies } from "./metric-families.ts";
import {
  dovecotFamilies,
  findingFamilies,
  hostFamilies,
  processFamilies,
} from "./host-families.ts";

// Several scrapers cost no more than one.
const CACHE_TTL_MS = 4_000;
/** A collection that takes longer counts as hung, for example on a lost connection. */
const COLLECT_MS_MAX = 60_000;

const logger = createLogger("metrics");
const cache = new PromiseCache<string>({ max: 1, ttlMs: CACHE_TTL_MS });

const COLLECTORS = {
  counted: async (db: Db) => {
    await flushCounters(db);
    return toCountedFamilies(await listTotals(db));
  },
  queue: queueFamilies,
  processes: processFamilies,
  database: databaseFamilies,
  host: hostFamilies,
  dovecot: dovecotFamilies,
  findings: findingFamilies,
} satisfies Record<string, (db: Db) => Promise<MetricFamily[]>>;

/**
 * The metrics of the whole appliance in the text format of Prometheus: what all processes have counted, and the
 * state of queues, processes, Postgres, Dovecot and this host. Cached for four seconds.
 *
 * A part that can't be read is left out, and `posthouse_collector_up` says so.
 */
export function collectMetrics(db: Db): Promise<string> {
  return cache.get("metrics", () => collectOnce(db));
}

type Collection = { startedAt: number; text: Promise<string> };
let running: Collection | null = null;

/** Joins a collection that takes longer than the cache keeps it: more of them would slow down the database further. */
function collectOnce(db: Db): Promise<string> {
  const now = performance.now();
  if (running && now - running.startedAt < COLLECT_MS_MAX) return running.text;
  const started: Collection = {
    startedAt: now,
    text: collect(db).finally(() => {
      if (running === started) running = null;
    }),
  };
  running = started;
  return started.text;
}

/** Only the metric that reports that nothing else could be read. */
export function metricsWithoutDatabase(): Promise<string> {
  return format([collectorState(Object.keys(COLLECTORS).map((name) => [name, false]))]);
}

async function collect(db: Db): Promise<string> {
  const parts = await Promise.all(
    Object.entries(COLLECTORS).map(async ([name, collector]) => {
      try {
        return { name, families: await collector(db), isUp: true };
      } catch (err) {
        logger.warn({ err, collector: name }, "failed to collect metrics");
        return { name, families: [], isUp: false };
      }
    }),
  );
  return format([
    ...parts.flatMap(({ families }) => families),
    collectorState(parts.map(({ name, isUp }) => [name, isUp])),
  ]);
}

const collectorState = (states: [name: string, isUp: boolean][]) =>
  gauge(
    "posthouse_collector_up",
    "Whether a group of these metrics could be read",
    states.map(([collector, isUp]) => ({ labels: { collector }, value: isUp ? 1 : 0 })),
  );

/** Loaded at the first scrape: the package takes 20 MB of memory, which most installations can save. */
async function format(families: MetricFamily[]): Promise<string> {
  const { AggregatorRegistry } = await import("prom-client");
  const metrics = families.map(({ samples, ...family }) => ({
    ...family,
    aggregator: "sum",
    values: samples.map(({ name, ...sample }) => ({ ...sample, metricName: name ?? family.name })),
  }));
  return AggregatorRegistry.aggregate([metrics]).metrics();
}
