import { sql } from "drizzle-orm";

import { dmarcReports } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import { findReportedDomain } from "./find-reported-domain.ts";
import { hasRoom } from "./has-room.ts";
import type { DmarcReading } from "./reading/read-dmarc.ts";

/**
 * Keeps a DMARC report about a domain of ours; one that is kept already, by the reporter's own name of
 * it, is not counted again.
 *
 * @returns whether it is about a domain of ours that has room for it
 */
export function storeDmarcReport(db: Db, reading: DmarcReading): Promise<boolean> {
  const { domain: name, rows, ...header } = reading;
  return db.transaction(async (tx) => {
    const domain = await findReportedDomain(tx, name);
    if (!domain || !(await hasRoom(tx, "dmarc", domain.id))) return false;
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
