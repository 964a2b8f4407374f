import { sql } from "drizzle-orm";

import type { Context } from "#server/core/shared/context.ts";

export type TroubledWebhook = {
  id: string;
  endpoint: string;
  /** Consecutive failed attempts. */
  failures: number;
  /** Disabled because of its failures. */
  isDisabled: boolean;
};

/** Webhooks that fail or were disabled for failing. Excludes those that an admin disabled. */
export async function troubledWebhooks({ db, companyId }: Context): Promise<TroubledWebhook[]> {
  return db.execute<TroubledWebhook>(sql`
    select id, endpoint, failures, disabled_for_failures_at is not null as "isDisabled"
    from webhooks
    where company_id = ${companyId}
      and (disabled_for_failures_at is not null or (status = 'enabled' and failures > 0))
    order by failures desc, id`);
}
