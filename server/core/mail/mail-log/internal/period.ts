import { type SQL, sql } from "drizzle-orm";

/** Half-open: `to` is exclusive. RFC 3339. */
export type Period = { from?: string | undefined; to?: string | undefined };

export const isBefore = (at: SQL, moment: string | undefined): SQL[] =>
  moment ? [sql`${at} < ${moment}::timestamptz`] : [];

export const isSince = (at: SQL, moment: string | undefined): SQL[] =>
  moment ? [sql`${at} >= ${moment}::timestamptz`] : [];
