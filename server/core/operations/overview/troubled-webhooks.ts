import { sql } from "drizzle-orm";

import type { Context } from "#server/core/shared/context.ts";

import { FIRST_MAX, type Troubled, troubledOf } from "./troubled.ts";

/** A webhook that does not take its events. */
export type TroubledWebhook = {
  id: string;
  endpoint: string;
  /** Failed attempts in a row. */
  failures: number;
  failingSince: string | null;
  /** It gets nothing any more until somebody enables it again. */
  isDisabled: boolean;
};

/** The company's webhooks that fail or were disabled for it, the disabled ones first. One that a person has paused is well. */
export async function troubledWebhooks({
  db,
  companyId,
}: Context): Promise<Troubled<TroubledWebhook>> {
  const rows = await db.execute<TroubledWebhook & { count: number }>(sql`
    select id, endpoint, failures, failing_since as "failingSince",
      disabled_for_failures_at is not null as "isDisabled", count(*) over ()::int as count
    from webhooks
    where company_id = ${companyId}
      and (disabled_for_failures_at is not null or (status = 'enabled' and failures > 0))
    order by disabled_for_failures_at is null, failures desc, id limit ${FIRST_MAX}`);
  return troubledOf(rows);
}
