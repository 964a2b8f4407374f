import { and, arrayContains, desc, eq, type SQL, sql } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";

import { type DeletedItem, deletedItems } from "#drizzle/schema/index.ts";
import { actorName } from "#server/core/shared/audit/record-audit.ts";
import type { CompanyScope, Context } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

type NewItem = Pick<DeletedItem, "kind" | "name" | "title" | "domainId" | "addresses"> &
  Partial<Pick<DeletedItem, "store" | "storeHost" | "storageBytes" | "messages">>;

/** Rows to keep, from a table that the condition refers to. */
export type KeptRows = [table: PgTable, where: SQL];

/** Whether what the caller deletes keeps its names and addresses. The API promises that they are free at once. */
export const reservesNames = ({ actor }: Context): boolean => actor.kind !== "api_key";

/**
 * Keeps something that is about to be deleted, so that it can be restored. Call it in the transaction of the deletion, with the rows
 * locked and before they are deleted.
 *
 * @returns the id to restore it by
 */
export async function recordDeleted(
  ctx: Context,
  item: NewItem,
  kept: KeptRows[],
): Promise<string> {
  const { companyId, actor } = ctx;
  const parts = kept.flatMap(([table, where]) => [
    sql`${getTableConfig(table).name}::text`,
    sql`coalesce((select jsonb_agg(to_jsonb(kept)) from (select * from ${table} where ${where}) kept), '[]'::jsonb)`,
  ]);
  const [recorded] = await ctx.db
    .insert(deletedItems)
    .values({
      ...item,
      companyId,
      isReserved: reservesNames(ctx),
      deletedBy: actorName(actor),
      contents: sql`jsonb_build_object(${sql.join(parts, sql`, `)})`,
    })
    .returning({ id: deletedItems.id });
  return recorded!.id;
}

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
  isReserved: deletedItems.isReserved,
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

/** The item of the company, deleted last, that has reserved an address. */
export async function findReservedAddress(
  ctx: CompanyScope,
  address: string,
): Promise<Deleted | undefined> {
  const [item] = await selectDeleted(
    ctx,
    and(eq(deletedItems.isReserved, true), arrayContains(deletedItems.addresses, [address])),
  )
    .orderBy(desc(deletedItems.createdAt))
    .limit(1);
  return item;
}

/** Deletes the record of an item that was restored, or whose last trace is gone. */
export async function forgetDeleted({ db }: Pick<CompanyScope, "db">, id: string): Promise<void> {
  await db.delete(deletedItems).where(eq(deletedItems.id, id));
}

/**
 * Ends the reservations that other deleted mailboxes have of addresses that a restored one has again, so that restoring those later
 * doesn't move the addresses.
 */
export async function keepFromOthers(
  { db, companyId }: CompanyScope,
  itemId: string,
  restored: string[],
): Promise<void> {
  const own = sql`array(select jsonb_array_elements_text(${JSON.stringify(restored)}::jsonb))`;
  await db.execute(sql`
    update deleted_items set addresses = array(
      select address from unnest(addresses) address where address = name or address <> all(${own}))
    where company_id = ${companyId} and id <> ${itemId} and kind = 'mailbox' and addresses && ${own}`);
}

type Options = {
  /** Values that replace the kept ones, by column. */
  set?: Record<string, SQL>;
  /** Which rows to restore; the row is `kept`. */
  where?: SQL;
};

/**
 * Inserts a deleted item's rows of one table again, except for those whose key is in use by now. Columns that were added to the table
 * since then get their defaults, and values of removed columns are dropped.
 *
 * @returns how many were inserted
 */
export async function restoreRows(
  db: Db,
  itemId: string,
  table: PgTable,
  { set = {}, where = sql`true` }: Options = {},
): Promise<number> {
  const { name } = getTableConfig(table);
  const columns = await readColumns(db, itemId, name);
  if (columns.length === 0) return 0;
  const names = sql.join(
    columns.map((column) => sql.identifier(column)),
    sql`, `,
  );
  const values = sql.join(
    columns.map((column) => set[column] ?? sql`kept.${sql.identifier(column)}`),
    sql`, `,
  );
  const inserted = await db.execute(sql`
    insert into ${table} (${names})
    select ${values} from deleted_items d,
      jsonb_populate_recordset(null::${table}, d.contents -> ${name}) kept
    where d.id = ${itemId} and ${where}
    on conflict do nothing returning 1`);
  return inserted.length;
}

/** The columns that both the kept rows and the table have. */
async function readColumns(db: Db, itemId: string, table: string): Promise<string[]> {
  const rows = await db.execute<{ name: string }>(sql`
    select c.column_name as name from deleted_items d, jsonb_object_keys(d.contents -> ${table} -> 0) kept
    join information_schema.columns c on c.column_name = kept
    where d.id = ${itemId} and c.table_schema = 'public' and c.table_name = ${table}
      and c.is_generated = 'NEVER' and c.identity_generation is distinct from 'ALWAYS'
    order by c.ordinal_position`);
  return rows.map(({ name }) => name);
}

/** What to do about a name that a deleted item has reserved. */
export function reservedText(name: string, item: Pick<Deleted, "kind" | "name">): string {
  const kind = item.kind === "inbound" ? "inbound address" : item.kind;
  const of = item.name === name ? `a deleted ${kind}` : `the deleted ${kind} ${item.name}`;
  return `${name} is reserved for ${of}. An owner can restore it, or delete it permanently, on the Deleted page of the console`;
}

/** @param field the request field, for forms */
export const reservedByDeleted = (address: string, item: Deleted, field: string) =>
  new Refusal("already_exists", reservedText(address, item), { field });
