import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/** Milliseconds until the next scheduled email is due, negative if one is overdue; null if there is none. */
export async function msUntilNextDue(db: Db): Promise<number | null> {
  const [row] = await db.execute<{ ms: number | null }>(sql`
    select (extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as ms
    from emails where due_at is not null`);
  return row?.ms ?? null;
}
