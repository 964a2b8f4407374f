import { sql } from "drizzle-orm";

import { mailboxShares } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { restoreRows } from "#server/core/shared/deleted-items/restore-rows.ts";

/** Restores how mailboxes were shared, as far as both sides exist and still belong to the company. */
export async function restoreShares({ db }: Context, itemId: string): Promise<void> {
  await restoreRows(db, itemId, mailboxShares, {
    where: sql`exists (select from mailboxes m where m.address = kept.mailbox and m.company_id = d.company_id)
      and exists (select from addresses a where a.address = kept.member and a.company_id = d.company_id
        and a.kind in ('mailbox', 'group'))`,
  });
}
