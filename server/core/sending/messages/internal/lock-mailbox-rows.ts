import { type SQL, sql } from "drizzle-orm";

export type CompanyMailbox = { companyId: string; mailbox: string };

/**
 * Selects and locks the recipients of a mailbox's sent messages that match `condition`. In id order, since
 * held mail can be released and dropped concurrently.
 */
export const lockMailboxRows = ({ companyId, mailbox }: CompanyMailbox, condition: SQL): SQL => sql`
  select id from message_recipients
  where message_id = any(array(
      select id from messages where mailbox = ${mailbox} and company_id = ${companyId}))
    and ${condition}
  order by id for no key update`;
