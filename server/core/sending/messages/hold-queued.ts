import { sql } from "drizzle-orm";

import type { CompanyScope } from "#server/core/shared/context.ts";

import { lockMailboxRows } from "./internal/lock-mailbox-rows.ts";

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
