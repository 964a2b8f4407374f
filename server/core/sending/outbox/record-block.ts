import { sql } from "drizzle-orm";

import { plainText } from "#server/core/shared/mime/plain-text.ts";
import type { Db } from "#server/db/client.ts";

const RETENTION_DAYS = 7;
/** Longer than mail is retried: a block not seen since then has ended, and the next one is new. */
const NEW_AFTER_HOURS = 48;

export type DeliveryBlock = { destination: string; host: string | null; reply: string };

/** Records that a destination blocks this server, for operators, and deletes old records. */
export async function recordBlock(
  db: Db,
  { destination, host, reply }: DeliveryBlock,
): Promise<void> {
  await db.execute(sql`
    with old as (
      delete from delivery_blocks where destination <> ${destination}
        and last_seen_at < clock_timestamp() - make_interval(days => ${RETENTION_DAYS})
    )
    insert into delivery_blocks as known (destination, host, reply)
    values (${destination}, ${host}, ${plainText(reply)})
    on conflict (destination) do update set host = excluded.host, reply = excluded.reply,
      last_seen_at = excluded.last_seen_at,
      first_seen_at = case
        when known.last_seen_at < clock_timestamp() - make_interval(hours => ${NEW_AFTER_HOURS})
        then excluded.first_seen_at else known.first_seen_at end`);
}
