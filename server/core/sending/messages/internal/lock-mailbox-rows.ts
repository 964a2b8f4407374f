import { type SQL, sql } from "drizzle-orm";

/** A mailbox of a company, whose mail is held, released or dropped. */
export type CompanyMailbox = { companyId: string; mailbox: string };

/**
 * The ids of the recipients of what a mailbox has sent that fulfil `condition`, locked. In order of id, as
 * everybody takes them who takes several: held mail may be released and dropped at the same time.
 */
export const lockMailboxRows = ({ companyId, mailbox }: CompanyMailbox, condition: SQL): SQL => sql`
  select id from message_recipients
  where message_id = any(array(
      select id from messages where mailbox = ${mailbox} and company_id = ${companyId}))
    and ${condition}
  order by id for no key update`;
