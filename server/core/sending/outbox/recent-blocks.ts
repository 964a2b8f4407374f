import { desc, gt, sql } from "drizzle-orm";

import { deliveryBlocks } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** Longer than the longest wait between two attempts. */
const RECENT_HOURS = 8;

/** Destinations that blocked this server recently, latest first. */
export const listRecentBlocks = (db: Db): Promise<(typeof deliveryBlocks.$inferSelect)[]> =>
  db
    .select()
    .from(deliveryBlocks)
    .where(
      gt(
        deliveryBlocks.lastSeenAt,
        sql`clock_timestamp() - make_interval(hours => ${RECENT_HOURS})`,
      ),
    )
    .orderBy(desc(deliveryBlocks.lastSeenAt));
