import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import { type Deleted, forgetDeleted } from "#server/core/shared/deleted-items/find-deleted.ts";

import { lockDomainsOfDeleted, restoreAddresses } from "./restore-addresses.ts";

/**
 * Restores a locked deleted inbound address. Call in a transaction.
 *
 * @throws Refusal as `lockDomainsOfDeleted` and `restoreAddresses`
 */
export async function restoreInboundAddress(ctx: Context, item: Deleted): Promise<void> {
  await lockDomainsOfDeleted(ctx, item);
  await restoreAddresses(ctx, item);
  await forgetDeleted(ctx, item.id);
  await recordAudit(ctx, "inbound_address.undeleted", { address: item.name });
}
