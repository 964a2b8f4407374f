import { inArray } from "drizzle-orm";

import { groups } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import type { List } from "./list-fields.ts";

/** More labels than a domain name can have. */
const LABELS_MAX = 130;

/** The group of this appliance that a List-Id belongs to: the dot that was an @ may be any of them. */
export async function findList(db: Db, listId: string | null): Promise<List | null> {
  const labels = listId?.slice(1, -1).split(".") ?? [];
  if (labels.length < 3 || labels.length > LABELS_MAX) return null;
  const candidates = labels
    .slice(1)
    .map((_, i) => `${labels.slice(0, i + 1).join(".")}@${labels.slice(i + 1).join(".")}`);
  const [list] = await db
    .select({ address: groups.address, name: groups.name })
    .from(groups)
    .where(inArray(groups.address, candidates))
    .limit(1);
  return list ?? null;
}
