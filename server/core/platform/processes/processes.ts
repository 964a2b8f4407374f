import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";

import { and, asc, eq, gt, sql } from "drizzle-orm";

import { processes } from "#drizzle/schema/index.ts";
import { config, type Role } from "#server/config.ts";
import { ownNames } from "#server/core/platform/certificates/certificate-names.ts";
import { count, flushCounters } from "#server/core/platform/monitoring/counters.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";
import { DISK_RESERVE_BYTES, type DiskSpace, diskSpaceAt } from "#server/processes/machine.ts";
import { softwareVersion } from "#server/processes/software-version.ts";

import type { SearchFacts } from "./search-facts.ts";

const RENEWAL_MS = 5_000;
const ALIVE_SECONDS = 15;
const FORGET_EVERY_BEATS = 12;

/** How long killed processes stay listed once others of their role run. */
const REMEMBERED_SECONDS = 3_600;

/** And if none does: forgetting them would clear the alarm about the outage. */
const MISSED_DAYS = 7;

const NS_PER_MS = 1e6;

export type ProcessRole = (typeof processes.$inferInsert)["role"];

/** What a process reports about itself. */
type ProcessFacts = {
  rssBytes: number;
  /**
   * Event loop delay since the last report in milliseconds, 99th percentile; `loopDelayMaxMs` is the maximum.
   */
  loopDelayP99Ms: number;
  loopDelayMaxMs: number;
  node: string;
  /** Space on the data folder's disk. */
  disk: DiskSpace;
  /** Whether free space on the data folder's disk is below the reserve. */
  isDiskLow: boolean;
  /** Whether the mail process's Dovecot responds, or the worker's delivery loops turn. */
  isServing?: boolean | undefined;
  /** Of the mail process. */
  search?: SearchFacts | undefined;
  /** The names of this host that need a certificate. */
  names: string[];
};

let registeredId: string = randomUUID();

/**
 * The ID under which this process is registered; new at every start. What it holds (requests in progress, large bodies,
 * idempotency keys) counts until 15 seconds after its last heartbeat.
 */
export const processId = (): string => registeredId;

/**
 * Registers this process, and every five seconds renews its heartbeat and stores what it has counted for `/metrics`.
 * Never fails; the next heartbeat registers it again, also after a crash of Postgres.
 *
 * @param isServing whether the process's services or loops respond
 * @param search the facts of the mail process
 * @returns a function that deregisters the process
 */
export async function registerProcess(
  db: Db,
  role: ProcessRole,
  isServing?: () => boolean,
  search?: () => SearchFacts,
): Promise<() => Promise<void>> {
  const logger = createLogger(role);
  const id = randomUUID();
  registeredId = id;
  const startedAt = new Date(Date.now() - process.uptime() * 1_000).toISOString();
  // Without a timer of its own, which would wake an idle process 50 times a second.
  const delays = monitorEventLoopDelay({ samplePerIteration: true });
  delays.enable();
  let isFailing = false;
  let forgetInBeats = 0;
  let measured: Awaited<ReturnType<typeof factsOf>> | undefined;
  const beat = async () => {
    try {
      // A data folder that can't be measured must not end what the process holds.
      measured = await factsOf(role, delays).catch((error: unknown) => {
        if (!measured) throw error;
        return measured;
      });
      const facts = { ...measured, isServing: isServing?.(), search: search?.() };
      await write(db, { id, role, startedAt, facts });
      if (forgetInBeats-- === 0) {
        await forgetKilled(db);
        forgetInBeats = FORGET_EVERY_BEATS;
      }
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
      id,
      role,
      startedAt,
      facts,
      aliveUntil,
      host: hostname(),
      pid: process.pid,
      version: softwareVersion(),
    })
    .onConflictDoUpdate({ target: processes.id, set: { aliveUntil, facts } });
}

async function forgetKilled(db: Db): Promise<void> {
  await db.execute(sql`
    delete from processes where id in (
      select id from processes killed
      where alive_until < statement_timestamp() - make_interval(secs => ${REMEMBERED_SECONDS})
        and (alive_until < statement_timestamp() - make_interval(days => ${MISSED_DAYS})
          or exists (select from processes live
            where live.role = killed.role and live.alive_until > statement_timestamp()))
      for update of killed skip locked)`);
}

export type ListedProcess = Omit<typeof processes.$inferSelect, "facts" | "aliveUntil"> & {
  facts: ProcessFacts;
  isAlive: boolean;
  /** Time of the last heartbeat. */
  heardAt: string;
};

/** Lists the running processes, and killed ones: for an hour, or longer if no other process has their role. */
export function listProcesses(db: Db): Promise<ListedProcess[]> {
  return db
    .select({
      id: processes.id,
      role: processes.role,
      host: processes.host,
      pid: processes.pid,
      version: processes.version,
      facts: sql<ProcessFacts>`${processes.facts}`,
      startedAt: processes.startedAt,
      isAlive: sql<boolean>`${processes.aliveUntil} > clock_timestamp()`,
      heardAt: sql<string>`${processes.aliveUntil} - interval '15 seconds'`,
    })
    .from(processes)
    .orderBy(asc(processes.role), asc(processes.startedAt));
}

/** The number of live processes of a role. */
export const countAlive = (db: Db, role: ProcessRole): Promise<number> =>
  db.$count(
    processes,
    and(eq(processes.role, role), gt(processes.aliveUntil, sql`clock_timestamp()`)),
  );

/** A component of the appliance on this host. */
export type UnresponsiveComponent = "web" | "worker" | "mail" | "Dovecot" | "delivery";

/** The component that `isServing` in a process's heartbeat stands for. */
const INNER_COMPONENTS: Partial<Record<Role, UnresponsiveComponent>> = {
  mail: "Dovecot",
  worker: "delivery",
};

/**
 * Lists the components of these roles on this host that don't respond: processes without a heartbeat for 15
 * s, Dovecot if the mail process can't reach it, and delivery if a loop of the worker hangs.
 */
export async function findUnresponsiveComponents(
  db: Db,
  roles: ReadonlySet<Role>,
): Promise<UnresponsiveComponent[]> {
  const rows = await db.execute<{ role: Role; isServing: boolean }>(sql`
    select role, bool_or(coalesce((facts ->> 'isServing')::boolean, true)) as "isServing"
    from processes where host = ${hostname()} and alive_until > clock_timestamp()
    group by role`);
  const alive = new Map(rows.map(({ role, isServing }) => [role, isServing]));
  return [...roles].flatMap((role): UnresponsiveComponent[] => {
    if (!alive.has(role)) return [role];
    const inner = INNER_COMPONENTS[role];
    return inner && !alive.get(role) ? [inner] : [];
  });
}

/** Lists the disks of the data folders, one for each host with a live process. */
export async function listDisks(db: Db): Promise<({ host: string } & DiskSpace)[]> {
  const rows = await db.execute<{ host: string; disk: DiskSpace }>(sql`
    select distinct on (host) host, facts -> 'disk' as disk from processes
    where alive_until > statement_timestamp()
    order by host, alive_until desc`);
  return rows.map(({ host, disk }) => ({ host, ...disk }));
}
