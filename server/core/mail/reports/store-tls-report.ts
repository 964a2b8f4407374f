import { tlsReports } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import { findReportedDomain } from "./find-reported-domain.ts";
import { hasRoom } from "./has-room.ts";
import type { TlsReading } from "./reading/read-tls.ts";

/**
 * Keeps what a TLS report says about a domain of ours; the same report twice counts once.
 *
 * @returns whether it is about a domain of ours that has room for it
 */
export function storeTlsReport(db: Db, { domain: name, ...reading }: TlsReading): Promise<boolean> {
  return db.transaction(async (tx) => {
    const domain = await findReportedDomain(tx, name);
    if (!domain || !(await hasRoom(tx, "tls", domain.id))) return false;
    await tx
      .insert(tlsReports)
      .values({ companyId: domain.companyId, domainId: domain.id, ...reading })
      .onConflictDoNothing();
    return true;
  });
}
