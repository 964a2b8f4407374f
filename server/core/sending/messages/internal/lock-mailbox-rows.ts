import { type SQL, sql } from "drizzle-orm";

import type { CompanyScope } from "#server/core/shared/context.ts";

/**
 * Selects and locks the recipients of a mailbox's sent messages that match `condition`. In id order, since
 * held mail can be released and dropped concurrently.
 */
export const lockMailboxRows = (ctx: CompanyScope, mailbox: string, condition: SQL): SQL => sql`
  select id from message_recipients
  where message_id = any(array(
      select id from messages where mailbox = ${mailbox} and company_id = ${ctx.companyId}))
    and ${condition}
  order by id for no key update`;
