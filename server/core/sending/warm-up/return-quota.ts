import { and, eq, sql } from "drizzle-orm";

import { warmUps } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import type { Quota } from "./ramp.ts";

/** Returns what is left of a reservation. */
export async function returnQuota(
  db: Db,
  { subject, provider }: Quota,
  { date, unused }: { date: string; unused: number },
): Promise<void> {
  await db
    .update(warmUps)
    .set({ used: sql`greatest(0, ${warmUps.used} - ${unused})` })
    .where(
      and(
        eq(warmUps.subject, subject),
        eq(warmUps.provider, provider),
        // The next day counts from zero.
        eq(warmUps.day, date),
      ),
    );
}
