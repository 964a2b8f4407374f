import { sql } from "drizzle-orm";

import type { Config, Role } from "#server/config.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";
import type { Resolver } from "#server/gateways/dns.ts";

import { failed, type Finding, combineFindings, ok, unknown } from "./finding.ts";
import { checkBackup } from "./check-backup.ts";
import { checkClock } from "./check-clock.ts";
import { checkBlocklists } from "./check-blocklists.ts";
import { checkBlocks, checkLimits, checkRestoredMail, checkSenderRates } from "./check-delivery.ts";
import { checkClientAddresses } from "./check-client-addresses.ts";
import { checkDns } from "./check-dns.ts";
import { checkDnssec } from "./check-dnssec.ts";
import { checkDovecotPackage } from "./check-dovecot-package.ts";
import { checkKeys } from "./check-keys.ts";
import { checkCertificates } from "./check-certificates.ts";
import { checkDisk, checkMemory } from "./check-machine.ts";
import { checkNoticeDelivery, checkNotices } from "./check-notices.ts";
import { checkInboundPort } from "./check-inbound-port.ts";
import { checkOutboundNames } from "./check-outbound-names.ts";
import { checkOutboundPort } from "./check-outbound-port.ts";
import {
  checkHeartbeats,
  checkMail,
  checkMailHosts,
  checkWeb,
  checkWorker,
} from "./check-processes.ts";
import { checkReverseDns } from "./check-reverse-dns.ts";
import { checkSearch } from "./check-search.ts";
import { checkSigningKey } from "./check-signing-key.ts";
import { checkSpamFilter } from "./check-spam-filter.ts";
import { checkUpstream } from "./check-upstreams.ts";

const PART = "Postgres";

type Facts = { version: string; fsync: string; commits: string; mb: number };

export type CheckContext = { db: Db; config: Config; resolver: Resolver };

type Check = {
  id: string;
  /** Its title in the console. */
  label: string;
  /** The role of the machines that it can be checked on; all machines by default. */
  role?: Role;
  /** Whether problems raise no alarm of their own, because others cover them or they don't matter enough. */
  isQuiet?: true;
  run: (around: CheckContext) => Finding | Finding[] | Promise<Finding | Finding[]>;
};

/**
 * All checks of a server, in the order they are shown. They are read-only. Health, alarms and metrics run these and no others;
 * `posthouse doctor` can also send an email (`server/cli/doctor.ts`).
 */
export const CHECKS = [
  {
    id: "port_out",
    label: "Outbound port 25",
    run: ({ config, resolver }) => checkOutboundPort(config, resolver),
  },
  {
    id: "port_in",
    label: "Inbound port 25",
    role: "mail",
    run: ({ config, resolver }) => checkInboundPort(config, resolver),
  },
  {
    id: "reverse_dns",
    label: "Reverse DNS",
    run: ({ config, resolver }) => checkReverseDns(config, resolver),
  },
  {
    id: "certificate",
    label: "TLS certificate",
    run: ({ db, config }) => checkCertificates(db, config, new Date()),
  },
  {
    id: "blocklists",
    label: "Blocklists",
    run: ({ config, resolver }) => checkBlocklists(config, resolver),
  },
  {
    id: "dns",
    label: "DNS resolver",
    run: ({ db, config, resolver }) =>
      Promise.all([
        blocklists(db).then((zones) => checkDns(config, resolver, zones)),
        checkDnssec(config),
        checkSigningKey(config, resolver),
      ]),
  },
  {
    id: "notices",
    label: "System emails",
    run: async ({ db, config, resolver }) => [
      ...(await checkNotices(db, config, resolver)),
      await checkNoticeDelivery(db),
    ],
  },
  {
    id: "processes",
    label: "Processes",
    isQuiet: true,
    run: ({ db, config }) => checkHeartbeats(db, config),
  },
  {
    id: "web",
    label: "Web server",
    role: "web",
    isQuiet: true,
    run: ({ config }) => checkWeb(config),
  },
  {
    id: "mail",
    label: "Mail server",
    isQuiet: true,
    run: async ({ db, config }) => [
      ...(config.roles.has("mail") ? await checkMail(config) : []),
      ...(await checkMailHosts(db, config)),
    ],
  },
  {
    id: "dovecot_package",
    label: "Dovecot package",
    role: "mail",
    run: () => checkDovecotPackage(),
  },
  {
    id: "delivery",
    label: "Delivery",
    isQuiet: true,
    run: ({ db, config }) =>
      Promise.all([
        checkWorker(db),
        checkBlocks(db),
        checkLimits(db),
        checkRestoredMail(db),
        checkSenderRates(db),
        checkOutboundNames(db, config),
      ]),
  },
  {
    id: "client_addresses",
    label: "Client addresses",
    run: ({ db }) => checkClientAddresses(db),
  },
  // A missing spam filter is no reason for an alarm.
  {
    id: "spam",
    label: "Spam filter",
    isQuiet: true,
    run: ({ db, config }) => checkSpamFilter(db, config),
  },
  { id: "search", label: "Full-text search", isQuiet: true, run: ({ db }) => checkSearch(db) },
  {
    id: "webmail",
    label: "Webmail",
    run: ({ config }) => checkUpstream("webmail", config.webmail),
  },
  {
    id: "calendar",
    label: "Calendars",
    run: ({ config }) => checkUpstream("calendar", config.calendar),
  },
  { id: "database", label: "Database", run: ({ db }) => checkDatabase(db) },
  { id: "keys", label: "Keys", run: ({ db }) => checkKeys(db) },
  { id: "backup", label: "Backup", run: ({ db, config }) => checkBackup(db, config) },
  { id: "disk", label: "Disk", isQuiet: true, run: ({ config }) => checkDisk(config) },
  { id: "memory", label: "Memory", run: () => checkMemory() },
  { id: "clock", label: "Clock", run: ({ db, resolver }) => checkClock(db, resolver) },
] as const satisfies Check[];

export type CheckName = (typeof CHECKS)[number]["id"];

// Longer than the timeout of any probe.
const CHECK_TIMEOUT_MS = 25_000;

/**
 * Runs a check for at most 25 seconds. Never throws: an error becomes an `unknown` finding.
 *
 * @returns nothing if it can't be checked on this machine
 */
export async function runCheck(check: Check, around: CheckContext): Promise<Finding[]> {
  if (check.role && !around.config.roles.has(check.role)) return [];
  const over = Promise.withResolvers<Finding>();
  const timer = setTimeout(
    () => over.resolve(unknown(check.id, "The check timed out", "Run the check again later")),
    CHECK_TIMEOUT_MS,
  );
  try {
    return [await Promise.race([check.run(around), over.promise])].flat();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [unknown(check.id, `Couldn't run the check: ${reason}`, "Run the check again later")];
  } finally {
    clearTimeout(timer);
  }
}

/** Runs a check and combines what it found, also that it can't be checked on this machine. */
export async function runCheckCombined(check: Check, around: CheckContext): Promise<Finding> {
  const findings = await runCheck(check, around);
  return findings.length === 0 && check.role
    ? notOnThisMachine(check.label, check.role)
    : combineFindings(check.label, findings);
}

/** The DNS blocklists that senders are looked up on. */
async function blocklists(db: Db): Promise<string[]> {
  const { dnsbl_zones: zones } = await readSettings(db);
  return zones === "none" ? [] : zones.split(",");
}

const notOnThisMachine = (part: string, role: Role): Finding =>
  unknown(
    part,
    `This machine doesn't have the ${role} role (POSTHOUSE_ROLES)`,
    "Run `posthouse doctor` on the machines that have it",
  );

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
