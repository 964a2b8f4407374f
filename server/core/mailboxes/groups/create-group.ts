import { groupMembers, groups } from "#drizzle/schema/index.ts";
import {
  lockVerifiedDomain,
  readNewAddress,
  reserveAddress,
} from "#server/core/mailboxes/addresses/new-address.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { recordAudit, recordAudits } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { readFields } from "#server/core/shared/read-fields.ts";
import { checkMailServer } from "#server/core/mailboxes/mailboxes/require-mail-server.ts";

import { readAddresses, readGroupName, readMembers } from "./group-fields.ts";
import type { ShownGroup } from "./shown-group.ts";

export type NewGroup = {
  address: string;
  /** "" for none. */
  name: string;
  /** Validated here. */
  members: unknown[];
};

/**
 * Creates a group with default access settings.
 *
 * @throws Refusal `invalid`, `already_exists`, `mail_server_error`
 */
export async function createGroup(ctx: Context, input: NewGroup): Promise<ShownGroup> {
  const { address, name } = readFields({
    address: () => readNewAddress(input.address, "address"),
    name: () => readGroupName(input.name),
    members: () => readAddresses(input.members, "members"),
  });
  const members = readMembers(input.members, address);
  const requireAnswer = await checkMailServer(ctx);
  return inTransaction(ctx, async (ctx) => {
    const domainId = await lockVerifiedDomain(ctx, addressDomain(address), "address");
    await reserveAddress(ctx, { address, domainId, kind: "group", field: "address" });
    const [group] = await ctx.db
      .insert(groups)
      .values({ address, companyId: ctx.companyId, name })
      .returning();
    await recordAudit(ctx, "group.created", { group: address, name });
    await addMembers(ctx, address, members);
    requireAnswer();
    return { ...group!, members };
  });
}

/** One audit entry per member. @throws Refusal `invalid_permission` as `requireMayOpen` */
export async function addMembers(ctx: Context, group: string, members: string[]): Promise<void> {
  if (members.length === 0) return;
  await requireMayOpen(ctx, [group]);
  await ctx.db
    .insert(groupMembers)
    .values(members.map((member) => ({ groupAddress: group, member })));
  const entries = members.map((member) => ({ group, member }));
  await recordAudits(ctx, "group.member_added", entries);
}
