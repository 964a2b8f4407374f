import { sql } from "drizzle-orm";

import type { CompanyScope } from "#server/core/shared/context.ts";

const RECENT_DAYS = 7;

/** How a company's active mailboxes sign in. */
export type ProviderUse = {
  /** Linked to an account at the identity provider. */
  linked: number;
  /** Signed in with a mail app in the last seven days, but with no app password. */
  withPassword: number;
  /** Their unit doesn't allow app passwords. */
  withoutAppPasswords: number;
};

/** Counts what requiring single sign-on would change for mailbox users. Dovecot records only the last sign-in of a mailbox. */
export async function countProviderUse({ db, companyId }: CompanyScope): Promise<ProviderUse> {
  const since = sql`statement_timestamp() - make_interval(days => ${RECENT_DAYS})`;
  const [counts] = await db.execute<ProviderUse>(sql`
    select
      (count(*) filter (where exists (
        select from mailbox_identities n where n.mailbox = m.address)))::int as linked,
      (count(*) filter (where to_timestamp(greatest(s.last_sign_in, s.last_pop3)) > ${since}
        and not exists (select from app_passwords a
          where a.mailbox = m.address and a.last_used_at > ${since})))::int as "withPassword",
      (count(*) filter (where not p.app_passwords_allowed))::int as "withoutAppPasswords"
    from mailboxes m join mailbox_policies p on p.address = m.address
      left join mailbox_sign_ins s on s.address = m.address
    where m.company_id = ${companyId} and m.suspended_at is null`);
  return counts!;
}
