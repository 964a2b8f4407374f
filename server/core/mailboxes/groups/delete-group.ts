import { eq } from "drizzle-orm";

import { addresses } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { checkMailServer } from "#server/core/mailboxes/mailboxes/require-mail-server.ts";

import { lockGroup } from "./internal/require-group.ts";

/**
 * Deletes a group with its settings and members. Mail already distributed is still delivered; posts awaiting
 * moderation can then only be discarded.
 *
 * @returns its address
 * @throws Refusal `not_found`, `mail_server_error`
 */
export async function deleteGroup(ctx: Context, named: string): Promise<string> {
  const requireAnswer = await checkMailServer(ctx);
  return inTransaction(ctx, async (ctx) => {
    const { address } = await lockGroup(ctx, named);
    await ctx.db.delete(addresses).where(eq(addresses.address, address));
    await recordAudit(ctx, "group.deleted", { group: address });
    requireAnswer();
    return address;
  });
}
