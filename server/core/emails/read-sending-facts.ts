import { sql } from "drizzle-orm";

import { domainOf } from "#server/core/addresses/parse-address.ts";
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
};

/** What decides about emails and does not stand in them. */
export type SendingFacts = {
  companies: Map<string, SendingCompany>;
  /** Domains with proven ownership, by `factKey(companyId, name)`. */
  domains: Map<string, SendingDomain>;
  /** By `factKey(companyId, address)`. */
  suppressed: Map<string, Suppressed>;
};

export const factKey = (companyId: string, text: string) => `${companyId} ${text}`;

/** Reads, in one round trip, all that decides about the emails of submissions. */
export async function readSendingFacts(db: Db, submissions: Submission[]): Promise<SendingFacts> {
  const [companies, domains, suppressed] = await Promise.all([
    readCompanies(db, [...new Set(submissions.map(({ companyId }) => companyId))]),
    readDomains(db, submissions),
    suppressedFor(db, recipientsByCompany(submissions)),
  ]);
  return {
    companies,
    domains,
    suppressed: new Map(
      suppressed.map(({ companyId, email, ...found }) => [factKey(companyId, email), found]),
    ),
  };
}

async function readCompanies(db: Db, ids: string[]) {
  const rows = await db.execute<SendingCompany & { id: string }>(sql`
    select id, subscription_active as "subscriptionActive", monthly_allowance as "monthlyAllowance"
    from companies
    where id = any(array(select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)::uuid))`);
  return new Map(rows.map(({ id, ...company }) => [id, company]));
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
