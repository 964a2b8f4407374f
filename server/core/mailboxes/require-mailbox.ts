import { and, eq } from "drizzle-orm";

import { type Mailbox, mailboxes } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/context.ts";
import { Refusal } from "#server/core/refusals.ts";

export const mailboxNotFound = () => new Refusal("not_found", "Mailbox not found");

/**
 * The company's mailbox of this address, in any case.
 *
 * @throws Refusal `not_found`
 */
export async function requireMailbox(ctx: Context, address: string): Promise<Mailbox> {
  const [mailbox] = await select(ctx, address);
  if (!mailbox) throw mailboxNotFound();
  return mailbox;
}

/** As `requireMailbox`, the row held until the caller's transaction ends: nobody else changes or deletes it. */
export async function lockMailbox(ctx: Context, address: string): Promise<Mailbox> {
  const [mailbox] = await select(ctx, address).for("update");
  if (!mailbox) throw mailboxNotFound();
  return mailbox;
}

const select = (ctx: Context, address: string) =>
  ctx.db
    .select()
    .from(mailboxes)
    .where(
      and(eq(mailboxes.address, address.toLowerCase()), eq(mailboxes.companyId, ctx.companyId)),
    );
