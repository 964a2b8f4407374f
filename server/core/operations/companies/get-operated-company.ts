import { and, eq, getTableColumns, gt, sql } from "drizzle-orm";

import { admins, companies, invitations, plans } from "#drizzle/schema/index.ts";
import type { CompanyScope, Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { companyState } from "./company-state.ts";
import type { ListedCompany } from "./list-companies.ts";
import { readCompanyUsage } from "./read-company-usage.ts";

/** What suspending the company or turning its service off would affect. */
type CompanyReach = {
  /** Active API keys. */
  apiKeys: number;
  /** Admins who can sign in. */
  admins: number;
  /** Active console sessions. */
  sessions: number;
  scheduledEmails: number;
  hourRecipients: number;
};

export type OperatedCompany = ListedCompany & {
  owners: { email: string; name: string }[];
  /** Open invitations. */
  invitedOwners: { email: string; expiresAt: string }[];
  reach: CompanyReach;
};

/**
 * The context's company with everything its page shows to operators.
 *
 * @throws Refusal `not_found`
 */
export async function getOperatedCompany({ db, companyId }: Context): Promise<OperatedCompany> {
  const [[company], owners, invitedOwners, usage, reach] = await Promise.all([
    db
      .select({ ...getTableColumns(companies), state: companyState, planName: plans.name })
      .from(companies)
      .leftJoin(plans, eq(plans.id, companies.planId))
      .where(eq(companies.id, companyId)),
    listOwners({ db, companyId }),
    listInvitedOwners({ db, companyId }),
    readCompanyUsage(db, [companyId]),
    countReach({ db, companyId }),
  ]);
  if (!company) throw new Refusal("not_found", "Company not found");
  return { ...company, owners, invitedOwners, usage: usage.get(companyId)!, reach };
}

function listOwners({ db, companyId }: CompanyScope) {
  return db
    .select({ email: admins.email, name: admins.name })
    .from(admins)
    .where(and(eq(admins.companyId, companyId), eq(admins.isOwner, true)))
    .orderBy(admins.email);
}

function listInvitedOwners({ db, companyId }: CompanyScope) {
  const isOpen = gt(invitations.expiresAt, sql`clock_timestamp()`);
  return db
    .select({ email: invitations.email, expiresAt: invitations.expiresAt })
    .from(invitations)
    .where(and(eq(invitations.companyId, companyId), eq(invitations.isOwner, true), isOpen))
    .orderBy(invitations.email);
}

async function countReach({ db, companyId }: CompanyScope): Promise<CompanyReach> {
  const [row] = await db.execute<CompanyReach>(sql`
    select
      (select count(*) from api_keys where company_id = ${companyId} and revoked_at is null)::int
        as "apiKeys",
      (select count(*) from admins where company_id = ${companyId} and disabled_at is null)::int
        as admins,
      (select count(*) from sessions s join admins a on a.id = s.user_id
        where a.company_id = ${companyId} and s.expires_at > clock_timestamp())::int as sessions,
      -- As the scheduler's index has them: of all companies, only those that wait.
      (select count(*) from emails where company_id = ${companyId} and due_at is not null)::int
        as "scheduledEmails",
      coalesce((select hour_recipients from sending_totals where scope = ${companyId}), 0)::float8
        as "hourRecipients"`);
  return row!;
}
