import { sql } from "drizzle-orm";

/** How long the proof of ownership may be gone before another company can take the name over. */
export const OWNERSHIP_GRACE_DAYS = 14;

/** Whether a row of `domains` keeps others from its name: its ownership is proven, and the proof is there or not gone for long. */
export const holdsName = sql`(domains.ownership_proven_at is not null
  and coalesce(domains.ownership_missing_since
    > statement_timestamp() - make_interval(days => ${sql.raw(String(OWNERSHIP_GRACE_DAYS))}), true))`;
