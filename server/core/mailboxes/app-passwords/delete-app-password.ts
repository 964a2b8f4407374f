import { and, eq } from "drizzle-orm";

import { appPasswords } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import {
  endMailAppSessions,
  promiseMailAppEnd,
} from "#server/core/mailboxes/mailboxes/end-mail-sessions.ts";
import { lockMailbox } from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/**
 * Deletes an app password: it is dead at once, and whatever mail app was signed in to the mailbox has to
 * sign in again, whichever password it used, by a job where the mail server cannot be asked now.
 *
 * @throws Refusal `not_found` when the context's company has no such mailbox, or the mailbox no such app
 *   password
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
    await promiseMailAppEnd(tx.db, mailbox);
  });
  await endMailAppSessions(mailbox);
}

const notFound = () => new Refusal("not_found", "App password not found");
