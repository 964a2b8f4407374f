import { restoreDomain } from "#server/core/domains/domains/restore-domain.ts";
import { restoreAlias } from "#server/core/mailboxes/deleted/restore-alias.ts";
import { restoreGroup } from "#server/core/mailboxes/deleted/restore-group.ts";
import { restoreInboundAddress } from "#server/core/mailboxes/deleted/restore-inbound-address.ts";
import { restoreMailbox } from "#server/core/mailboxes/deleted/restore-mailbox.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { checkMailServer } from "#server/core/mailboxes/mailboxes/require-mail-server.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import {
  type Deleted,
  listAddressesOf,
  lockDeleted,
} from "#server/core/shared/deleted-items/find-deleted.ts";

const RESTORE = {
  alias: restoreAlias,
  group: restoreGroup,
  domain: restoreDomain,
  inbound: restoreInboundAddress,
} as const;

/**
 * Restores a deleted mailbox, alias, group, inbound address or domain of the company.
 *
 * @returns the item, and a mailbox's quota if the plan's cap has lowered it
 * @throws Refusal `not_found` if it was restored or deleted for good; the errors of the function of its kind; `invalid_permission` as
 *   `requireMayOpen`; `mail_server_error`
 */
export async function restoreDeleted(
  ctx: Context,
  id: string,
): Promise<Deleted & { loweredQuotaMb: number | null }> {
  const requireAnswer = await checkMailServer(ctx);
  return inTransaction(ctx, async (ctx) => {
    const item = await lockDeleted(ctx, id);
    const own = await listAddressesOf(ctx, id);
    let loweredQuotaMb = null;
    if (item.kind === "mailbox") loweredQuotaMb = await restoreMailbox(ctx, item);
    else await RESTORE[item.kind](ctx, item);
    // After its shares, members and aliases are back.
    await requireMayOpen(ctx, own);
    requireAnswer();
    return { ...item, loweredQuotaMb };
  });
}
