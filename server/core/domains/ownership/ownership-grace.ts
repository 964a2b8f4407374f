import { sql } from "drizzle-orm";

/** How long the ownership record may be missing before another company can take the name over. */
export const OWNERSHIP_GRACE_DAYS = 14;

/**
 * Whether a row of `domains` blocks its name for others: its ownership is verified, and the record is
 * present or within the grace period.
 */
export const blocksName = sql`(domains.ownership_proven_at is not null
  and coalesce(domains.ownership_missing_since
    > statement_timestamp() - make_interval(days => ${sql.raw(String(OWNERSHIP_GRACE_DAYS))}), true))`;
