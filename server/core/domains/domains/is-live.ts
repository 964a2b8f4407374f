import { sql } from "drizzle-orm";

/** How long a company has to verify ownership, from its first addition of the name. */
export const CLAIM_DAYS = 7;

const WINDOW = sql`make_interval(days => ${sql.raw(String(CLAIM_DAYS))})`;

/** When the seven days of a row of `domains` began. Qualified names, since the subquery has a `name` too. */
const CLAIMED_AT = sql`coalesce((select c.claimed_at from domain_claims c
  where c.name = domains.name and c.company_id = domains.company_id), domains.created_at)`;

/** When a row of `domains` expires unless its ownership is verified. */
export const CLAIM_ENDS_AT = sql<string>`${CLAIMED_AT} + ${WINDOW}`;

/**
 * Whether a row of `domains` is visible: its ownership is verified or was lost to another company, or its
 * seven days aren't over. Every read must use this, since the task that deletes expired rows may run late.
 */
export const isLive = sql`(domains.ownership_proven_at is not null
  or domains.ownership_lost_at is not null
  or ${CLAIM_ENDS_AT} > statement_timestamp())`;
