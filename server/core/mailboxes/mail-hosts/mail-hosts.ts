import { asc, sql } from "drizzle-orm";

import { mailHosts } from "#drizzle/schema/index.ts";
import { pluralize } from "#server/core/shared/text.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";
import { hasMailStore } from "#server/gateways/mail-store.ts";
import { runLoop } from "#server/processes/run-loop.ts";

/** Twice as long as a mail process takes to renew its row, and to be restarted. */
const SEEN_SECONDS = 60;

export type ListedMailHost = Awaited<ReturnType<typeof listMailHosts>>[number];

/** The mail hosts that have names; empty if all mailboxes are on one host without a name. */
export const listMailHosts = (db: Db) =>
  db
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

/** The mail host for a new mailbox: of those that run, the one with the fewest. Null if mail hosts have no names. */
export async function chooseMailHost(db: Db): Promise<string | null> {
  const [chosen] = await db.execute<{ name: string }>(sql`
    select name from mail_hosts
    order by seen_at < statement_timestamp() - make_interval(secs => ${SEEN_SECONDS}),
      (select count(*) from mailboxes where store_host = mail_hosts.name), name
    limit 1`);
  return chosen?.name ?? null;
}

/** This host can't serve the mailboxes of the database. */
class MailHostError extends Error {
  override name = "MailHostError";
}

type MailHost = { name: string; address: string; certificate: string };

/**
 * Enters this mail host in the database, or renews its entry. Takes over mailboxes that have no host yet: the first
 * mail host gets those of the time when hosts had no names, and so must be the one that has their mail.
 *
 * @throws MailHostError if it isn't
 */
export async function joinMailHosts(
  db: Db,
  { name, address, certificate }: MailHost,
  dataFolder: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lock(tx, "mailHosts");
    const missing = await findMissingStores(tx, dataFolder);
    await requireStores(tx, { name, missing, dataFolder });
    await tx.execute(sql`
      insert into mail_hosts (name, address, certificate) values (${name}, ${address}, ${certificate})
      on conflict (name) do update set address = excluded.address,
        certificate = excluded.certificate, seen_at = clock_timestamp()`);
    await tx.execute(sql`
      update mailboxes set store_host = ${name} where store_host is null
        and address not in (select jsonb_array_elements_text(${JSON.stringify(missing)}::jsonb))`);
    await tx.execute(sql`
      update deleted_items set store_host = ${name} where store is not null and store_host is null`);
    await tx.execute(sql`update removed_stores set store_host = ${name} where store_host is null`);
  });
}

async function requireStores(
  db: Db,
  { name, missing, dataFolder }: { name: string; missing: string[]; dataFolder: string },
): Promise<void> {
  if (missing.length === 0) return;
  const [other] = await db.execute(sql`select from mail_hosts where name <> ${name} limit 1`);
  if (other) return;
  throw new MailHostError(
    `The mail of ${pluralize(missing.length, "mailbox", "mailboxes")}, such as ${missing[0]!}, isn't in ${dataFolder}. First start the host that has it with POSTHOUSE_MAIL_HOST`,
  );
}

/**
 * Checks that a mail host without a name may serve the mailboxes.
 *
 * @throws MailHostError if they are on hosts with names
 */
export async function requireNoMailHosts(db: Db): Promise<void> {
  const [known] = await db.execute<{ names: string | null }>(
    sql`select string_agg(name, ', ' order by name) as names from mail_hosts`,
  );
  if (known!.names !== null)
    throw new MailHostError(
      `The mailboxes are on ${known!.names}. Set POSTHOUSE_MAIL_HOST to one of these names, or to a new one`,
    );
}

/** Mailboxes without a host whose mail should be here and isn't. Empty mailboxes have no folder. */
async function findMissingStores(db: Db, dataFolder: string): Promise<string[]> {
  const rows = await db.execute<{ address: string; store: string }>(sql`
    select m.address, m.store from mailboxes m join mailbox_usage u on u.address = m.address
    where m.store_host is null and u.messages > 0 order by m.address`);
  return rows.filter(({ store }) => !hasMailStore(store, dataFolder)).map(({ address }) => address);
}

/** How many mailboxes each mail host stores. Empty if mail hosts have no names. */
export async function countByMailHost(
  db: Db,
): Promise<(Omit<ListedMailHost, "certificate"> & { mailboxes: number })[]> {
  const counts = await db.execute<{ name: string; mailboxes: number }>(sql`
    select store_host as name, count(*)::int as mailboxes from mailboxes
    where store_host is not null group by store_host`);
  const byName = new Map(counts.map(({ name, mailboxes }) => [name, mailboxes]));
  const hosts = await listMailHosts(db);
  return hosts.map(({ name, address, seenAt, isRunning }) => ({
    name,
    address,
    seenAt,
    isRunning,
    mailboxes: byName.get(name) ?? 0,
  }));
}

const LOOK_EVERY_MS = 10_000;

export type TrackedMailHosts = {
  /** The name of a mail host that runs; null if none does. */
  anyRunning(): string | null;
  stop(): Promise<void>;
};

/** Keeps a list of the mail hosts, for a process on a host without the mail role. */
export async function trackMailHosts(db: Db): Promise<TrackedMailHosts> {
  let hosts: ListedMailHost[] = await listMailHosts(db);
  const looking = runLoop(async () => void (hosts = await listMailHosts(db)), {
    pauseMs: LOOK_EVERY_MS,
    firstPauseMs: LOOK_EVERY_MS,
    ref: false,
    // The last list is good enough while the database is away.
    onError: () => {},
  });
  return {
    anyRunning: () => hosts.find(({ isRunning }) => isRunning)?.name ?? null,
    stop: () => looking.stop(),
  };
}
