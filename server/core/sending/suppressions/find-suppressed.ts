import { sql } from "drizzle-orm";

import { type Suppression, suppressions } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** Why addresses are suppressed. */
export const SUPPRESSION_ORIGINS = suppressions.origin.enumValues;

export type Suppressed = { origin: Suppression["origin"]; reason: string };

/** The reasons as recorded in an email's history. */
export const SUPPRESSION_REASONS = {
  bounce: "The address is on the suppression list because an earlier email to it bounced",
  complaint: "The address is on the suppression list because its owner reported an email as spam",
  manual: "The address is on the suppression list because it was added manually",
  unsubscribe: "The address is on the suppression list because its owner unsubscribed",
} as const;

/** Origins in the API and in webhooks, whose clients know three of them. */
export const API_ORIGINS = {
  bounce: "bounce",
  complaint: "complaint",
  manual: "manual",
  unsubscribe: "manual",
} as const satisfies Record<Suppressed["origin"], string>;

/**
 * SQL for whether the suppression `s` applies. Those of the appliance's own company don't: no admin can see them, and a bounce
 * or complaint must not silence password resets, security notices and alarms for good.
 */
export const isSuppressionApplied = sql`(
  select c.purpose <> 'platform' from companies c where c.id = s.company_id)`;

/** Returns those of the addresses that are on their company's suppression list, if it applies. */
export async function findSuppressed(
  db: Db,
  asked: { companyId: string; email: string }[],
): Promise<({ companyId: string; email: string } & Suppressed)[]> {
  if (asked.length === 0) return [];
  const rows = await db.execute<{ companyId: string; email: string; origin: Suppressed["origin"] }>(
    sql`
    select s.company_id as "companyId", s.email, s.origin
    from (select distinct "companyId", email from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
        as t("companyId" uuid, email text)) asked
      join suppressions s on s.company_id = asked."companyId" and s.email = asked.email
    where ${isSuppressionApplied}`,
  );
  return rows.map((row) => ({ ...row, reason: SUPPRESSION_REASONS[row.origin] }));
}
