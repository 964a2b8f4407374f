import { sql } from "drizzle-orm";

import { config } from "#server/config.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";

import { firstQuota, quotaOn, WARM_UP_DAYS } from "./ramp.ts";
import { warmUpSubjects } from "./subjects.ts";

export type WarmUp = {
  /** `server`, `address mail2.example.com`, or `domain example.com`. */
  subject: string;
  /** `other` for all mail servers of unknown providers. */
  provider: string;
  /** The first day is 1, the last `WARM_UP_DAYS`. */
  day: number;
  /** Recipients today, and their limit. Workers reserve some ahead. */
  used: number;
  quota: number;
};

/** The warm-ups that are under way. */
export async function listWarmUps(
  db: Db,
  { localMode }: { localMode: boolean } = config(),
): Promise<WarmUp[]> {
  const settings = await currentSettings(db);
  const { hasServer, domains } = warmUpSubjects(settings, { localMode });
  const rows = await db.execute<Omit<WarmUp, "quota">>(sql`
    select subject, provider, today - started_on + 1 as day,
      case when day = today then used else 0 end as used
    from warm_ups, (select (clock_timestamp() at time zone 'UTC')::date as today) clock
    where provider <> '*' and today - started_on < ${WARM_UP_DAYS}
      and case when subject like 'domain %'
        then subject in (select 'domain ' || jsonb_array_elements_text(${JSON.stringify([...domains])}::jsonb))
        else ${hasServer} end
    order by subject <> 'server', subject, provider = 'other', provider`);
  return rows.map((row) => ({
    ...row,
    quota: quotaOn(row.day, firstQuota({ ...row, isBatch: false }, settings.warm_up_first_day)),
  }));
}
