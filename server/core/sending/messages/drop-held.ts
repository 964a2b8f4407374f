import { sql } from "drizzle-orm";

import { config } from "#server/config.ts";
import { type CompanyScope, inTransaction } from "#server/core/shared/context.ts";

import { originalMessage } from "#server/core/sending/bounce-messages/original-message.ts";
import type { RecipientResult } from "#server/core/sending/bounce-messages/recipient-result.ts";
import { notifySenders } from "#server/core/sending/bounce-messages/notify-senders.ts";
import { lockMailboxRows } from "./internal/lock-mailbox-rows.ts";

/**
 * Drops the mail of a mailbox that is on hold, without notifying senders. Only forwards are returned to the
 * mailbox, since there may be no other copy. Call `wakeMessages` after the commit.
 *
 * @returns the number of recipients dropped
 */
export async function dropHeld(ctx: CompanyScope, mailbox: string): Promise<number> {
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
      .filter(({ message }) => message.origin === "forward")
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
