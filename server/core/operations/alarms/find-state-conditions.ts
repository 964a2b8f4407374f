import { sql } from "drizzle-orm";

import type { Config } from "#server/config.ts";
import { CHECKS } from "#server/core/operations/system-checks/checks.ts";
import { listChecks } from "#server/core/operations/system-checks/run-checks.ts";
import { pluralize } from "#server/core/shared/text.ts";
import { listDisks } from "#server/core/platform/processes/processes.ts";
import type { Db } from "#server/db/client.ts";
import { DISK_RESERVE_BYTES } from "#server/processes/machine.ts";

import { type Condition, readRound } from "./conditions.ts";

const DISK_FREE_RATIO_MIN = 0.1;
const GB = 1024 ** 3;
const DRIFTED_SHOWN_MAX = 20;

/** Disk space, system checks, DNS records of companies' domains, and the ledger. */
export async function findStateConditions(
  db: Db,
  config: Pick<Config, "localMode">,
): Promise<Condition[]> {
  const found = await Promise.all([
    findFullDisks(db),
    checkLedger(db),
    ...(config.localMode ? [] : [findCheckConditions(db), findDrifted(db)]),
  ]);
  return found.flat();
}

async function findFullDisks(db: Db): Promise<Condition[]> {
  const disks = await listDisks(db);
  return disks.flatMap(({ host, freeBytes, sizeBytes }): Condition[] => {
    const isFull = freeBytes < DISK_RESERVE_BYTES;
    const ratio = freeBytes / sizeBytes;
    if (!isFull && ratio >= DISK_FREE_RATIO_MIN) return [];
    const consequence = `below ${(DISK_RESERVE_BYTES / GB).toFixed(2)} GB no mail is accepted`;
    return [
      {
        name: `disk@${host}`,
        severity: isFull ? "critical" : "warning",
        found: `${(freeBytes / GB).toFixed(2)} GB (${Math.floor(100 * ratio)}%) free for the data folder on ${host}`,
        advice: `Free up disk space: ${consequence}`,
      },
    ];
  });
}

async function checkLedger(db: Db): Promise<Condition[]> {
  const unaccounted = Number((await readRound(db, "ledger"))?.result.unaccounted ?? 0);
  if (unaccounted === 0) return [];
  return [
    {
      name: "ledger",
      severity: "critical",
      found: `${pluralize(unaccounted, "accepted recipient is", "accepted recipients are")} unaccounted for`,
      advice: "Run `posthouse ledger` to list them, and report this as a bug",
    },
  ];
}

async function findCheckConditions(db: Db): Promise<Condition[]> {
  const checks = await listChecks(db);
  const quiet = new Set<string>(CHECKS.filter((check) => "isQuiet" in check).map(({ id }) => id));
  return checks.flatMap(({ name, state, found, advice }): Condition[] => {
    if (quiet.has(name) || (state !== "failed" && state !== "warning")) return [];
    const severity = state === "failed" ? "critical" : "warning";
    return [{ name: `check:${name}`, severity, found, advice: advice ?? "" }];
  });
}

type Drifted = { domain: string; records: string };

/** Domains of companies that own them, whose records were verified once and are missing now. */
async function findDrifted(db: Db): Promise<Condition[]> {
  const rows = await db.execute<Drifted>(sql`
    select d.name as domain, string_agg(replace(f.record::text, '_', '-'), ', ' order by f.record) as records
    from domain_findings f join domains d on d.id = f.domain_id
    where f.missing_since is not null and d.ownership_proven_at is not null
    group by 1 order by 1 limit ${DRIFTED_SHOWN_MAX}`);
  return rows.map(({ domain, records }) => ({
    name: `dns:${domain}`,
    severity: "warning",
    found: `DNS records of ${domain} that were verified are missing: ${records}`,
    advice: "Compare the records on the domain's page in the console, and restore them",
  }));
}
