import { sql } from "drizzle-orm";

import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";

/** Why a company's inbound addresses can't receive now: a temporary error for the sender. */
export type ReceivingError = { enhancedCode: `4.${number}.${number}`; text: string };

/** Checks the company's limits on received emails: storage, and emails per minute. */
export async function findReceivingError({
  db,
  companyId,
}: CompanyScope): Promise<ReceivingError | null> {
  const settings = await currentSettings(db);
  const [usage] = await db.execute<{ bytes: string; recent: number }>(sql`
    select coalesce(sum(size), 0) as bytes,
      (count(*) filter (where created_at > clock_timestamp() - interval '1 minute'))::int as recent
    from received_emails where company_id = ${companyId}`);
  const { bytes, recent } = usage!;
  if (Number(bytes) >= settings.received_storage_mb * 1024 * 1024)
    return { enhancedCode: "4.2.2", text: "The storage for received email is full" };
  if (recent >= settings.received_per_minute)
    return { enhancedCode: "4.7.1", text: "Too many messages, try again in a minute" };
  return null;
}
