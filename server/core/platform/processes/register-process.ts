import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";

import { eq, sql } from "drizzle-orm";

import { processes } from "#drizzle/schema/index.ts";
import { ownNames } from "#server/core/platform/certificates/certificate-names.ts";
import { config } from "#server/config.ts";
import type { Db } from "#server/db/client.ts";
import { knownSchema } from "#server/db/known-schema.ts";
import { DISK_RESERVE_BYTES, type DiskSpace, diskSpaceAt } from "#server/processes/disk-reserve.ts";
import { createLogger } from "#server/processes/logger.ts";
import { softwareVersion } from "#server/processes/software-version.ts";
import { count, flushCounters } from "#server/core/platform/monitoring/counters.ts";

const RENEWAL_MS = 5_000;
const ALIVE_SECONDS = 15;
/** How long killed processes stay listed once others of their role run. */
const REMEMBERED_SECONDS = 3_600;
/** And if none does: forgetting them would clear the alarm about the outage. */
const MISSED_DAYS = 7;
const NS_PER_MS = 1e6;

export type ProcessRole = (typeof processes.$inferInsert)["role"];

/** What a process reports about itself. */
export type ProcessFacts = {
  rssBytes: number;
  /**
   * Event loop delay since the last report in milliseconds, 99th percentile; `loopDelayMaxMs` is the maximum.
   */
  loopDelayP99Ms: number;
  loopDelayMaxMs: number;
  node: string;
  /** See `knownSchema`. Earlier versions don't report it. */
  schema?: number;
  /** Space on the data folder's disk. Earlier versions don't report it. */
  disk?: DiskSpace;
  /** Whether free space on the data folder's disk is below the reserve. */
  isDiskLow: boolean;
  /** Whether the mail process's Dovecot responds, or the worker's delivery loops turn. */
  isServing?: boolean | undefined;
  /** The names of this host that need a certificate. */
  names: string[];
};

/**
 * Registers this process, and every five seconds renews its heartbeat and stores what it has counted for `/metrics`.
 * Never fails: the data is for monitoring only.
 *
 * @param isServing whether the process's services or loops respond
 * @returns a function that deregisters the process
 */
export async function registerProcess(
  db: Db,
  role: ProcessRole,
  isServing?: () => boolean,
): Promise<() => Promise<void>> {
  const logger = createLogger(role);
  const id = randomUUID();
  const startedAt = new Date(Date.now() - process.uptime() * 1_000).toISOString();
  const delays = monitorEventLoopDelay({ resolution: 20 });
  delays.enable();
  let isFailing = false;
  const beat = async () => {
    try {
      await write(db, {
        id,
        role,
        startedAt,
        facts: { ...(await factsOf(role, delays)), isServing: isServing?.() },
      });
      isFailing = false;
    } catch (err) {
      if (!isFailing) logger.warn({ err }, "failed to renew this process's heartbeat");
      isFailing = true;
    }
    delays.reset();
    await flushCounters(db);
  };
  count("posthouse_process_starts_total", { role });
  await beat();
  const renewal = setInterval(() => void beat(), RENEWAL_MS).unref();
  return async () => {
    clearInterval(renewal);
    delays.disable();
    await flushCounters(db);
    await db
      .delete(processes)
      .where(eq(processes.id, id))
      .catch((err: unknown) => logger.warn({ err }, "failed to deregister this process"));
  };
}

async function factsOf(
  role: ProcessRole,
  delays: ReturnType<typeof monitorEventLoopDelay>,
): Promise<ProcessFacts> {
  const inMs = (nanoseconds: number) =>
    Number.isFinite(nanoseconds) ? Math.round(nanoseconds / NS_PER_MS) : 0;
  const disk = await diskSpaceAt(config().dataFolder);
  return {
    disk,
    rssBytes: process.memoryUsage.rss(),
    loopDelayP99Ms: inMs(delays.percentile(99)),
    loopDelayMaxMs: inMs(delays.max),
    node: process.version,
    schema: knownSchema(),
    names: role !== "worker" && config().acme ? ownNames(config()) : [],
    isDiskLow: disk.freeBytes < DISK_RESERVE_BYTES,
  };
}

type Beat = { id: string; role: ProcessRole; startedAt: string; facts: ProcessFacts };

async function write(db: Db, { id, role, startedAt, facts }: Beat): Promise<void> {
  const aliveUntil = sql`clock_timestamp() + make_interval(secs => ${ALIVE_SECONDS})`;
  await db
    .insert(processes)
    .values({
      ...{ id, role, startedAt, facts, aliveUntil },
      ...{ host: hostname(), pid: process.pid, version: softwareVersion() },
    })
    .onConflictDoUpdate({ target: processes.id, set: { aliveUntil, facts } });
  await db.execute(sql`
    delete from processes where id in (
      select id from processes killed
      where alive_until < statement_timestamp() - make_interval(secs => ${REMEMBERED_SECONDS})
        and (alive_until < statement_timestamp() - make_interval(days => ${MISSED_DAYS})
          or exists (select from processes live
            where live.role = killed.role and live.alive_until > statement_timestamp()))
      for update of killed skip locked)`);
}
