import { type SQL, sql } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";

import { type DeletedItem, deletedItems } from "#drizzle/schema/index.ts";
import { actorName } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";

type NewItem = Pick<DeletedItem, "kind" | "name" | "title" | "domainId" | "addresses"> &
  Partial<Pick<DeletedItem, "store" | "storeHost" | "storageBytes" | "messages">>;

/** Rows to keep, from a table that the condition refers to. */
export type KeptRows = [table: PgTable, where: SQL];

/**
 * Keeps something that is about to be deleted, so that it can be restored. Call it in the transaction of the deletion, with the rows
 * locked and before they are deleted.
 *
 * What an API key deletes isn't reserved: the API promises that the address is free at once.
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
      ...{ companyId, isReserved: actor.kind !== "api_key", deletedBy: actorName(actor) },
      contents: sql`jsonb_build_object(${sql.join(parts, sql`, `)})`,
    })
    .returning({ id: deletedItems.id });
  return recorded!.id;
}
