import { metricTotals } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import type { Labels } from "./counters.ts";

/** The totals of all processes, present and past. Histograms have one row for each bucket, not cumulated. */
export async function listTotals(
  db: Db,
): Promise<{ name: string; labels: Labels; value: number }[]> {
  const rows = await db.select().from(metricTotals);
  return rows.map(({ labels, ...row }) => ({ ...row, labels: JSON.parse(labels) as Labels }));
}
