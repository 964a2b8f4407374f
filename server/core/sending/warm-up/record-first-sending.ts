import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/**
 * Records since when the server has sent mail, once: an upgraded server keeps its pace. Mail to the sandbox
 * and test emails don't count.
 */
export async function recordFirstSending(db: Db): Promise<void> {
  await db.execute(sql`
    insert into warm_ups (subject, provider, started_on, day)
    select 'server', '*', coalesce(least(
        (select created_at from email_events
          where type = 'delivered' and recipient not like '%.localhost'
            and not (select is_test from emails e where e.id = email_id) order by id limit 1),
        (select coalesce(r.settled_at, r.created_at) from message_recipients r
          join messages m on m.id = r.message_id and m.origin in ('submission', 'forward', 'group')
          where r.state = 'delivered' and r.recipient not like '%.localhost' order by r.id limit 1)
      )::date, 'infinity'), 'infinity'
    where not exists (select from warm_ups where subject = 'server' and provider = '*')
    on conflict do nothing`);
}
