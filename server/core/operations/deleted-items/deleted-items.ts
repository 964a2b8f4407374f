import { and, asc, eq, inArray, lt, ne, sql } from "drizzle-orm";

import { addresses, aliases, deletedItems, domains } from "#drizzle/schema/index.ts";
import { restoreDomain } from "#server/core/domains/domains/deleted-domains.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import {
  restoreAlias,
  restoreGroup,
  restoreInboundAddress,
} from "#server/core/mailboxes/deleted/deleted-addresses.ts";
import {
  discardStore,
  restoreDeletedMailbox,
} from "#server/core/mailboxes/deleted/deleted-mailboxes.ts";
import { checkMailServer } from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { inRevokingTransaction } from "#server/core/mailboxes/shares/shares.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import { dropHeld } from "#server/core/sending/messages/held-messages.ts";
import { wakeMessages } from "#server/core/sending/messages/messages.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, createContext, inTransaction } from "#server/core/shared/context.ts";
import {
  type Deleted,
  forgetDeleted,
  listAddressesOf,
  lockDeleted,
  selectDeleted,
} from "#server/core/shared/deleted-items/deleted-items.ts";
import {
  byTime,
  type CountedPage,
  type DirectedPageRequest,
  pageSorted,
} from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

export type DeletedList = {
  /** With the mailbox that gets the mail of a deleted one; null if it is rejected. */
  page: CountedPage<Deleted & { deliversTo: string | null }>;
  /** How long deleted items can be restored. */
  keptDays: number;
  /** Total size of the company's deleted mailboxes. */
  storageBytes: number;
};

/**
 * Lists what the company has deleted and can restore.
 *
 * @throws Refusal `invalid` for a cursor that isn't in the list
 */
export async function listDeleted(ctx: Context, page: DirectedPageRequest): Promise<DeletedList> {
  const isOwn = eq(deletedItems.companyId, ctx.companyId);
  const order = byTime(deletedItems, page.direction);
  const paged = pageSorted(ctx.db, deletedItems, order, { inList: isOwn }, page);
  const shown = await paged.read({ where: (condition) => selectDeleted(ctx, condition) });
  const names = shown.rows.flatMap(({ kind, name }) => (kind === "mailbox" ? [name] : []));
  const [settings, heirs, [sum]] = await Promise.all([
    readSettings(ctx.db),
    selectHeirs(ctx, names),
    ctx.db
      .select({ bytes: sql<number>`coalesce(sum(${deletedItems.storageBytes}), 0)::float8` })
      .from(deletedItems)
      .where(isOwn),
  ]);
  const heirOf = new Map(heirs.map(({ address, mailbox }) => [address, mailbox]));
  const rowsWithHeirs = shown.rows.map((item) => ({
    ...item,
    deliversTo: item.kind === "mailbox" ? (heirOf.get(item.name) ?? null) : null,
  }));
  return {
    page: { ...shown, rows: rowsWithHeirs },
    keptDays: settings.keep_deleted_days,
    storageBytes: sum!.bytes,
  };
}

/** Who gets the mail to these addresses. Another company can have verified the domain meanwhile. */
const selectHeirs = (ctx: Context, names: string[]) =>
  ctx.db
    .select({ address: aliases.address, mailbox: aliases.mailbox })
    .from(aliases)
    .innerJoin(addresses, eq(addresses.address, aliases.address))
    .where(
      and(
        inArray(aliases.address, names),
        eq(addresses.companyId, ctx.companyId),
        eq(aliases.active, true),
      ),
    );

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
  return inRevokingTransaction(ctx, async (ctx) => {
    const item = await lockDeleted(ctx, id);
    const own = await listAddressesOf(ctx, id);
    let loweredQuotaMb = null;
    if (item.kind === "mailbox") loweredQuotaMb = await restoreDeletedMailbox(ctx, item);
    else await RESTORE[item.kind](ctx, item);
    // After its shares, members and aliases are back.
    await requireMayOpen(ctx, own);
    requireAnswer();
    return { ...item, loweredQuotaMb };
  });
}

/**
 * Deletes a deleted mailbox, alias, group or domain of the company for good. What was deleted from a domain before it goes with the domain: without
 * it, it couldn't be restored. It stays if the company has the name again.
 *
 * @throws Refusal `not_found` if it was restored or deleted for good
 */
export async function deletePermanently(ctx: Context, id: string): Promise<Deleted> {
  const deleted = await inTransaction(ctx, async (ctx) => {
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
  wakeMessages(ctx.db);
  return deleted;
}

async function discard(
  ctx: Context,
  { id, kind, name, store, isReserved }: Deleted,
): Promise<void> {
  if (store !== null) await discardStore(ctx, { store, address: name });
  // Otherwise it was dropped with the mailbox, and another one can have the address.
  if (kind === "mailbox" && isReserved) {
    const heirs = await selectHeirs(ctx, [name]);
    await dropHeld(ctx, name, { returnsForwards: heirs.length > 0 });
  }
  await forgetDeleted(ctx, id);
  await recordAudit(ctx, `${kind}.deleted_permanently`, { name });
}

const isOld = (days: number) =>
  lt(deletedItems.createdAt, sql`statement_timestamp() - make_interval(days => ${days})`);

/** Counts what `deleteOldItems` would delete. */
export const countOldItems = (db: Db, days: number): Promise<number> =>
  db.$count(deletedItems, isOld(days));

/**
 * Deletes items for good that were deleted so many days ago, each in a transaction of its own. Safe to run concurrently.
 *
 * @returns how many it deleted
 */
export async function deleteOldItems(db: Db, days: number): Promise<number> {
  const old = await db
    .select({ id: deletedItems.id, companyId: deletedItems.companyId })
    .from(deletedItems)
    .where(isOld(days))
    .orderBy(asc(deletedItems.createdAt));
  let deleted = 0;
  for (const { id, companyId } of old) {
    const ctx = createContext(db, companyId, { kind: "system", task: "apply_retention" });
    try {
      await deletePermanently(ctx, id);
      deleted++;
    } catch (error) {
      // Restored, or deleted by someone else, in the meantime.
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return deleted;
}
