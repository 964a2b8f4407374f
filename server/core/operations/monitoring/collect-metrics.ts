import { X509Certificate } from "node:crypto";

import { config } from "#server/config.ts";
import { allDovecots } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { listRaisedAlarms } from "#server/core/operations/alarms/alarms.ts";
import { readRound } from "#server/core/operations/alarms/conditions.ts";
import { lastBackups } from "#server/core/operations/backups/backups.ts";
import { readStoredChanges } from "#server/core/operations/backups/stored-changes.ts";
import { listChecks } from "#server/core/operations/system-checks/run-checks.ts";
import {
  flushCounters,
  type Labels,
  listTotals,
} from "#server/core/platform/monitoring/counters.ts";
import {
  listDisks,
  type ListedProcess,
  listProcesses,
} from "#server/core/platform/processes/processes.ts";
import { loadCertificate } from "#server/core/platform/tls/certificate.ts";
import { PromiseCache } from "#server/core/shared/caches.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";
import { DISK_RESERVE_BYTES } from "#server/processes/machine.ts";
import { softwareVersion } from "#server/processes/software-version.ts";

import { databaseFamilies, queueFamilies } from "./database-families.ts";
import { gauge, type MetricFamily, toCountedFamilies } from "./metric-families.ts";

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
export const collectMetrics = (db: Db): Promise<string> =>
  cache.get("metrics", () => collectOnce(db));

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
export const metricsWithoutDatabase = (): Promise<string> =>
  format([collectorState(Object.keys(COLLECTORS).map((name) => [name, false]))]);

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

const MS_PER_SECOND = 1_000;

/** The processes on all hosts: whether they respond, their memory, event loop and disks. */
async function processFamilies(db: Db): Promise<MetricFamily[]> {
  const processes = await listProcesses(db);
  const live = processes.filter(({ isAlive }) => isAlive);
  const each = (read: (process: ListedProcess) => number | null) =>
    live.map((process) => ({ labels: labelsOf(process), value: read(process) }));
  return [
    gauge("posthouse_info", "Version of the Posthouse process that answered this request", [
      { labels: { version: softwareVersion(), node: process.version }, value: 1 },
    ]),
    gauge(
      "posthouse_process_up",
      "1 for a process with a heartbeat in the last 15 seconds; 0 for one that stopped unexpectedly, for an hour or until another takes its role, whichever is later",
      processes.map((process) => ({
        labels: labelsOf(process),
        value: process.isAlive ? 1 : 0,
      })),
    ),
    gauge(
      "posthouse_component_up",
      "Number of processes of each role that respond, and of those whose Dovecot or delivery loop responds",
      countComponents(live),
    ),
    gauge(
      "posthouse_process_start_time_seconds",
      "When a process started, in Unix time",
      each(({ startedAt }) => Date.parse(startedAt) / MS_PER_SECOND),
    ),
    gauge(
      "posthouse_process_resident_memory_bytes",
      "Resident memory of a process",
      each(({ facts }) => facts.rssBytes),
    ),
    gauge(
      "posthouse_process_event_loop_delay_p99_seconds",
      "99th percentile of the event loop delay in the last five seconds",
      each(({ facts }) => facts.loopDelayP99Ms / MS_PER_SECOND),
    ),
    gauge(
      "posthouse_process_event_loop_delay_max_seconds",
      "Largest event loop delay in the last five seconds",
      each(({ facts }) => facts.loopDelayMaxMs / MS_PER_SECOND),
    ),
    ...(await diskFamilies(db)),
  ];
}

async function diskFamilies(db: Db): Promise<MetricFamily[]> {
  const disks = (await listDisks(db)).map(({ host, ...disk }) => ({ labels: { host }, ...disk }));
  return [
    gauge(
      "posthouse_disk_free_bytes",
      "Free space for the data folder",
      disks.map(({ labels, freeBytes }) => ({ labels, value: freeBytes })),
    ),
    gauge(
      "posthouse_disk_size_bytes",
      "Size of the data folder's file system",
      disks.map(({ labels, sizeBytes }) => ({ labels, value: sizeBytes })),
    ),
    gauge(
      "posthouse_disk_reserve_bytes",
      "Free space below which no mail is accepted",
      disks.map(({ labels }) => ({ labels, value: DISK_RESERVE_BYTES })),
    ),
  ];
}

const labelsOf = ({ role, host, pid }: ListedProcess) => ({ role, host, pid: String(pid) });

