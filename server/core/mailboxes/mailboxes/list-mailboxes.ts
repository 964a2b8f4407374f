import { and, eq, type SQL } from "drizzle-orm";

import { addresses } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { pageByAddress } from "#server/core/shared/paging/by-address.ts";
import {
  invalidCursor,
  type Page,
  type PageRequest,
  toPage,
} from "#server/core/shared/paging/page.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";

import { inDomain } from "./internal/mailbox-conditions.ts";
import { requireMailServer } from "./require-mail-server.ts";
import { selectShownMailboxes, type ShownMailbox } from "./shown-mailbox.ts";
import { viewableMailboxes } from "./viewable-mailboxes.ts";

/**
 * A page of the company's mailboxes that `callerPrivileges` allow viewing, by address.
 *
 * @throws Refusal `invalid` for a cursor that is not in the list, or a domain that isn't the company's or
 *   whose ownership isn't verified; `application_error` while Dovecot is down, because it provides the counts
 */
export async function listMailboxes(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  page: PageRequest,
  filter: { domain?: string | undefined } = {},
): Promise<Page<ShownMailbox>> {
  const inList = and(await inDomain(ctx, filter.domain), viewableMailboxes(callerPrivileges));
  const list = pageByAddress(addresses.address, inList, page);
  if (list.cursor !== null) await requireInList(ctx, list.cursor, inList);
  const reading = selectShownMailboxes(ctx)
    .where(list.where)
    .orderBy(list.orderBy)
    .limit(page.limit + 1);
  const [rows] = await Promise.all([reading, requireMailServer(ctx)]);
  return toPage(rows, page);
}

async function requireInList(ctx: Context, cursor: string, inList: SQL | undefined): Promise<void> {
  const [found] = await selectShownMailboxes(ctx).where(and(inList, eq(addresses.address, cursor)));
  if (!found) throw invalidCursor();
}
