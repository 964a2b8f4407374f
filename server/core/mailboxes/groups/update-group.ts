import { eq } from "drizzle-orm";

import { groupMembers, groups } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { inRevokingTransaction } from "#server/core/mailboxes/shares/in-revoking-transaction.ts";
import { checkMailServer } from "#server/core/mailboxes/mailboxes/require-mail-server.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { removeMembers } from "./change-members.ts";
import { addMembers } from "./create-group.ts";
import { readGroupName, readMembers } from "./group-fields.ts";
import { lockGroup, requireGroup } from "./internal/require-group.ts";
import { readShownGroup, type ShownGroup } from "./shown-group.ts";

/** Omitted fields keep their values. */
export type GroupChange = {
  /** "" removes it. */
  name?: string | undefined;
  /** The complete new list. */
  members?: unknown[] | undefined;
};

/**
 * Changes a group's name, its members, or both. Audits each added or removed member.
 *
 * @throws Refusal `not_found`; `invalid`, also if nothing is to change; `mail_server_error`
 */
export async function updateGroup(
  ctx: Context,
  address: string,
  change: GroupChange,
): Promise<ShownGroup> {
  const group = await requireGroup(ctx, address);
  if (change.name === undefined && change.members === undefined)
    throw new Refusal("invalid", "Set at least one of name and members");
  const name = change.name === undefined ? undefined : readGroupName(change.name);
  const members =
    change.members === undefined ? undefined : readMembers(change.members, group.address);
  const requireAnswer = await checkMailServer(ctx);
  const transaction = members === undefined ? inTransaction : inRevokingTransaction;
  return transaction(ctx, async (ctx) => {
    const before = await lockGroup(ctx, group.address);
    if (name !== undefined && name !== before.name) {
      await ctx.db.update(groups).set({ name }).where(eq(groups.address, before.address));
      await recordAudit(ctx, "group.renamed", {
        group: before.address,
        from: before.name,
        to: name,
      });
    }
    if (members !== undefined) await replaceMembers(ctx, before.address, members);
    requireAnswer();
    return readShownGroup(ctx, before.address);
  });
}

async function replaceMembers(ctx: Context, group: string, members: string[]): Promise<void> {
  const ofGroup = eq(groupMembers.groupAddress, group);
  const rows = await ctx.db
    .select({ member: groupMembers.member })
    .from(groupMembers)
    .where(ofGroup);
  const before = new Set(rows.map(({ member }) => member));
  const after = new Set(members);
  const removed = [...before.difference(after)].sort();
  await removeMembers(ctx, group, removed);
  await addMembers(ctx, group, [...after.difference(before)]);
}
