import { sql } from "drizzle-orm";

import { sendNotice } from "#server/core/mail/notices/send-notice.ts";
import { db } from "#server/db/pool.ts";
import type { JobPayload } from "#server/jobs/catalogue.ts";

/** Sends the company's waiting notices, as the worker does, and returns the text of the latest email to an address. */
export async function noticeTo(companyId: string, to: string): Promise<string> {
  const jobs = await db().execute<{ payload: JobPayload<"send_notice"> }>(sql`
    select payload from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'send_notice' and payload ->> 'companyId' = ${companyId}`);
  for (const { payload } of jobs) await sendNotice(db(), payload);
  const [mail] = await db().execute<{ text: string }>(sql`
    select text from emails join email_bodies on email_id = id
    where ${to} = any("to") order by emails.created_at desc limit 1`);
  if (!mail) throw new Error(`No email to ${to}`);
  return mail.text;
}
