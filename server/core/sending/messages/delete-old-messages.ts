import { type SQL, sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import { inBatches } from "#server/db/in-batches.ts";

const CONTENT_RETENTION_DAYS = 3;
/**
 * For forwards and group copies: other servers give up after five days, and bounces are returned with the
 * whole message.
 */
const FORWARDED_RETENTION_DAYS = 7;
const RETENTION_DAYS = 30;
/** A message may have 35 MiB. */
const CONTENTS_BATCH = 100;
const BATCH = 500;

/**
 * Deletes the bytes of messages three days after the last recipient was settled (of forwards and groups' copies seven), and
 * messages with all that is known of them thirty days after they were taken on. Nothing goes while a recipient waits or is held.
 * In small transactions that never wait for anyone.
 *
 * @returns how many there were of each
 */
export async function deleteOldMessages(db: Db): Promise<{ contents: number; messages: number }> {
  const contents = await inBatches(CONTENTS_BATCH, () => deleteContents(db));
  const messages = await inBatches(BATCH, () => deleteMessages(db));
  return { contents, messages };
}

async function deleteContents(db: Db): Promise<number> {
  const rows = await db.execute(sql`
    with old as materialized (
      select c.message_id from message_contents c join messages m on m.id = c.message_id
      where m.created_at < ${CONTENT_END} and ${IS_DONE}
      limit ${CONTENTS_BATCH}
      for update of c skip locked
    )
    delete from message_contents where message_id = any(array(select message_id from old))
    returning message_id`);
  return rows.length;
}

async function deleteMessages(db: Db): Promise<number> {
  const rows = await db.execute(sql`
    with old as materialized (
      select m.id from messages m
      where m.created_at < ${daysAgo(RETENTION_DAYS)} and ${IS_DONE}
      order by m.created_at limit ${BATCH}
      for update of m skip locked
    )
    delete from messages where id = any(array(select id from old))
    returning id`);
  return rows.length;
}

function daysAgo(days: number): SQL {
  return sql`statement_timestamp() - make_interval(days => ${days})`;
}

const CONTENT_END = sql`case when m.origin in ('forward', 'group') then ${daysAgo(FORWARDED_RETENTION_DAYS)}
  else ${daysAgo(CONTENT_RETENTION_DAYS)} end`;

/** The last recipient was settled long enough ago. */
const IS_DONE = sql`not exists (
  select from message_recipients r
  where r.message_id = m.id
    and (r.state in ('queued', 'held') or r.settled_at > ${CONTENT_END}))`;
