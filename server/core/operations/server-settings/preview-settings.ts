import { type SQL, sql } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import { countOldContacts } from "#server/core/mail/guard/guard.ts";
import { countOldReceived } from "#server/core/mail/received/received-emails.ts";
import { countOldItems } from "#server/core/operations/deleted-items/deleted-items.ts";
import { readSettingValues } from "#server/core/platform/settings/change-setting.ts";
import type { SettingName } from "#server/core/platform/settings/settings.ts";
import { countOldEmails } from "#server/core/sending/emails/delete-old-emails.ts";
import { countOldSuppressions } from "#server/core/sending/suppressions/suppressions.ts";
import { countOldAudit } from "#server/core/shared/audit/delete-audit.ts";
import type { Db } from "#server/db/client.ts";

export type SettingPreview = {
  name: SettingName;
  /** The first companies that use more than the new limit today, or do less than it requires; highest use first. */
  over: { id: string; name: string; used: number | null }[];
  overCount: number;
  /** What the next cleanup will delete; null for other settings. */
  deletes: number | null;
};

type Row = { id: string; name: string; used: number | null; count: number };

const SHOWN_MAX = 20;
const FOREVER = 0;

const LAST_HOUR = sql`extract(epoch from statement_timestamp()) - 3600`;

/** What each company uses of a limit today. */
const USED: Partial<Record<SettingName, SQL>> = {
  hourly_recipients_company: sql`(select coalesce(sum(s.recipients), 0) from sending_seconds s
    where s.scope = companies.id and s.second > ${LAST_HOUR})`,
  scheduled_backlog: sql`(select coalesce(sum(t.scheduled_recipients), 0) from sending_totals t
    where t.scope = companies.id)`,
  hourly_recipients_mailbox: sql`(select coalesce(max(m.recipients), 0) from (
    select sum(m.recipient_count) as recipients from messages m join mailboxes b on b.address = m.mailbox
    where b.company_id = companies.id and m.origin = 'submission'
      and m.created_at > clock_timestamp() - interval '1 hour' group by m.mailbox) m)`,
  received_storage_mb: sql`(select ceil(coalesce(sum(r.size), 0) / 1048576.0) from received_emails r
    where r.company_id = companies.id)`,
};

const COUNT_OLD: Partial<Record<SettingName, (db: Db, days: number) => Promise<number>>> = {
  keep_emails_days: countOldEmails,
  keep_suppressions_days: countOldSuppressions,
  keep_audit_days: countOldAudit,
  keep_contacts_days: countOldContacts,
  keep_deleted_days: countOldItems,
  keep_received_days: countOldReceived,
};

/**
 * Previews which companies changed settings affect, and what they delete.
 *
 * @param texts the values as typed, by name
 * @throws Refusal `not_found` for an unknown name, `invalid` for values out of bounds
 */
export async function previewSettings(
  db: Db,
  texts: Record<string, string>,
): Promise<SettingPreview[]> {
  const previews: SettingPreview[] = [];
  for (const [name, value] of readSettingValues(texts)) {
    const rows = await companiesOver(db, name, value);
    const countOld = COUNT_OLD[name];
    previews.push({
      name,
      over: rows.map(({ id, name, used }) => ({ id, name, used })),
      overCount: rows[0]?.count ?? 0,
      deletes: countOld ? (value === FOREVER ? 0 : await countOld(db, Number(value))) : null,
    });
  }
  return previews;
}

async function companiesOver(db: Db, name: SettingName, value: number | string): Promise<Row[]> {
  if (name === "outgoing_scan_minimum") return companiesThatScanLess(db, String(value));
  const used = USED[name];
  if (!used) return [];
  return db.execute<Row>(sql`
    select id, name, used, count(*) over ()::int as count
    from (select id, name, (${used})::float8 as used from companies) usage
    where used > ${value} order by used desc, name limit ${SHOWN_MAX}`);
}

function companiesThatScanLess(db: Db, minimum: string): Promise<Row[]> {
  const weaker = { off: [], reject: ["off"], hold: ["off", "reject"] }[minimum] ?? [];
  return db.execute<Row>(sql`
    select id, name, null as used, count(*) over ()::int as count from ${companies}
    where outgoing_scan = any(${sql.param(weaker)}::text[]) order by name limit ${SHOWN_MAX}`);
}
