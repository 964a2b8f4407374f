import { sql, type SQL } from "drizzle-orm";

import { config } from "#server/config.ts";
import {
  originalMessage,
  type RecipientResult,
} from "#server/core/sending/bounce-messages/recipient-result.ts";
import { notifySenders } from "#server/core/sending/bounce-messages/send-dsn.ts";
import { type CompanyScope, inTransaction } from "#server/core/shared/context.ts";

/**
 * Puts queued mail of a mailbox on hold. Mail that a worker is delivering may still go out; if it can't,
 * recording the outcome puts it on hold too, provided that the mailbox's `sending_held_at` is set, so set
 * that first.
 *
 * @returns the number of recipients put on hold
 */
export async function holdQueued(ctx: CompanyScope, mailbox: string): Promise<number> {
  const isFree = sql`state = 'queued' and (lease_until is null or lease_until < clock_timestamp())`;
  const rows = await ctx.db.execute(sql`
    with found as materialized (${lockMailboxRows(ctx, mailbox, isFree)})
    update message_recipients r set state = 'held', lease_until = null, lease_owner = null
    from found where r.id = found.id
    returning r.id`);
  return rows.length;
}

/**
 * Releases the mail of a mailbox that is on hold: it is due at once, and its retry period restarts. Call
 * `wakeMessages` after the commit.
 *
 * @returns the number of recipients released
 */
export async function releaseHeld(ctx: CompanyScope, mailbox: string): Promise<number> {
  const rows = await ctx.db.execute(sql`
    with found as materialized (${lockMailboxRows(ctx, mailbox, sql`state = 'held'`)})
    update message_recipients r set state = 'queued',
      next_attempt_at = clock_timestamp(), created_at = clock_timestamp()
    from found where r.id = found.id
    returning r.id`);
  return rows.length;
}

/**
 * Drops the mail of a mailbox that is on hold, without notifying senders. Only forwards are returned to the
 * mailbox, since there may be no other copy. Call `wakeMessages` after the commit.
 *
 * @param returnsForwards false if the mailbox is deleted and no other mailbox has its address
 * @returns the number of recipients dropped
 */
export async function dropHeld(
  ctx: CompanyScope,
  mailbox: string,
  { returnsForwards = true } = {},
): Promise<number> {
  return inTransaction(ctx, async (ctx) => {
    const rows = await ctx.db.execute<Omit<RecipientResult, "result" | "delivery" | "host">>(sql`
      with found as materialized (${lockMailboxRows(ctx, mailbox, sql`state = 'held'`)})
      update message_recipients r set state = 'dropped', settled_at = clock_timestamp(),
        dsn = '5.7.1', reply = 'An admin dropped this message'
      from found, messages m where r.id = found.id and m.id = r.message_id
      returning r.id::text as "rowId", r.recipient, r.original_recipient as "originalRecipient",
        r.notify, r.dsn, r.reply, r.created_at as "createdAt", 0 as "waitedSeconds",
        false as "isDelayReported", ${originalMessage} as message`);
    const forwards = rows
      .filter(({ message }) => returnsForwards && message.origin === "forward")
      .map((row): RecipientResult => ({
        ...row,
        result: "bounced",
        delivery: "relayed",
        host: null,
      }));
    await notifySenders(ctx.db, config().hostname, forwards);
    return rows.length;
  });
}

/**
 * Selects and locks the recipients of a mailbox's sent messages that match `condition`. In id order, since
 * held mail can be released and dropped concurrently.
 */
const lockMailboxRows = (ctx: CompanyScope, mailbox: string, condition: SQL): SQL => sql`
  select id from message_recipients
  where message_id = any(array(
      select id from messages where mailbox = ${mailbox} and company_id = ${ctx.companyId}))
    and ${condition}
  order by id for no key update`;
