import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

export type CompanyUsage = {
  /** Recipients of this calendar month (UTC). */
  monthRecipients: number;
  domains: number;
  mailboxes: number;
};

/** Reads the companies' usage, by company id. */
export async function readCompanyUsage(
  db: Db,
  companyIds: string[],
): Promise<Map<string, CompanyUsage>> {
  const rows = await db.execute<CompanyUsage & { id: string }>(sql`
    select wanted.id,
      coalesce((select month_recipients from sending_totals t where t.scope = wanted.id
        and t.month = to_char(statement_timestamp() at time zone 'UTC', 'YYYY-MM-01')), 0)::float8
        as "monthRecipients",
      (select count(*) from domains d where d.company_id = wanted.id)::int as domains,
      (select count(*) from mailboxes m where m.company_id = wanted.id)::int as mailboxes
    from (select jsonb_array_elements_text(${JSON.stringify(companyIds)}::jsonb)::uuid as id) wanted`);
  return new Map(rows.map(({ id, ...usage }) => [id, usage]));
}
