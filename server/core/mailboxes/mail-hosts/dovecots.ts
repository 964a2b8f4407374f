import { eq } from "drizzle-orm";

import { mailboxes } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { readBareAddress } from "#server/core/shared/addresses/parse-address.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { derivedSecret } from "#server/core/shared/secrets/instance-key.ts";
import type { Db } from "#server/db/client.ts";
import {
  type DovecotAdmin,
  dovecotAdmin,
  DovecotError,
  linkedDovecotAdmin,
} from "#server/gateways/dovecot.ts";
import type { HostLink } from "#server/gateways/host-link.ts";

import { listMailHosts } from "./mail-hosts.ts";

/** The key of the doveadm API on all mail hosts that have a name. */
export const doveadmKey = (): string => derivedSecret("doveadm").toString("base64url");

function dovecotOn(host: string | null): DovecotAdmin {
  return host === config().mailHost
    ? dovecotAdmin()
    : linkedDovecotAdmin(linkTo(host!), doveadmKey());
}

type HostedDovecot = { host: string | null; isRunning: boolean; dovecot: DovecotAdmin };

/** The Dovecots of all mail hosts. One, and no host, unless mail hosts have names. */
export async function allDovecots(db: Db): Promise<HostedDovecot[]> {
  const hosts = await listMailHosts(db);
  if (hosts.length === 0) return [{ host: null, isRunning: true, dovecot: dovecotAdmin() }];
  return hosts.map(({ name, isRunning }) => ({ host: name, isRunning, dovecot: dovecotOn(name) }));
}

/** The Dovecot that stores a mailbox. */
export async function dovecotOf(db: Db, mailbox: string): Promise<DovecotAdmin> {
  const [row] = await db
    .select({ host: mailboxes.storeHost })
    .from(mailboxes)
    .where(eq(mailboxes.address, mailbox));
  return dovecotOn(row?.host ?? config().mailHost);
}

/**
 * Ends a mailbox's mail app sessions on all mail hosts, since they may have begun before it was moved.
 *
 * @returns how many there were
 * @throws DovecotError if a mail host that runs doesn't respond, after asking all
 */
export async function kickMailApps(
  db: Db,
  mailbox: string,
  clientAddress?: string,
): Promise<number> {
  const all = await allDovecots(db);
  const answers = await Promise.allSettled(
    all.map(({ dovecot }) => dovecot.kick(mailbox, clientAddress)),
  );
  let ended = 0;
  for (const [at, answer] of answers.entries())
    if (answer.status === "fulfilled") ended += answer.value;
    else if (all[at]!.isRunning) throw answer.reason;
  return ended;
}

/** Whether the Dovecot of any mail host responds. Returns the error of one of them otherwise. */
export async function findOutage(db: Db): Promise<DovecotError | null> {
  const all = await allDovecots(db);
  try {
    await Promise.any(all.map(({ dovecot }) => dovecot.ping()));
    return null;
  } catch (error) {
    const [reason] = (error as AggregateError).errors as unknown[];
    if (reason instanceof DovecotError) return reason;
    throw reason;
  }
}

export type LocatedMailbox = Pick<
  typeof mailboxes.$inferSelect,
  "address" | "companyId" | "store" | "storeHost"
>;

const select = (db: Db, address: string) =>
  db
    .select({
      address: mailboxes.address,
      companyId: mailboxes.companyId,
      store: mailboxes.store,
      storeHost: mailboxes.storeHost,
    })
    .from(mailboxes)
    .where(eq(mailboxes.address, address));

/**
 * Finds where any company's mailbox is stored.
 *
 * @param named its address, in any case
 * @throws Refusal `not_found`
 */
export async function locateMailbox(db: Db, named: string): Promise<LocatedMailbox> {
  const address = readBareAddress(named);
  const [found] = address === null ? [] : await select(db, address);
  if (!found) throw notFound(named);
  return found;
}

/** Like `locateMailbox`, and locks the mailbox's host until the transaction ends. */
export async function lockLocation(db: Db, named: string): Promise<LocatedMailbox> {
  const address = readBareAddress(named);
  const [found] = address === null ? [] : await select(db, address).for("no key update");
  if (!found) throw notFound(named);
  return found;
}

const notFound = (named: string) => new Refusal("not_found", `Mailbox ${named} not found`);

/** How to connect to a mail host of this installation. */
export const linkTo = (host: string): HostLink => ({
  host,
  port: config().linkPort,
  secret: derivedSecret("host links"),
});
