import { eq } from "drizzle-orm";

import { type Alias, aliases } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";

import { requireMailbox } from "./require-mailbox.ts";
import { viewableMailboxes } from "./viewable-mailboxes.ts";

/**
 * Lists a mailbox's aliases by address.
 *
 * @throws Refusal `not_found`, also if `callerPrivileges` don't include viewing it
 */
export async function listAliases(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  mailbox: string,
): Promise<Alias[]> {
  const { address } = await requireMailbox(ctx, mailbox, viewableMailboxes(callerPrivileges));
  return ctx.db.select().from(aliases).where(eq(aliases.mailbox, address)).orderBy(aliases.address);
}
