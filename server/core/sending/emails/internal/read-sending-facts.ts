import { sql } from "drizzle-orm";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { signingProblem } from "#server/core/sending/dkim/dkim-keys.ts";
import { PLATFORM, type Totals } from "#server/core/sending/quotas/totals.ts";
import {
  isSuppressionApplied,
  type Suppressed,
  SUPPRESSION_REASONS,
} from "#server/core/sending/suppressions/suppressed.ts";
import type { Db } from "#server/db/client.ts";
import { type EmailRequest, type SendingDomain, uniqueRecipients } from "./email-request.ts";

type SendingCompany = {
  subscriptionActive: boolean;
  /** Recipients per calendar month; null for no limit. */
  monthlyAllowance: number | null;
  /** Whether it has an enabled webhook. */
  hasWebhook: boolean;
  /** Not locked and not swept: may still include sends older than 60 minutes. */
  totals: Totals;
};

/** What the checks need beyond the emails themselves. */
export type SendingFacts = {
  companies: Map<string, SendingCompany>;
  /** The totals of all companies. */
  platform: Totals;
  /** Test emails of the last hour, by company; only of companies that send some. Counted up to the limit. */
  testEmails: Map<string, number>;
  /** By `factKey(companyId, name)`. */
  domains: Map<string, SendingDomain>;
  /** By `factKey(companyId, address)`. */
  suppressed: Map<string, Suppressed>;
};

/** Per company. */
export const TEST_EMAILS_PER_HOUR_MAX = 2_000;

export const factKey = (companyId: string, text: string) => `${companyId} ${text}`;

/** Reads everything the checks of these requests need, in one statement. */
export async function readSendingFacts(db: Db, requests: EmailRequest[]): Promise<SendingFacts> {
  const asked = JSON.stringify(collectLookups(requests));
  const [row] = await db.execute<Found>(sql`
    with asked as materialized (select ${asked}::jsonb as asked)
    select
      (select json_agg(found) from (
        select c.id, c.subscription_active as "subscriptionActive",
          c.monthly_allowance as "monthlyAllowance",
          exists (select from webhooks w where w.company_id = c.id and w.status = 'enabled')
            as "hasWebhook"
        from asked, jsonb_array_elements_text(asked -> 'scopes') as wanted(id)
          join companies c on c.id = wanted.id::uuid) found) as companies,
      (select json_agg(found) from (
        select t.scope, hour_recipients as hour, scheduled_recipients as scheduled,
          case when month = to_char(statement_timestamp() at time zone 'UTC', 'YYYY-MM-01')
            then month_recipients else 0 end as month
        from asked, jsonb_array_elements_text(asked -> 'scopes') as wanted(id)
          join sending_totals t on t.scope = wanted.id::uuid) found) as totals,
      (select json_agg(found) from (
        select d.id, d.company_id as "companyId", d.name, d.status = 'verified' as "isVerified",
          (select k.sealed_private_key from dkim_keys k
            where k.domain_id = d.id and k.algorithm = 'rsa' and k.state = 'active') as "sealedDkimKey",
          d.open_tracking as "openTracking", d.click_tracking as "clickTracking",
          d.one_click_unsubscribe as "oneClickUnsubscribe", d.ownership_proven_at is not null as "isOwned"
        from asked, jsonb_to_recordset(asked -> 'domains') as wanted(company uuid, name text)
          join domains d on d.company_id = wanted.company and d.name = wanted.name) found) as domains,
      (select json_agg(found) from (
        select wanted.id, (select count(*) from (
            select from emails e where e.company_id = wanted.id::uuid and e.is_test
              and e.created_at > statement_timestamp() - interval '1 hour'
            limit ${TEST_EMAILS_PER_HOUR_MAX}) sent)::int as sent
        from asked, jsonb_array_elements_text(asked -> 'testers') as wanted(id)) found) as testers,
      (select json_agg(found) from (
        select s.company_id as "companyId", s.email, s.origin
        from asked, jsonb_to_recordset(asked -> 'recipients') as wanted(company uuid, email text)
          join suppressions s on s.company_id = wanted.company and s.email = wanted.email
        where ${isSuppressionApplied}) found) as suppressed`);
  return toFacts(row!);
}

type FoundDomain = Omit<SendingDomain, "signingProblem"> & { sealedDkimKey: string | null };

type Found = {
  companies: (Omit<SendingCompany, "totals"> & { id: string })[] | null;
  totals: (Totals & { scope: string })[] | null;
  domains: (FoundDomain & { companyId: string })[] | null;
  testers: { id: string; sent: number }[] | null;
  suppressed: { companyId: string; email: string; origin: Suppressed["origin"] }[] | null;
};

function collectLookups(requests: EmailRequest[]) {
  const scopes = new Set([PLATFORM]);
  const testers = new Set<string>();
  const domains = new Map<string, { company: string; name: string }>();
  const recipients = new Map<string, { company: string; email: string }>();
  for (const { companyId: company, emails, key } of requests) {
    scopes.add(company);
    if (key?.isTest) testers.add(company);
    for (const email of emails) {
      const name = addressDomain(email.fromAddress.address);
      domains.set(factKey(company, name), { company, name });
      for (const address of uniqueRecipients(email))
        recipients.set(factKey(company, address), { company, email: address });
    }
  }
  return {
    scopes: [...scopes],
    testers: [...testers],
    domains: [...domains.values()],
    recipients: [...recipients.values()],
  };
}

const NOTHING: Totals = { hour: 0, month: 0, scheduled: 0 };

function toFacts({ companies, totals, domains, testers, suppressed }: Found): SendingFacts {
  const totalsOf = new Map(totals?.map(({ scope, ...numbers }) => [scope, numbers]));
  return {
    platform: totalsOf.get(PLATFORM) ?? { ...NOTHING },
    companies: new Map(
      companies?.map(({ id, ...company }) => [
        id,
        { ...company, totals: totalsOf.get(id) ?? { ...NOTHING } },
      ]),
    ),
    testEmails: new Map(testers?.map(({ id, sent }) => [id, sent])),
    domains: new Map(
      domains?.map(({ companyId, sealedDkimKey, ...domain }) => [
        factKey(companyId, domain.name),
        { ...domain, signingProblem: signingProblem(sealedDkimKey) },
      ]),
    ),
    suppressed: new Map(
      suppressed?.map(({ companyId, email, origin }) => [
        factKey(companyId, email),
        { origin, reason: SUPPRESSION_REASONS[origin] },
      ]),
    ),
  };
}
