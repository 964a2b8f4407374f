import { type SQL, sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import {
  FIRST_ID,
  FIRST_TIME,
  inOrderedBatches,
  type OrderedBatch,
} from "#server/db/in-batches.ts";

const CONTENT_DAYS = 3;
/**
 * For forwards and group copies: other servers retry for up to five days, and bounces return the whole
 * message.
 */
const FORWARDED_DAYS = 7;
/** A message can have 35 MiB. */
const CONTENTS_BATCH = 100;
const BATCH = 500;

/**
 * Deletes the bytes of messages three days after the last outcome (seven for forwards and group copies), and
 * messages `days` after acceptance. Keeps both while a recipient is queued or on hold. Works in small
 * transactions that skip locked rows.
 *
 * @returns the numbers deleted
 */
export async function deleteOldMessages(
  db: Db,
  days: number,
): Promise<{ contents: number; messages: number }> {
  const contents = await inOrderedBatches(CONTENTS_BATCH, FIRST_ID, (from) =>
    deleteContents(db, from),
  );
  const messages = await inOrderedBatches(BATCH, FIRST_TIME, (from) =>
    deleteMessages(db, days, from),
  );
  return { contents, messages };
}

async function deleteContents(db: Db, from: string): Promise<OrderedBatch> {
  const [batch] = await db.execute<OrderedBatch>(sql`
    with old as materialized (
      select c.message_id from message_contents c join messages m on m.id = c.message_id
      where c.message_id >= ${from}::uuid
        and m.created_at < ${CONTENT_END} and ${IS_DONE}
      order by c.message_id limit ${CONTENTS_BATCH}
      for update of c skip locked
    ), gone as (
      delete from message_contents where message_id = any(array(select message_id from old))
    )
    select count(*)::int as count, max(message_id::text collate "C") as last from old`);
  return batch!;
}

async function deleteMessages(db: Db, days: number, from: string): Promise<OrderedBatch> {
  const [batch] = await db.execute<OrderedBatch>(sql`
    with old as materialized (
      select m.id, m.created_at from messages m
      where m.created_at >= ${from}::text::timestamptz
        and m.created_at < ${daysAgo(days)} and ${IS_DONE}
      order by m.created_at limit ${BATCH}
      for update of m skip locked
    ), gone as (
      delete from messages where id = any(array(select id from old))
    )
    select count(*)::int as count, max(created_at)::text as last from old`);
  return batch!;
}

function daysAgo(days: number): SQL {
  return sql`statement_timestamp() - make_interval(days => ${days})`;
}

const CONTENT_END = sql`case when m.origin in ('forward', 'group') then ${daysAgo(FORWARDED_DAYS)}
  else ${daysAgo(CONTENT_DAYS)} end`;

/** The last outcome is old enough. */
const IS_DONE = sql`not exists (
  select from message_recipients r
  where r.message_id = m.id
    and (r.state in ('queued', 'held') or r.settled_at > ${CONTENT_END}))`;
