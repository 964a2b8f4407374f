import { createHash } from "node:crypto";

import { sql } from "drizzle-orm";
import type postgres from "postgres";

import type { Db } from "./client.ts";

/**
 * Every advisory lock, by name. One with a `per` exists once for each key: a company's id, for example.
 * Postgres keeps the locks of each database apart.
 */
export const ADVISORY_LOCKS = {
  /** Migrations. Never change the number: an old and a new version may start at once. */
  migration: { number: 7_067_839_311 },
  /** Creation of Dovecot's database role. Never change the number, for the same reason. */
  dovecotRole: { number: 7_067_839_312 },
  /** Held while Dovecot accepts sign-ins that Postgres can't store because its disk is full. */
  uncountedSignIns: {},
  /** First-run setup, so that concurrent setups create one company. */
  setUp: {},
  /** Creation of the appliance's own company, domain and DKIM key. */
  platformCompany: {},
  /** Creation of the sandbox by processes that start at once. */
  sandbox: {},
  /** Mail hosts that enter the database and take over mailboxes. */
  mailHosts: {},
  /** Leasing of mail imports, so that each worker counts those of the others. */
  mailImports: {},
  /** Changes to run-time settings, so that each audit entry has the correct previous value. */
  settings: {},
  /** Raising and clearing of alarms, so that operators are notified of each change once. */
  alarms: {},
  /** Counting of large request bodies in progress. */
  largeBodies: {},
  /** Sealing and retention of a company's audit log. */
  auditSeals: { per: "company" },
  /** Changes to the admins and roles of a company. */
  team: { per: "company" },
  /** Changes to a company's unit tree. */
  units: { per: "company" },
  /** Changes that can end access to a company's shared mailboxes, so that each sees what the others end. */
  sharedMailboxes: { per: "company" },
  /** Additions of domains to a company, whose limits are counted under this lock. */
  companyDomains: { per: "company" },
  /** Decisions about who has a domain name. */
  domainName: { per: "name" },
  /** Metrics queries through the API: one at a time per company. */
  apiMetrics: { per: "company" },
  /** Metrics queries of the console, whose auto-refreshing pages must not block API callers. */
  consoleMetrics: { per: "company" },
  /** Slots that limit the metrics queries of all companies: each occupies a connection for seconds. */
  metricsSlot: { per: "slot" },
  /** Distribution, moderation and return of a group post. */
  groupPost: { per: "distribution" },
  /** Requests to confirm forwarding, whose limits are counted under this lock. */
  forwardRequests: {},
  /** Recording of failures to forward from a mailbox to an address, so that each one counts. */
  forwardFailures: { per: "mailbox and target" },
  /** Notices about group members that keep failing. */
  failingMembers: { per: "company" },
  /** Notices about mailboxes that are full. */
  fullMailboxes: { per: "company" },
  /** Orders of certificates, across all workers. */
  certificateOrders: {},
  /** Copying the template database, in tests only. */
  testTemplate: {},
} as const satisfies Record<string, { number?: number; per?: string }>;

type Locks = typeof ADVISORY_LOCKS;
type LockName = keyof Locks;
type KeyedLock = {
  [Name in LockName]: Locks[Name] extends { per: string } ? Name : never;
}[LockName];
/** A lock's name, and its key if there is one lock per key. */
type Lock = [name: Exclude<LockName, KeyedLock>] | [name: KeyedLock, key: string];

/** Waits for the lock and holds it until the transaction ends. */
export async function lock(tx: Db, ...[name, key]: Lock): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${lockNumber(name, key)}::bigint)`);
}

/** Takes the lock until the transaction ends, unless someone else holds it. Returns whether it did. */
export async function tryLock(tx: Db, ...[name, key]: Lock): Promise<boolean> {
  const [row] = await tx.execute<{ isLocked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${lockNumber(name, key)}::bigint) as "isLocked"`,
  );
  return row!.isLocked;
}

/** Like `lock`, for a transaction of the driver. */
export async function lockTransaction(
  tx: postgres.TransactionSql,
  ...[name, key]: Lock
): Promise<void> {
  await tx`select pg_advisory_xact_lock(${lockNumber(name, key)}::bigint)`;
}

/** Waits for the lock and holds it until the connection ends. */
export async function lockConnection(
  connection: postgres.Sql,
  ...[name, key]: Lock
): Promise<void> {
  requireLasting(connection);
  await connection`select pg_advisory_lock(${lockNumber(name, key)}::bigint)`;
}

/** Takes the lock until the connection ends, unless someone else holds it. Returns whether it did. */
export async function tryLockConnection(
  connection: postgres.Sql,
  ...[name, key]: Lock
): Promise<boolean> {
  requireLasting(connection);
  const [row] = await connection<[{ locked: boolean }]>`
    select pg_try_advisory_lock(${lockNumber(name, key)}::bigint) as locked`;
  return row.locked;
}

function requireLasting({ options }: postgres.Sql): void {
  if (options.max !== 1) throw new Error("Lock a single connection, not a pool");
  // The driver closes a connection at these times, which would release the lock.
  if (options.idle_timeout || options.max_lifetime)
    throw new Error("Lock a connection that the driver never closes");
}

/** A 64-bit number as text: the lock's own, or a hash of its name and key. */
export function lockNumber(name: LockName, key = ""): string {
  const known: { number?: number; per?: string } = ADVISORY_LOCKS[name];
  if (known.number !== undefined) return String(known.number);
  return createHash("sha256").update(`${name} ${key}`).digest().readBigInt64BE().toString();
}
