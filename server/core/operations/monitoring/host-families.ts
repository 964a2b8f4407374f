import { X509Certificate } from "node:crypto";

import { config } from "#server/config.ts";
import { allDovecots } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { listRaisedAlarms } from "#server/core/operations/alarms/alarms.ts";
import { readRound } from "#server/core/operations/alarms/conditions.ts";
import { lastBackups } from "#server/core/operations/backups/backups.ts";
import { readStoredChanges } from "#server/core/operations/backups/stored-changes.ts";
import { listChecks } from "#server/core/operations/system-checks/run-checks.ts";
import type { Labels } from "#server/core/platform/monitoring/counters.ts";
import {
  listDisks,
  type ListedProcess,
  listProcesses,
} from "#server/core/platform/processes/processes.ts";
import { loadCertificate } from "#server/core/platform/tls/certificate.ts";
import type { Db } from "#server/db/client.ts";
import { DISK_RESERVE_BYTES } from "#server/processes/machine.ts";
import { softwareVersion } from "#server/processes/software-version.ts";

import { gauge, type MetricFamily } from "./metric-families.ts";

const MS_PER_SECOND = 1_000;

/** The processes on all hosts: whether they respond, their memory, event loop and disks. */
export async function processFamilies(db: Db): Promise<MetricFamily[]> {
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
export async function hostFamilies(): Promise<MetricFamily[]> {
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
export async function dovecotFamilies(db: Db): Promise<MetricFamily[]> {
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
    gauge("posthouse_backup_size_bytes", "Database and mail in it", proved?.totalBytes ?? null),
  ];
}

/** The last system checks, raised alarms, the last ledger and the last backups. */
export async function findingFamilies(db: Db): Promise<MetricFamily[]> {
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
