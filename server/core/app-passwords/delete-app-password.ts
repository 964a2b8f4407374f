import { and, eq } from "drizzle-orm";

import { appPasswords } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/context.ts";
import { isUuid } from "#server/core/paging/page.ts";
import { Refusal } from "#server/core/refusals.ts";
import { dovecotAdmin, DovecotError } from "#server/gateways/dovecot.ts";

import { lockMailbox } from "./lock-mailbox.ts";

/**
 * Deletes an app password: it is dead at once, and whatever mail app was signed in to the mailbox has to
 * sign in again, whichever password it used.
 *
 * @throws Refusal `not_found` when the context's company has no such mailbox, or the mailbox no such app
 *   password; `mail_server_error` when it is deleted but the sessions could not be ended
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
  });
  await endSessions(mailbox);
}

const notFound = () => new Refusal("not_found", "App password not found");

async function endSessions(mailbox: string): Promise<void> {
  try {
    await dovecotAdmin().kick(mailbox);
  } catch (error) {
    if (!(error instanceof DovecotError)) throw error;
    throw new Refusal(
      "mail_server_error",
      "The app password is deleted, but mail apps that are signed in could not be signed out",
    );
  }
}
