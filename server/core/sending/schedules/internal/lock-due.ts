import { and, asc, eq, lte, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";

import { admins, apiKeys, companies, dkimKeys, domains, emails } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import { SCHEDULE_COLUMNS } from "#server/core/sending/schedules/lock-scheduled.ts";

/** The admin who scheduled the email in the console. */
const sender = alias(admins, "sender");

/**
 * Locks due emails, longest due first, with everything the checks need. Skips locked rows: another
 * transaction is processing, canceling or rescheduling them.
 */
export function lockDue(db: Db, limit: number) {
  return (
    db
      .select({
        ...SCHEDULE_COLUMNS,
        to: emails.to,
        cc: emails.cc,
        bcc: emails.bcc,
        size: emails.size,
        // Including ids: Drizzle returns null for an object whose fields are all null.
        key: { id: apiKeys.id, revokedAt: apiKeys.revokedAt },
        creator: { id: admins.id, disabledAt: admins.disabledAt },
        sender: { id: sender.id, disabledAt: sender.disabledAt },
        company: { serviceEnabled: companies.serviceEnabled, suspendedAt: companies.suspendedAt },
        domain: {
          id: domains.id,
          name: domains.name,
          status: domains.status,
          ownershipProvenAt: domains.ownershipProvenAt,
          openTracking: domains.openTracking,
          clickTracking: domains.clickTracking,
          sealedDkimKey: sql<string | null>`(
            select ${dkimKeys.sealedPrivateKey} from ${dkimKeys} where ${dkimKeys.domainId} = ${domains.id}
              and ${dkimKeys.algorithm} = 'rsa' and ${dkimKeys.state} = 'active')`,
        },
      })
      .from(emails)
      .innerJoin(companies, eq(companies.id, emails.companyId))
      .leftJoin(apiKeys, eq(apiKeys.id, emails.apiKeyId))
      .leftJoin(admins, eq(admins.id, apiKeys.creatorId))
      .leftJoin(
        sender,
        and(eq(sender.id, emails.sentByAdminId), eq(sender.companyId, emails.companyId)),
      )
      .leftJoin(domains, eq(domains.id, emails.domainId))
      // Not clock_timestamp(): only a stable function can bound an index scan.
      .where(lte(emails.dueAt, sql`statement_timestamp()`))
      .orderBy(asc(emails.dueAt), asc(emails.id))
      .limit(limit)
      .for("no key update", { of: emails, skipLocked: true })
  );
}

export type DueEmail = Awaited<ReturnType<typeof lockDue>>[number];
