import { and, eq } from "drizzle-orm";

import { type Quarantined, quarantine, quarantineContents } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { findGroup } from "#server/core/mailboxes/groups/groups.ts";
import { decodePendingPost } from "./pending-post.ts";
import { postApproved } from "./post-to-group.ts";

/**
 * Approves a message that is waiting for moderation and distributes it to the group's members.
 *
 * @param id of its row in `quarantine`
 * @throws Refusal `not_found` if it is no longer waiting; `invalid` if the group no longer accepts mail or has no members
 */
export async function approvePost(ctx: Context, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { held, content } = await removePendingPost(ctx, id);
    const group = await findGroup(ctx.db, held.recipients[0]!);
    if (group?.companyId !== ctx.companyId)
      throw new Refusal("invalid", `The group ${held.recipients[0]} no longer accepts mail`);
    const post = decodePendingPost({ ...held, message: new Message(content) });
    const posted = await postApproved(ctx.db, { group, post, id: held.id });
    if (posted.kind === "refused")
      throw new Refusal("invalid", `${posted.text}. Add members, or reject the message`);
    await recordAudit(ctx, "group.post_approved", auditDetails(held));
  });
  wakeMessages(ctx.db);
}

/**
 * Removes a message that is waiting for moderation from the quarantine. Call it in the transaction that approves
 * or rejects the message, so that only one of two concurrent decisions wins.
 *
 * @throws Refusal `not_found`
 */
export async function removePendingPost(ctx: Context, id: string) {
  const isHeld = and(
    eq(quarantine.id, id),
    eq(quarantine.companyId, ctx.companyId),
    eq(quarantine.reason, "moderation"),
  );
  const [found] = isUuid(id)
    ? await ctx.db
        .select({ held: quarantine, content: quarantineContents.content })
        .from(quarantine)
        .innerJoin(quarantineContents, eq(quarantineContents.quarantineId, quarantine.id))
        .where(isHeld)
        .for("update", { of: quarantine })
    : [];
  if (!found) throw new Refusal("not_found", "Message not found in quarantine");
  await ctx.db.delete(quarantine).where(isHeld);
  return found;
}

export const auditDetails = ({
  recipients: [group],
  sender,
  headerFrom,
  subject,
}: Quarantined) => ({
  ...{ group, sender, from: headerFrom, subject },
});
