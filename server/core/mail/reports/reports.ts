import { and, desc, inArray, isNotNull, sql } from "drizzle-orm";
import { getDomain } from "tldts";

import { dmarcReports, domains, tlsReports } from "#drizzle/schema/index.ts";
import { readInThread } from "#server/core/mail/incoming/read-in-thread.ts";
import type { SystemMail } from "#server/core/mail/incoming/read-incoming.ts";
import type { DmarcReading } from "#server/core/mail/report-parsing/read-dmarc.ts";
import type { TlsReading } from "#server/core/mail/report-parsing/read-tls.ts";
import { deleteInBatches, isOlderThan } from "#server/db/batches.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Stores the DMARC (RFC 7489, RFC 9990) or TLS reports (RFC 8460) in a message about domains of this appliance.
 * Committed when this resolves. Ignores all other messages.
 *
 * @throws Error only for failures of our own, which can be retried
 */
export async function handleReport(db: Db, message: Buffer): Promise<"dmarc" | "tls" | "nothing"> {
  const reading = await readInThread(message);
  return reading.kind === "reports" ? storeReports(db, reading) : "nothing";
}

/** Stores and commits parsed reports. */
export async function storeReports(
  db: Db,
  { dmarc, tls }: Extract<SystemMail, { kind: "reports" }>,
): Promise<"dmarc" | "tls" | "nothing"> {
  let taken: "dmarc" | "tls" | "nothing" = "nothing";
  for (const report of tls) if (await storeTlsReport(db, report)) taken = "tls";
  for (const report of dmarc) if (await storeDmarcReport(db, report)) taken = "dmarc";
  return taken;
}

/**
 * Stores a TLS report. Idempotent.
 *
 * @returns false for an unknown domain or one over its daily limit
 */
function storeTlsReport(db: Db, { domain: name, ...reading }: TlsReading): Promise<boolean> {
  return db.transaction(async (tx) => {
    const domain = await findReportedDomain(tx, name);
    if (!domain || !(await isUnderDailyLimit(tx, "tls", domain.id))) return false;
    await tx
      .insert(tlsReports)
      .values({ companyId: domain.companyId, domainId: domain.id, ...reading })
      .onConflictDoNothing();
    return true;
  });
}

/**
 * Stores a DMARC report. Idempotent by the reporter's report id.
 *
 * @returns false for an unknown domain or one over its daily limit
 */
function storeDmarcReport(db: Db, reading: DmarcReading): Promise<boolean> {
  const { domain: name, rows, ...header } = reading;
  return db.transaction(async (tx) => {
    const domain = await findReportedDomain(tx, name);
    if (!domain || !(await isUnderDailyLimit(tx, "dmarc", domain.id))) return false;
    const [report] = await tx
      .insert(dmarcReports)
      .values({ companyId: domain.companyId, domainId: domain.id, ...header })
      .onConflictDoNothing()
      .returning({ id: dmarcReports.id });
    if (report)
      for (const batch of rows)
        await tx.execute(sql`
          insert into dmarc_sources (report_id, source_ip, messages, disposition, dkim, spf,
            header_from, envelope_from, auth, reasons)
          select ${report.id}::uuid, source_ip, messages, disposition, dkim, spf,
            header_from, envelope_from, auth, reasons
          from jsonb_to_recordset(${batch}::jsonb) as t(source_ip text, messages int,
            disposition text, dkim text, spf text, header_from text, envelope_from text,
            auth jsonb, reasons text[])`);
    return true;
  });
}

/**
 * The domain that a report about `name` belongs to: the name itself or its nearest parent, up to the organizational
 * domain. Only domains with verified ownership count, of any company.
 */
async function findReportedDomain(
  db: Db,
  name: string,
): Promise<{ id: string; companyId: string } | null> {
  const [found] = await db
    .select({ id: domains.id, companyId: domains.companyId })
    .from(domains)
    .where(and(inArray(domains.name, parentDomains(name)), isNotNull(domains.ownershipProvenAt)))
    .orderBy(desc(sql`length(${domains.name})`))
    .limit(1);
  return found ?? null;
}

/** `a.b.example.com`, `b.example.com`, `example.com`. */
function parentDomains(name: string): string[] {
  const top = getDomain(name) ?? name;
  const labels = name.split(".");
  const above = labels.length - top.split(".").length;
  return Array.from({ length: above + 1 }, (_, at) => labels.slice(at).join("."));
}

// Small, because a report can have 100,000 rows.
const BATCH = 20;

/** Deletes DMARC and TLS reports older than `days`. @returns the number of reports deleted */
export async function deleteOldReports(db: Db, days: number): Promise<number> {
  let deleted = 0;
  for (const table of [dmarcReports, tlsReports])
    deleted += await deleteInBatches(db, table, {
      where: isOlderThan(table.createdAt, days),
      oldestFirst: table.createdAt,
      size: BATCH,
    });
  return deleted;
}

// Per domain and day. Large senders get reports from a few hundred reporters.
const REPORTS_MAX = 1_000;

const ROWS_MAX = 200_000;

/**
 * Whether the domain is under its daily limit of stored reports. Reports aren't authenticated and are kept for over a
 * year, so without a limit anyone could fill the disk.
 */
async function isUnderDailyLimit(
  db: Db,
  kind: "dmarc" | "tls",
  domainId: string,
): Promise<boolean> {
  const reports = kind === "dmarc" ? sql`dmarc_reports` : sql`tls_reports`;
  const rows = sql`select from dmarc_sources s join today on today.id = s.report_id`;
  const [found] = await db.execute<{ hasRoom: boolean }>(sql`
    with today as materialized (
      select id from ${reports} where domain_id = ${domainId}::uuid
        and created_at > statement_timestamp() - interval '1 day'
      limit ${REPORTS_MAX}
    )
    select (select count(*) from today) < ${REPORTS_MAX}
      and (select count(*) from (${kind === "dmarc" ? rows : sql`select from today`}
        limit ${ROWS_MAX}) as counted) < ${ROWS_MAX} as "hasRoom"`);
  return found!.hasRoom;
}
