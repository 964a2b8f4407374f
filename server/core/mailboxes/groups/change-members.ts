import { and, eq, inArray } from "drizzle-orm";

import { groupMembers } from "#drizzle/schema/index.ts";
import { recordAudits } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import { checkMailServer } from "#server/core/mailboxes/mailboxes/require-mail-server.ts";
import { inRevokingTransaction } from "#server/core/mailboxes/shares/in-revoking-transaction.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { addMembers } from "./create-group.ts";
import { MEMBERS_MAX, readAddresses } from "./group-fields.ts";
import { lockGroup, requireGroup } from "./internal/require-group.ts";
import { readShownGroup, type ShownGroup } from "./shown-group.ts";

/**
 * Adds members to a group and removes others. Touches only the named members, so concurrent changes to others
 * survive.
 *
 * @throws Refusal `not_found`, `invalid`, `mail_server_error`
 */
export async function changeMembers(
  ctx: Context,
  address: string,
  change: { add?: unknown[] | undefined; remove?: unknown[] | undefined },
): Promise<ShownGroup> {
  const group = await requireGroup(ctx, address);
  const add = readAddresses(change.add ?? [], "add");
  const remove = readAddresses(change.remove ?? [], "remove");
  if (add.includes(group.address))
    throw new Refusal("invalid", "add: must not include the group itself");
  const requireAnswer = await checkMailServer(ctx);
  return inRevokingTransaction(ctx, async (ctx) => {
    const { address: group } = await lockGroup(ctx, address);
    const { members } = await readShownGroup(ctx, group);
    const added = add.filter((member) => !members.includes(member));
    const removed = remove.filter((member) => members.includes(member) && !add.includes(member));
    if (members.length + added.length - removed.length > MEMBERS_MAX)
      throw new Refusal("invalid", `add: a group can have at most ${MEMBERS_MAX} members`);
    await removeMembers(ctx, group, removed);
    await addMembers(ctx, group, added);
    requireAnswer();
    return readShownGroup(ctx, group);
  });
}

/** Call in `inRevokingTransaction`. One audit entry per member. */
export async function removeMembers(ctx: Context, group: string, members: string[]): Promise<void> {
  if (members.length === 0) return;
  await ctx.db
    .delete(groupMembers)
    .where(and(eq(groupMembers.groupAddress, group), inArray(groupMembers.member, members)));
  const entries = members.map((member) => ({ group, member }));
  await recordAudits(ctx, "group.member_removed", entries);
}
