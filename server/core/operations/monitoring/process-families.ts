import {
  listProcesses,
  type ListedProcess,
} from "#server/core/platform/processes/list-processes.ts";
import { listDisks } from "#server/core/platform/processes/list-disks.ts";
import { softwareVersion } from "#server/processes/software-version.ts";
import type { Db } from "#server/db/client.ts";
import { DISK_RESERVE_BYTES } from "#server/processes/disk-reserve.ts";

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
