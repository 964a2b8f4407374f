import { sql } from "drizzle-orm";

import { scheduleMailAppEnd } from "#server/core/access/sessions/schedule-mail-app-end.ts";
import { endMailAppSessions } from "#server/core/mailboxes/mailboxes/end-mail-sessions.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { lock } from "#server/db/advisory-locks.ts";

/**
 * Runs a transaction that can end access to shared mailboxes, then ends the mail app sessions of all who can do less than before: what
 * they can open is determined when they sign in. A job ends them again, in case a sign-in was in progress or Dovecot doesn't respond.
 */
export async function inRevokingTransaction<T>(
  ctx: Context,
  work: (ctx: Context) => Promise<T>,
): Promise<T> {
  const { result, viewers } = await inTransaction(ctx, async (ctx) => {
    await lock(ctx.db, "sharedMailboxes", ctx.companyId);
    const before = await listViews(ctx);
    const result = await work(ctx);
    const after = new Set(before.length > 0 ? (await listViews(ctx)).map(key) : []);
    const lost = before.filter((view) => !after.has(key(view))).map(({ viewer }) => viewer);
    const viewers = [...new Set(lost)].toSorted();
    await scheduleMailAppEnd(ctx, ...viewers);
    return { result, viewers };
  });
  for (const viewer of viewers) await endMailAppSessions(ctx, viewer);
  return result;
}

type View = { viewer: string; mailbox: string; canWrite: boolean };

const key = ({ viewer, mailbox, canWrite }: View) => `${viewer} ${mailbox} ${canWrite}`;

const listViews = ({ db, companyId }: Context) =>
  db.execute<View>(sql`
    select v.viewer, v.mailbox, v.can_write as "canWrite" from mailbox_viewers v
    where v.viewer in (select address from mailboxes where company_id = ${companyId})
      and exists (select from mailbox_shares s join mailboxes m on m.address = s.mailbox where m.company_id = ${companyId})`);
