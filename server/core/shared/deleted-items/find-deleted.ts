import { and, arrayContains, eq, type SQL } from "drizzle-orm";

import { type DeletedItem, deletedItems } from "#drizzle/schema/index.ts";
import type { CompanyScope, Context } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

const listed = {
  id: deletedItems.id,
  kind: deletedItems.kind,
  name: deletedItems.name,
  title: deletedItems.title,
  domainId: deletedItems.domainId,
  store: deletedItems.store,
  storeHost: deletedItems.storeHost,
  storageBytes: deletedItems.storageBytes,
  messages: deletedItems.messages,
  deletedBy: deletedItems.deletedBy,
  createdAt: deletedItems.createdAt,
} satisfies Partial<Record<keyof DeletedItem, unknown>>;

/** A deleted item without its contents. */
export type Deleted = Pick<DeletedItem, keyof typeof listed>;

/** Selects a company's deleted items. */
export const selectDeleted = ({ db, companyId }: CompanyScope, where?: SQL) =>
  db
    .select(listed)
    .from(deletedItems)
    .where(and(eq(deletedItems.companyId, companyId), where))
    .$dynamic();

/**
 * Locks a deleted item until the transaction ends, so that it is either restored or deleted for good, and only once.
 *
 * @throws Refusal `not_found`
 */
export async function lockDeleted(ctx: Context, id: string): Promise<Deleted> {
  const [item] = isUuid(id) ? await selectDeleted(ctx, eq(deletedItems.id, id)).for("update") : [];
  if (!item) throw new Refusal("not_found", "Not found. It was restored or deleted permanently");
  return item;
}

/** The addresses that a locked deleted item had: its own, its aliases, or those of the domain. */
export async function listAddressesOf({ db }: Context, id: string): Promise<string[]> {
  const [item] = await db
    .select({ addresses: deletedItems.addresses })
    .from(deletedItems)
    .where(eq(deletedItems.id, id));
  return item?.addresses ?? [];
}

/** The deleted item of the company that has reserved an address. */
export async function findReservedAddress(
  ctx: CompanyScope,
  address: string,
): Promise<Deleted | undefined> {
  const [item] = await selectDeleted(
    ctx,
    and(eq(deletedItems.isReserved, true), arrayContains(deletedItems.addresses, [address])),
  );
  return item;
}

/** Deletes the record of an item that was restored, or whose last trace is gone. */
export async function forgetDeleted({ db }: Pick<CompanyScope, "db">, id: string): Promise<void> {
  await db.delete(deletedItems).where(eq(deletedItems.id, id));
}
