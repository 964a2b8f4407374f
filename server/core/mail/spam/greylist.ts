import { sql } from "drizzle-orm";
import ipaddr from "ipaddr.js";

import { greylist } from "#drizzle/schema/index.ts";
import { hasGreylisting } from "#server/core/access/companies/company-settings.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { deleteInBatches, isOlderThan } from "#server/db/batches.ts";
import type { Db } from "#server/db/client.ts";

export type GreylistEntry = {
  /** The recipient's company. */
  companyId: string;
  clientAddress: string;
  /** Return path; "" for the null sender. */
  sender: string;
  recipient: string;
};

/**
 * Records an attempt and returns whether to greylist it: true until the sender retries to the same recipient from the
 * same network (IPv4 /24, IPv6 /64) at least five minutes after its first attempt. False if the company has
 * greylisting turned off.
 *
 * A sender that retried is known for 36 days after its last message, along with all senders of its domain in that
 * network, for all recipients: mailing lists and shops use a new address each time. The null sender is never
 * greylisted, since bounces shouldn't be delayed and sender verification uses it.
 */
export async function isGreylisted(db: Db, attempt: GreylistEntry): Promise<boolean> {
  const sender = attempt.sender.toLowerCase();
  if (sender === "") return false;
  if (!(await hasGreylisting({ db, companyId: attempt.companyId }))) return false;
  const network = networkOf(attempt.clientAddress);
  const known = sql`exists (
    select from greylist where network = ${network} and passed_at is not null
      and last_seen_at > statement_timestamp() - make_interval(days => ${GREYLIST_FORGOTTEN_DAYS})
      and split_part(sender, '@', -1) = ${addressDomain(sender)})`;
  const isFresh = sql`case when g.passed_at is null
    then g.first_seen_at > statement_timestamp() - make_interval(days => ${UNPROVEN_DAYS})
    else g.last_seen_at > statement_timestamp() - make_interval(days => ${GREYLIST_FORGOTTEN_DAYS}) end`;
  const hasWaited = sql`g.first_seen_at <= statement_timestamp() - make_interval(mins => ${GREYLIST_WAIT_MINUTES})`;
  const rows = await db.execute<{ isPutOff: boolean }>(sql`
    insert into greylist as g (network, sender, recipient, first_seen_at, last_seen_at, passed_at)
    values (${network}, ${sender}, ${attempt.recipient.toLowerCase()},
      statement_timestamp(), statement_timestamp(), case when ${known} then statement_timestamp() end)
    on conflict (network, sender, recipient) do update set
      first_seen_at = case when ${isFresh} then g.first_seen_at else excluded.first_seen_at end,
      last_seen_at = excluded.last_seen_at,
      passed_at = case when not ${isFresh} then excluded.passed_at
        when g.passed_at is not null then g.passed_at
        when ${hasWaited} then excluded.last_seen_at
        else excluded.passed_at end
    returning passed_at is null as "isPutOff"`);
  return rows[0]!.isPutOff;
}

/** Large senders often retry from a neighboring address. */
function networkOf(clientAddress: string): string {
  const address = ipaddr.process(clientAddress);
  const prefix = address.kind() === "ipv4" ? 24 : 64;
  const network =
    address.kind() === "ipv4"
      ? ipaddr.IPv4.networkAddressFromCIDR(`${address.toString()}/${prefix}`)
      : ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${prefix}`);
  return `${network.toString()}/${prefix}`;
}

// Mail servers retry after some minutes; most spammers don't.
export const GREYLIST_WAIT_MINUTES = 5;

// How long a known sender stays known after its last message. Covers monthly newsletters.
export const GREYLIST_FORGOTTEN_DAYS = 36;

// Mail servers don't retry for longer (RFC 5321, 4.5.4.1). After this time an attempt counts as the first one.
const UNPROVEN_DAYS = 5;

/** Deletes expired greylist entries. @returns the number of entries deleted */
export function deleteOldGreylist(db: Db): Promise<number> {
  const { lastSeenAt, passedAt } = greylist;
  return deleteInBatches(db, greylist, {
    where: sql`${isOlderThan(lastSeenAt, UNPROVEN_DAYS)}
      and (${passedAt} is null or ${isOlderThan(lastSeenAt, GREYLIST_FORGOTTEN_DAYS)})`,
    oldestFirst: lastSeenAt,
  });
}
