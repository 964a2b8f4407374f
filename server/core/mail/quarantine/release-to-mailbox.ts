import { eq, sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";

import { type Quarantined, quarantine, quarantineContents } from "#drizzle/schema/index.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";

import { quarantinedNotFound } from "./internal/require-quarantined.ts";
import { findOwnQuarantined } from "./own-quarantine.ts";
import { release } from "./release-quarantined.ts";

/**
 * Releases a message to one of its mailboxes, at the request of the mailbox user. It stays in quarantine for the others.
 *
 * @throws Refusal `not_found` if it is no longer in quarantine for the mailbox, or not visible to its user; `not_allowed`
 *   if the mailbox's policies don't let the user release it
 */
export async function releaseToMailbox(ctx: Context, mailbox: string, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await ctx.db.execute(sql`
      select from ${quarantine} where id = ${id}::uuid and company_id = ${ctx.companyId} for update`);
    const held = await findOwnQuarantined(ctx, mailbox, id);
    if (!held) throw quarantinedNotFound();
    if (!held.canRelease)
      throw new Refusal("not_allowed", "Only an admin can release this message");
    const own = held.recipients.length > 1 ? await splitOff(ctx, held, mailbox) : id;
    await release(ctx, own, ["spam"]);
  });
  wakeMessages(ctx.db);
}

/** Moves a recipient of a locked message to a copy of it, and returns the copy's id. */
async function splitOff(
  ctx: Context,
  { id, ...held }: Quarantined,
  mailbox: string,
): Promise<string> {
  const copy = uuidv7();
  await ctx.db.insert(quarantine).values({ ...held, id: copy, recipients: [mailbox] });
  await ctx.db.execute(sql`
    insert into ${quarantineContents} (quarantine_id, content)
    select ${copy}::uuid, content from ${quarantineContents} where quarantine_id = ${id}::uuid`);
  await ctx.db
    .update(quarantine)
    .set({ recipients: held.recipients.filter((recipient) => recipient !== mailbox) })
    .where(eq(quarantine.id, id));
  return copy;
}