function countComponents(live: ListedProcess[]) {
  const ofRole = (role: string) => live.filter((process) => process.role === role);
  const serving = (role: string) =>
    ofRole(role).filter(({ facts }) => facts.isServing !== false).length;
  return [
    { labels: { component: "web" }, value: ofRole("web").length },
    { labels: { component: "worker" }, value: ofRole("worker").length },
    { labels: { component: "delivery" }, value: serving("worker") },
    { labels: { component: "mail" }, value: ofRole("mail").length },
    { labels: { component: "dovecot" }, value: serving("mail") },
  ];
}

/** The certificate of this host. */
async function hostFamilies(): Promise<MetricFamily[]> {
  const { hostname } = config();
  const expiresAt = await certificateExpiry().catch(() => null);
  return [
    gauge("posthouse_certificate_expiry_time_seconds", "When a certificate expires, in Unix time", [
      { labels: { name: hostname }, value: expiresAt },
    ]),
  ];
}

async function certificateExpiry(): Promise<number> {
  const { certificate } = await loadCertificate(config(), new Date());
  return new X509Certificate(certificate).validToDate.getTime() / MS_PER_SECOND;
}

/** Mail app sessions by service. Without Dovecot, only `posthouse_dovecot_up`. */
async function dovecotFamilies(db: Db): Promise<MetricFamily[]> {
  const hosts = await Promise.all(
    (await allDovecots(db)).map(async ({ host, dovecot }) => {
      const labels: Labels = host === null ? {} : { host };
      return { labels, sessions: await dovecot.who().catch(() => null) };
    }),
  );
  const up = gauge(
    "posthouse_dovecot_up",
    "Whether Dovecot answers administrative commands",
    hosts.map(({ labels, sessions }) => ({ labels, value: sessions === null ? 0 : 1 })),
  );
  const sessions = hosts.flatMap((host) => host.sessions ?? []);
  if (hosts.every((host) => host.sessions === null)) return [up];
  const services = Map.groupBy(sessions, ({ service }) => service);
  const samples = ["imap", "pop3", "sieve"].map((service) => ({
    labels: { service },
    value: (services.get(service) ?? []).reduce((sum, { connections }) => sum + connections, 0),
  }));
  return [up, gauge("posthouse_dovecot_sessions", "Connections of signed-in mail apps", samples)];
}

const STATES = ["ok", "unknown", "warning", "failed"] as const;

async function backupFamilies(db: Db): Promise<MetricFamily[]> {
  const { last, proved } = await lastBackups(db);
  const changes = await readStoredChanges(config().dataFolder);
  return [
    gauge(
      "posthouse_backup_proved_age_seconds",
      "Age of the last backup that was restored and checked",
      proved?.ageSeconds ?? null,
    ),
    gauge(
      "posthouse_backup_failed",
      "Whether the last backup failed or wasn't verified",
      last ? Number(last.error !== null) : null,
    ),
    gauge(
      "posthouse_backup_restore_point_age_seconds",
      "Age of the newest restore point since a backup",
      changes ? (Date.now() - Date.parse(changes.at)) / MS_PER_SECOND : null,
    ),
    gauge(
      "posthouse_backup_size_bytes",
      "Size of the database and mail in the last backup that was restored and checked",
      proved?.totalBytes ?? null,
    ),
  ];
}

/** The last system checks, raised alarms, the last ledger and the last backups. */
async function findingFamilies(db: Db): Promise<MetricFamily[]> {
  const [checks, alarms, ledger] = await Promise.all([
    listChecks(db),
    listRaisedAlarms(db),
    readRound(db, "ledger"),
  ]);
  return [
    ...(await backupFamilies(db)),
    gauge(
      "posthouse_check_state",
      "Last result of each system check: 1 for its state, 0 for the others",
      checks.flatMap(({ name, state }) =>
        state === null
          ? []
          : STATES.map((each) => ({
              labels: { check: name, state: each },
              value: state === each ? 1 : 0,
            })),
      ),
    ),
    gauge(
      "posthouse_alarms",
      "Raised alarms by severity",
      (["warning", "critical"] as const).map((severity) => ({
        labels: { severity },
        value: alarms.filter((alarm) => alarm.severity === severity).length,
      })),
    ),
    gauge(
      "posthouse_ledger_unaccounted",
      "Recipients without a consistent outcome in the last ledger",
      numberIn(ledger?.result, "unaccounted"),
    ),
    gauge(
      "posthouse_ledger_accepted",
      "Recipients in the last ledger",
      numberIn(ledger?.result, "accepted"),
    ),
    gauge(
      "posthouse_ledger_time_seconds",
      "When the last ledger was computed, in Unix time",
      ledger?.finishedAt ? Date.parse(ledger.finishedAt) / MS_PER_SECOND : null,
    ),
  ];
}

function numberIn(result: Record<string, unknown> | undefined, name: string): number | null {
  const value = result?.[name];
  return typeof value === "number" ? value : null;
}
