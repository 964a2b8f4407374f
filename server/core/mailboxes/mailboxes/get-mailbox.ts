import { and, eq } from "drizzle-orm";

import { addresses } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";

import { requireMailServer } from "./require-mail-server.ts";
import { requireMailbox } from "./require-mailbox.ts";
import { selectShownMailboxes, type ShownMailbox } from "./shown-mailbox.ts";
import { viewableMailboxes } from "./viewable-mailboxes.ts";

/**
 * @throws Refusal `not_found`, also if `callerPrivileges` don't include viewing it; `application_error` while Dovecot
 *   is down, because it provides the counts
 */
export async function getMailbox(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  address: string,
): Promise<ShownMailbox> {
  const mailbox = await requireMailbox(ctx, address, viewableMailboxes(callerPrivileges));
  await requireMailServer(ctx);
  return readShownMailbox(ctx, mailbox.address);
}

/** Reads the current state, within the caller's transaction if there is one. */
export async function readShownMailbox(ctx: Context, address: string): Promise<ShownMailbox> {
  const [mailbox] = await selectShownMailboxes(ctx).where(
    and(eq(addresses.address, address), eq(addresses.companyId, ctx.companyId)),
  );
  return mailbox!;
}
