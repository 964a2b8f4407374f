import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { type ListedMailHost, listMailHosts } from "./list-mail-hosts.ts";

/** How many mailboxes each mail host stores. Empty if mail hosts have no names. */
export async function countMailboxes(
  db: Db,
): Promise<(Omit<ListedMailHost, "certificate"> & { mailboxes: number })[]> {
  const counts = await db.execute<{ name: string; mailboxes: number }>(sql`
    select store_host as name, count(*)::int as mailboxes from mailboxes
    where store_host is not null group by store_host`);
  const byName = new Map(counts.map(({ name, mailboxes }) => [name, mailboxes]));
  const hosts = await listMailHosts(db);
  return hosts.map(({ name, address, seenAt, isRunning }) => ({
    ...{ name, address, seenAt, isRunning },
    mailboxes: byName.get(name) ?? 0,
  }));
}
