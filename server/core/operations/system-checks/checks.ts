import { sql } from "drizzle-orm";

import type { Config } from "#server/config.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";
import type { Resolver } from "#server/gateways/dns.ts";

import { failed, type Finding, combineFindings, ok, unknown } from "./finding.ts";
import { checkAuditLog } from "./check-audit-log.ts";
import { checkBackup } from "./check-backup.ts";
import { checkClock } from "./check-clock.ts";
import { checkBlocklists } from "./check-blocklists.ts";
import { checkBlocks, checkLimits, checkRestoredMail } from "./check-delivery.ts";
import { checkClientAddresses } from "./check-client-addresses.ts";
import { checkDns } from "./check-dns.ts";
import { checkDnssec } from "./check-dnssec.ts";
import { checkKeys } from "./check-keys.ts";
import { checkCertificates } from "./check-certificates.ts";
import { checkDisk } from "./check-machine.ts";
import { checkMemory } from "./check-memory.ts";
import { checkNoticeDelivery, checkNotices } from "./check-notices.ts";
import { checkInboundPort } from "./check-inbound-port.ts";
import { checkOutboundNames } from "./check-outbound-names.ts";
import { checkOutboundPort } from "./check-outbound-port.ts";
import { checkMail, checkMailHosts, checkWorker } from "./check-processes.ts";
import { checkReverseDns } from "./check-reverse-dns.ts";
import { checkSigningKey } from "./check-signing-key.ts";
import { checkSpamFilter } from "./check-spam-filter.ts";

const PART = "Postgres";

type Facts = { version: string; fsync: string; commits: string; mb: number };

export type CheckContext = { db: Db; config: Config; resolver: Resolver };

type Check = (around: CheckContext) => Promise<Finding>;

/** All checks, in the order they are shown. They are read-only. */
const CHECKS = {
  port_out: ({ config, resolver }) => checkOutboundPort(config, resolver),
  port_in: async ({ config, resolver }) =>
    config.roles.has("mail") ? checkInboundPort(config, resolver) : onMailHosts("port 25 in"),
  reverse_dns: ({ config, resolver }) => checkReverseDns(config, resolver),
  certificate: async ({ db, config }) =>
    combineFindings("certificate", await checkCertificates(db, config, new Date())),
  blocklists: ({ config, resolver }) => checkBlocklists(config, resolver),
  dns: async ({ db, config, resolver }) =>
    combineFindings("DNS", [
      await checkDns(config, resolver, await blocklists(db)),
      await checkDnssec(config),
      await checkSigningKey(config, resolver),
    ]),
  notices: async ({ db, config, resolver }) =>
    combineFindings("notices", [
      ...(await checkNotices(db, config, resolver)),
      await checkNoticeDelivery(db),
    ]),
  mail: ({ db, config }) => checkMailParts(db, config),
  delivery: async ({ db, config }) =>
    combineFindings("delivery", [
      await checkWorker(db),
      await checkBlocks(db),
      await checkLimits(db),
      await checkRestoredMail(db),
      await checkOutboundNames(db, config),
    ]),
  client_addresses: ({ db }) => checkClientAddresses(db),
  spam: ({ db, config }) => checkSpamFilter(db, config),
  database: ({ db }) => checkDatabase(db),
  keys: ({ db }) => checkKeys(db),
  audit: ({ db }) => checkAuditLog(db),
  backup: ({ db, config }) => checkBackup(db, config),
  disk: ({ config }) => checkDisk(config),
  memory: () => Promise.resolve(checkMemory()),
  clock: ({ db, resolver }) => checkClock(db, resolver),
} satisfies Record<string, Check>;

export type CheckName = keyof typeof CHECKS;

// Object.keys returns string[]; CHECKS has exactly these keys.
export const CHECK_NAMES = Object.keys(CHECKS) as [CheckName, ...CheckName[]];

// Longer than the timeout of any probe.
const CHECK_TIMEOUT_MS = 25_000;

/** Runs a check for at most 25 seconds. Never throws: an error becomes an `unknown` finding. */
export async function runCheck(name: CheckName, around: CheckContext): Promise<Finding> {
  const check: Check = CHECKS[name];
  const over = Promise.withResolvers<Finding>();
  const timer = setTimeout(
    () => over.resolve(unknown(name, "The check timed out", "Run the check again later")),
    CHECK_TIMEOUT_MS,
  );
  try {
    return await Promise.race([check(around), over.promise]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return unknown(name, `Couldn't run the check: ${reason}`, "Run the check again later");
  } finally {
    clearTimeout(timer);
  }
}

/** The DNS blocklists that senders are looked up on. */
export async function blocklists(db: Db): Promise<string[]> {
  const { dnsbl_zones: zones } = await readSettings(db);
  return zones === "none" ? [] : zones.split(",");
}

const onMailHosts = (part: string): Finding =>
  unknown(
    part,
    "This machine doesn't have the mail role (POSTHOUSE_ROLES)",
    "Run `posthouse doctor` on the machines that have it",
  );

async function checkMailParts(db: Db, config: Config): Promise<Finding> {
  const here = config.roles.has("mail") ? await checkMail(config) : [];
  return combineFindings("mail", [...here, ...(await checkMailHosts(db, config))]);
}

/** Checks that Postgres responds and that commits are durable. */
async function checkDatabase(db: Db): Promise<Finding> {
  const [row] = await db.execute<Facts>(sql`
    select current_setting('server_version') as version, current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as commits,
      round(pg_database_size(current_database()) / 1048576.0)::int as mb`);
  const { version, fsync, commits, mb } = row!;
  const found = `Postgres ${version.split(" ")[0]!} is running with ${mb} MB of data`;
  const off = fsync === "off" ? "fsync" : commits === "off" ? "synchronous_commit" : null;
  if (!off) return ok(PART, found);
  return failed(
    PART,
    `${found}, but ${off} is off`,
    `Turn ${off} on. Otherwise a power failure can lose mail`,
  );
}
