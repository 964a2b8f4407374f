import { and, desc, inArray, isNotNull, sql } from "drizzle-orm";
import { getDomain } from "tldts";

import { dmarcReports, domains, tlsReports } from "#drizzle/schema/index.ts";
import type { Reading } from "#server/core/mail/incoming/read-incoming.ts";
import { readInThread } from "#server/core/mail/incoming/read-in-thread.ts";
import type { Db } from "#server/db/client.ts";

import { isUnderDailyLimit } from "./internal/is-under-daily-limit.ts";
import type { DmarcReading } from "#server/core/mail/report-parsing/read-dmarc.ts";
import type { TlsReading } from "#server/core/mail/report-parsing/read-tls.ts";

/**
 * Takes in a message with DMARC aggregate reports (RFC 7489, RFC 9990) or TLS reports (RFC 8460) about
 * domains of this appliance; they are committed when it resolves. Whatever else a message is, and
 * whatever it does to be costly, it is nothing.
 *
 * @throws Error only for trouble of ours: the message may be handed in again
 */
export async function handleReport(db: Db, message: Buffer): Promise<"dmarc" | "tls" | "nothing"> {
  const reading = await readInThread(message);
  return reading.kind === "reports" ? storeReports(db, reading) : "nothing";
}

/** Commits the reports of a message that has been read. */
export async function storeReports(
  db: Db,
  { dmarc, tls }: Extract<Reading, { kind: "reports" }>,
): Promise<"dmarc" | "tls" | "nothing"> {
  let taken: "dmarc" | "tls" | "nothing" = "nothing";
  for (const report of tls) if (await storeTlsReport(db, report)) taken = "tls";
  for (const report of dmarc) if (await storeDmarcReport(db, report)) taken = "dmarc";
  return taken;
}

/**
 * Keeps what a TLS report says about a domain of ours; the same report twice counts once.
 *
 * @returns whether it is about a domain of ours that has room for it
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
 * Keeps a DMARC report about a domain of ours; one that is kept already, by the reporter's own name of
 * it, is not counted again.
 *
 * @returns whether it is about a domain of ours that has room for it
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
 * The company's domain that a report about `name` belongs to: the name itself, or the nearest domain
 * above it, no further than the organisational one. Only proven domains count, of whichever company.
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
