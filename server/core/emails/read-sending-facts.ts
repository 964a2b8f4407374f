import { sql } from "drizzle-orm";

import { domainOf } from "#server/core/addresses/parse-address.ts";
import type { Totals } from "#server/core/quotas/lock-totals.ts";
import { PLATFORM } from "#server/core/quotas/scope.ts";
import { suppressedFor, type Suppressed } from "#server/core/suppressions/suppressed-for.ts";
import type { Db } from "#server/db/client.ts";

import { recipientsOf } from "./recipients-of.ts";
import type { Submission } from "./submission.ts";

/** A company's domain, as far as sending is concerned. */
export type SendingDomain = {
  id: string;
  name: string;
  isVerified: boolean;
  hasDkimKey: boolean;
  openTracking: boolean;
  clickTracking: boolean;
};

export type SendingCompany = {
  subscriptionActive: boolean;
  /** Recipients per calendar month; null for any number. */
  monthlyAllowance: number | null;
  /** As they stand, not locked: what is older than 60 minutes may still be in them. */
  totals: Totals;
};

/** What decides about emails and does not stand in them. */
export type SendingFacts = {
  companies: Map<string, SendingCompany>;
  /** The totals of all companies together. */
  platform: Totals;
  /** Domains with proven ownership, by `factKey(companyId, name)`. */
  domains: Map<string, SendingDomain>;
  /** By `factKey(companyId, address)`. */
  suppressed: Map<string, Suppressed>;
};

export const factKey = (companyId: string, text: string) => `${companyId} ${text}`;

/** Reads all that decides about the emails of submissions. */
export async function readSendingFacts(db: Db, submissions: Submission[]): Promise<SendingFacts> {
  const [companies, domains, suppressed] = await Promise.all([
    readCompanies(db, [...new Set(submissions.map(({ companyId }) => companyId))]),
    readDomains(db, submissions),
    suppressedFor(db, recipientsByCompany(submissions)),
  ]);
  return {
    ...companies,
    domains,
    suppressed: new Map(
      suppressed.map(({ companyId, email, ...found }) => [factKey(companyId, email), found]),
    ),
  };
}

type CompanyRow = Totals & {
  scope: string;
  subscriptionActive: boolean | null;
  monthlyAllowance: number | null;
};

/** With the platform, which has totals and is no company. */
async function readCompanies(db: Db, ids: string[]) {
  const rows = await db.execute<CompanyRow>(sql`
    select wanted.scope, subscription_active as "subscriptionActive",
      monthly_allowance as "monthlyAllowance", coalesce(hour_recipients, 0)::float8 as hour,
      (case when month = to_char(statement_timestamp() at time zone 'UTC', 'YYYY-MM-01')
        then month_recipients else 0 end)::float8 as month,
      coalesce(scheduled_recipients, 0)::float8 as scheduled
    from (select value::uuid as scope
        from jsonb_array_elements_text(${JSON.stringify([PLATFORM, ...ids])}::jsonb)) wanted
      left join companies on companies.id = wanted.scope
      left join sending_totals using (scope)`);
  const companies = new Map<string, SendingCompany>();
  let platform: Totals = { hour: 0, month: 0, scheduled: 0 };
  for (const { scope, subscriptionActive, monthlyAllowance, ...totals } of rows) {
    if (scope === PLATFORM) platform = totals;
    else if (subscriptionActive !== null)
      companies.set(scope, { subscriptionActive, monthlyAllowance, totals });
  }
  return { companies, platform };
}

async function readDomains(db: Db, submissions: Submission[]) {
  const wanted = new Map(
    submissions.flatMap(({ companyId, emails }) =>
      emails.map(({ fromAddress }) => {
        const name = domainOf(fromAddress.address);
        return [factKey(companyId, name), { company_id: companyId, name }] as const;
      }),
    ),
  );
  const rows = await db.execute<SendingDomain & { companyId: string }>(sql`
    select d.id, d.company_id as "companyId", d.name, d.status = 'verified' as "isVerified",
      exists (select from dkim_keys k where k.domain_id = d.id) as "hasDkimKey",
      d.open_tracking as "openTracking", d.click_tracking as "clickTracking"
    from jsonb_to_recordset(${JSON.stringify([...wanted.values()])}::jsonb)
      as wanted(company_id uuid, name text)
      join domains d on d.company_id = wanted.company_id and d.name = wanted.name
    where d.ownership_proven_at is not null`);
  return new Map(rows.map(({ companyId, ...domain }) => [factKey(companyId, domain.name), domain]));
}

function recipientsByCompany(submissions: Submission[]) {
  return submissions.flatMap(({ companyId, emails }) =>
    emails.flatMap((email) =>
      recipientsOf(email).map((address) => ({ companyId, email: address })),
    ),
  );
}
