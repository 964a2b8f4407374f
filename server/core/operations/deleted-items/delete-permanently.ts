import { and, eq, ne } from "drizzle-orm";

import { deletedItems, domains } from "#drizzle/schema/index.ts";
import { discardStore } from "#server/core/mailboxes/deleted/discard-store.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import {
  type Deleted,
  forgetDeleted,
  lockDeleted,
  selectDeleted,
} from "#server/core/shared/deleted-items/find-deleted.ts";

/**
 * Deletes a deleted mailbox, alias, group or domain of the company for good. What was deleted from a domain before it goes with the domain: without
 * it, it couldn't be restored. It stays if the company has the name again.
 *
 * @throws Refusal `not_found` if it was restored or deleted for good
 */
export async function deletePermanently(ctx: Context, id: string): Promise<Deleted> {
  return inTransaction(ctx, async (ctx) => {
    const item = await lockDeleted(ctx, id);
    const { domainId, name } = item;
    const isOwn = and(eq(domains.companyId, ctx.companyId), eq(domains.name, name));
    const parts =
      item.kind === "domain" && (await ctx.db.$count(domains, isOwn)) === 0
        ? await selectDeleted(
            ctx,
            and(eq(deletedItems.domainId, domainId), ne(deletedItems.id, id)),
          ).for("update")
        : [];
    for (const each of [...parts, item]) await discard(ctx, each);
    return item;
  });
}

async function discard(ctx: Context, { id, kind, name, store }: Deleted): Promise<void> {
  if (store !== null) await discardStore(ctx, { store, address: name });
  await forgetDeleted(ctx, id);
  await recordAudit(ctx, `${kind}.deleted_permanently`, { name });
}
