import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import type { LeasedEvent } from "./lease-due-events.ts";

/** Releases events whose outcome is unknown; they are due again at once. */
export async function releaseEvents(
  db: Db,
  events: Pick<LeasedEvent, "id" | "lease" | "isReplay">[],
): Promise<void> {
  if (events.length === 0) return;
  await db.execute(sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
        as t(id uuid, lease uuid, "isReplay" boolean)
    )
    update webhook_events set lease_until = null, lease_owner = null,
      is_replay = is_replay or "isReplay"
    from given
    where webhook_events.id = any(array(select id from given))
      and webhook_events.id = given.id and lease_owner = given.lease`);
}
