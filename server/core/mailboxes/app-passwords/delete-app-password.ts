import { and, eq } from "drizzle-orm";

import { appPasswords } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { scheduleMailAppEnd } from "#server/core/access/sessions/schedule-mail-app-end.ts";
import { endMailAppSessions } from "#server/core/mailboxes/mailboxes/end-mail-sessions.ts";
import { lockMailbox } from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/**
 * Deletes an app password and disconnects the mailbox's mail apps, whichever password they used; if the mail
 * server doesn't respond, a job disconnects them later.
 *
 * @throws Refusal `not_found` for the mailbox or the app password
 */
export async function deleteAppPassword(ctx: Context, mailbox: string, id: string): Promise<void> {
  if (!isUuid(id)) throw notFound();
  await inTransaction(ctx, async (tx) => {
    await lockMailbox(tx, mailbox);
    const [deleted] = await tx.db
      .delete(appPasswords)
      .where(and(eq(appPasswords.id, id), eq(appPasswords.mailbox, mailbox)))
      .returning({ name: appPasswords.name });
    if (!deleted) throw notFound();
    await recordAudit(tx, "app_password.deleted", { id, mailbox, name: deleted.name });
    await scheduleMailAppEnd(tx, mailbox);
  });
  await endMailAppSessions(ctx, mailbox);
}

const notFound = () => new Refusal("not_found", "App password not found");
