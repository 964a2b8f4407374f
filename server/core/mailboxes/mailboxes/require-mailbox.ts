import { and, eq, type SQL, sql } from "drizzle-orm";

import { type Mailbox, mailboxes } from "#drizzle/schema/index.ts";
import { readBareAddress } from "#server/core/shared/addresses/bare-address.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

const mailboxNotFound = () => new Refusal("not_found", "Mailbox not found");

/**
 * Finds the company's mailbox with this address, ignoring case.
 *
 * @param among restricts which mailboxes the caller can see
 * @throws Refusal `not_found`
 */
export async function requireMailbox(ctx: Context, address: string, among?: SQL): Promise<Mailbox> {
  const [mailbox] = await select(ctx, address, among);
  if (!mailbox) throw mailboxNotFound();
  return mailbox;
}

/** Like `requireMailbox`, and locks the row until the transaction ends. */
export async function lockMailbox(ctx: Context, address: string): Promise<Mailbox> {
  const [mailbox] = await select(ctx, address).for("update");
  if (!mailbox) throw mailboxNotFound();
  return mailbox;
}

const select = (ctx: Context, address: string, among?: SQL) =>
  ctx.db
    .select()
    .from(mailboxes)
    .where(and(named(address), eq(mailboxes.companyId, ctx.companyId), among));

/** Matches nothing if the text isn't an address. */
function named(text: string): SQL {
  const address = readBareAddress(text);
  return address === null ? sql`false` : eq(mailboxes.address, address);
}
