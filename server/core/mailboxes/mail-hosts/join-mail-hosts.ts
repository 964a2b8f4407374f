import { sql } from "drizzle-orm";

import { pluralize } from "#server/core/shared/pluralize.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";
import { hasMailStore } from "#server/gateways/mail-store.ts";

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
