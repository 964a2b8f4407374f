import { asc, sql } from "drizzle-orm";

import { mailHosts } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** Twice as long as a mail process takes to renew its row, and to be restarted. */
const SEEN_SECONDS = 60;

export type ListedMailHost = {
  name: string;
  address: string;
  certificate: string;
  seenAt: string;
  isRunning: boolean;
};

/** The mail hosts that have names; empty if all mailboxes are on one host without a name. */
export function listMailHosts(db: Db): Promise<ListedMailHost[]> {
  return db
    .select({
      name: mailHosts.name,
      address: mailHosts.address,
      certificate: mailHosts.certificate,
      seenAt: mailHosts.seenAt,
      isRunning: sql<boolean>`${mailHosts.seenAt} >
        statement_timestamp() - make_interval(secs => ${SEEN_SECONDS})`,
    })
    .from(mailHosts)
    .orderBy(asc(mailHosts.name));
}

/** The mail host for a new mailbox: of those that run, the one with the fewest. Null if mail hosts have no names. */
export async function chooseMailHost(db: Db): Promise<string | null> {
  const [chosen] = await db.execute<{ name: string }>(sql`
    select name from mail_hosts
    order by seen_at < statement_timestamp() - make_interval(secs => ${SEEN_SECONDS}),
      (select count(*) from mailboxes where store_host = mail_hosts.name), name
    limit 1`);
  return chosen?.name ?? null;
}
