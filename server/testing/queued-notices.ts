import { sql } from "drizzle-orm";

import { db } from "#server/db/pool.ts";
import type { JobPayload } from "#server/jobs/catalogue.ts";

type Notice = JobPayload<"send_notice">["notice"];

/** The notices to a company's admins that wait to be sent, oldest first. */
export async function queuedNotices(companyId: string): Promise<Notice[]> {
  const rows = await db().execute<{ notice: Notice }>(sql`
    select payload -> 'notice' as notice
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'send_notice' and payload ->> 'companyId' = ${companyId} order by j.id`);
  return rows.map(({ notice }) => notice);
}
