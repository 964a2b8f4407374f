import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import { DEBIAN_PACKAGES, installCommand } from "#server/gateways/debian-packages.mjs";

/** The search indexes of the mailboxes on a host, as its mail process reports them. */
export type SearchFacts = {
  /** What the host lacks to index mailboxes: Dovecot 2.4 or its search package. */
  lacks: "2.4" | "package" | null;
  /** Mailboxes that should have an index, and those that have one. */
  mailboxes: number;
  indexed: number;
  bytes: number;
  /** The last error of each mailbox that couldn't be indexed. */
  errors: string[];
};

type HostFacts = { host: string; search: SearchFacts };

/** Lists what the live mail processes report, one for each host. */
const listSearchFacts = (db: Db): Promise<HostFacts[]> =>
  db.execute<HostFacts>(sql`
    select distinct on (host) host, facts -> 'search' as search from processes
    where role = 'mail' and alive_until > statement_timestamp() and facts ? 'search'
    order by host, alive_until desc`);

/** The search indexes of all hosts. */
export async function readSearchTotals(db: Db): Promise<Omit<SearchFacts, "lacks">> {
  const all = (await listSearchFacts(db)).map(({ search }) => search);
  const sum = (name: "mailboxes" | "indexed" | "bytes") =>
    all.reduce((total, facts) => total + facts[name], 0);
  return {
    mailboxes: sum("mailboxes"),
    indexed: sum("indexed"),
    bytes: sum("bytes"),
    errors: all.flatMap(({ errors }) => errors),
  };
}

/** Why a live host can't index mailboxes, and what to do, in two sentences. Null if all hosts can. */
export async function searchObstacle(db: Db): Promise<string | null> {
  const unable = (await listSearchFacts(db)).find(({ search }) => search.lacks !== null);
  if (!unable) return null;
  const { host, search } = unable;
  return search.lacks === "2.4"
    ? `needs Dovecot 2.4, and ${host} has 2.3. Upgrade it to Debian 13 or Ubuntu 26.04`
    : `needs a package that ${host} doesn't have. As root on that host, run ${installCommand(DEBIAN_PACKAGES.search)} and restart Posthouse`;
}
