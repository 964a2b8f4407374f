import { sql } from "drizzle-orm";

import type { CompanyScope } from "#server/core/shared/context.ts";

import { lockMailboxRows } from "./internal/lock-mailbox-rows.ts";

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
