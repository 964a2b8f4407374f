import { and, eq } from "drizzle-orm";

import { mailboxes } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/context.ts";
import { Refusal } from "#server/core/refusals.ts";

/**
 * Lets one at a time change the app passwords of a mailbox, until the transaction ends.
 *
 * @throws Refusal `not_found` when the company has no such mailbox
 */
export async function lockMailbox({ db, companyId }: Context, mailbox: string): Promise<void> {
  const [found] = await db
    .select({ address: mailboxes.address })
    .from(mailboxes)
    .where(and(eq(mailboxes.address, mailbox), eq(mailboxes.companyId, companyId)))
    .for("update");
  if (!found) throw new Refusal("not_found", "Mailbox not found");
}
