import { failingMembers, groupMembers, groups } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import { type Deleted, forgetDeleted } from "#server/core/shared/deleted-items/find-deleted.ts";
import { restoreRows } from "#server/core/shared/deleted-items/restore-rows.ts";

import { restoreShares } from "./restore-shares.ts";
import { lockDomainsOfDeleted, restoreAddresses } from "./restore-addresses.ts";

/**
 * Restores a locked deleted group with its settings and members, as it was. Call in a transaction.
 *
 * @throws Refusal as `lockDomainsOfDeleted` and `restoreAddresses`
 */
export async function restoreGroup(ctx: Context, item: Deleted): Promise<void> {
  const { id, name: group } = item;
  await lockDomainsOfDeleted(ctx, item);
  await restoreAddresses(ctx, item);
  for (const table of [groups, groupMembers, failingMembers]) await restoreRows(ctx.db, id, table);
  await restoreShares(ctx, id);
  await forgetDeleted(ctx, id);
  await recordAudit(ctx, "group.undeleted", { group });
}
