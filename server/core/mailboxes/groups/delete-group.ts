import { eq } from "drizzle-orm";

import { addresses } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { askMailServer } from "#server/core/mailboxes/mailboxes/require-mail-server.ts";

import { lockGroup } from "./internal/require-group.ts";

/**
 * Deletes a group with its settings and its list of members, for good. Mail that was distributed goes
 * on; mail that waits for a moderator can only be thrown away.
 *
 * @returns its address
 * @throws Refusal `not_found`, `mail_server_error`
 */
export async function deleteGroup(ctx: Context, named: string): Promise<string> {
  const requireAnswer = await askMailServer();
  return inTransaction(ctx, async (ctx) => {
    const { address } = await lockGroup(ctx, named);
    await ctx.db.delete(addresses).where(eq(addresses.address, address));
    await recordAudit(ctx, "group.deleted", { group: address });
    requireAnswer();
    return address;
  });
}
