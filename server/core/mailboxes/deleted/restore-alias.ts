import { aliases } from "#drizzle/schema/index.ts";
import { refreshRules } from "#server/core/mailboxes/mailbox-rules/save-rules.ts";
import { lockMailbox } from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import { type Deleted, forgetDeleted } from "#server/core/shared/deleted-items/find-deleted.ts";
import { restoreRows } from "#server/core/shared/deleted-items/restore-rows.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { lockDomainsOfDeleted, restoreAddresses } from "./restore-addresses.ts";

/**
 * Restores a locked deleted alias. Call in a transaction.
 *
 * @throws Refusal as `lockDomainsOfDeleted` and `restoreAddresses`; `invalid` if its mailbox no longer exists
 */
export async function restoreAlias(ctx: Context, item: Deleted): Promise<void> {
  const { id, name: alias, title: mailbox } = item;
  await lockDomainsOfDeleted(ctx, item);
  await lockMailbox(ctx, mailbox).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal("invalid", `The mailbox ${mailbox} is deleted. Restore it first`);
  });
  await restoreAddresses(ctx, item);
  await restoreRows(ctx.db, id, aliases);
  await refreshRules(ctx, mailbox);
  await forgetDeleted(ctx, id);
  await recordAudit(ctx, "alias.undeleted", { alias, mailbox });
}
