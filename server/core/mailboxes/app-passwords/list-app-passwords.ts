import { and, desc, eq } from "drizzle-orm";

import { type AppPassword, appPasswords, mailboxes } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

export type ListedAppPassword = Omit<AppPassword, "mailbox" | "secretHash">;

/** Lists a mailbox's app passwords, at most 25, newest first. */
export async function listAppPasswords(
  { db, companyId }: Context,
  mailbox: string,
): Promise<ListedAppPassword[]> {
  return db
    .select({
      id: appPasswords.id,
      name: appPasswords.name,
      createdAt: appPasswords.createdAt,
      lastUsedAt: appPasswords.lastUsedAt,
      lastUsedFor: appPasswords.lastUsedFor,
      lastUsedFrom: appPasswords.lastUsedFrom,
    })
    .from(appPasswords)
    .innerJoin(mailboxes, eq(mailboxes.address, appPasswords.mailbox))
    .where(and(eq(appPasswords.mailbox, mailbox), eq(mailboxes.companyId, companyId)))
    .orderBy(desc(appPasswords.createdAt), desc(appPasswords.id));
}
