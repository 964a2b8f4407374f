import { and, inArray, sql } from "drizzle-orm";

import { mailboxRules } from "#drizzle/schema/index.ts";
import { findHostedDomains } from "#server/core/sending/messages/messages.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { Db } from "#server/db/client.ts";

/** What mail to an address is delivered to. */
export type Recipient =
  | {
      kind: "mailbox";
      /** The mailbox's own address, even if an alias or tagged address was used. */
      mailbox: string;
      companyId: string;
      /** What is left of the mailbox's quota; 0 or less if it is full. */
      roomBytes: number;
      /** The mail host that stores it. Null if there is only one, without a name. */
      storeHost: string | null;
      isCatchAll: boolean;
    }
  | { kind: "group"; group: string; companyId: string }
  /** Its mail is read through the API. */
  | {
      kind: "inbound";
      companyId: string;
      /** No such address exists here, but its domain has a catch-all. */
      isCatchAll: boolean;
    };

type Row = {
  address: string;
  kind: Recipient["kind"];
  target: string;
  companyId: string;
  /** Null if it isn't a mailbox. */
  roomBytes: number | null;
  storeHost: string | null;
  active: boolean;
};

/**
 * Resolves addresses to mailboxes, groups or inbound addresses; unknown ones are left out. `user+tag@domain` resolves
 * like `user@domain` (RFC 5233), unless the tagged address itself exists. A catch-all (an inbound address or an alias)
 * receives mail to all addresses that don't exist, except `postmaster` and `abuse`, which go to the owners. Addresses at a domain that another
 * company took over don't resolve. For the recipients of mail from here, use `resolveOutgoing`. Suspended mailboxes still receive mail; inactive aliases and groups don't.
 */
export async function resolveRecipients(
  db: Db,
  addresses: string[],
): Promise<Map<string, Recipient>> {
  if (addresses.length === 0) return new Map();
  const wanted = [...new Set(addresses.flatMap(recipientVariants))];
  const rows = await db.execute<Row>(sql`
    with wanted as (
      select value as address from jsonb_array_elements_text(${JSON.stringify(wanted)}::jsonb)
    )
    select a.address, case when a.kind in ('group', 'inbound') then a.kind::text else 'mailbox' end as kind,
      coalesce(l.mailbox, a.address) as target, a.company_id as "companyId",
      (m.quota_mb::bigint * 1048576 - coalesce(u.used_bytes, 0))::float8 as "roomBytes",
      m.store_host as "storeHost", coalesce(l.active, g.active, true) as active
    from addresses a
      join domains d on d.id = a.domain_id and d.ownership_proven_at is not null
      left join aliases l on l.address = a.address
      left join groups g on g.address = a.address
      left join mailboxes m on m.address = coalesce(l.mailbox, a.address)
      left join mailbox_usage u on u.address = m.address
    where a.address = any(array(select address from wanted))`);
  const known = new Map(rows.map((row) => [row.address, row]));
  return new Map(
    addresses.flatMap((address): [string, Recipient][] => {
      const row = recipientVariants(address)
        .map((name) => known.get(name))
        .find((found) => found !== undefined);
      return row?.active ? [[address, toRecipient(row)]] : [];
    }),
  );
}

function toRecipient({ address, kind, target, companyId, roomBytes, storeHost }: Row): Recipient {
  if (kind === "group") return { kind, group: target, companyId };
  const isCatchAll = address.startsWith("*@");
  if (kind === "inbound") return { kind, companyId, isCatchAll };
  return { kind, mailbox: target, companyId, roomBytes: roomBytes!, storeHost, isCatchAll };
}

/**
 * The mailboxes that have no room for a message of this size, except those that forward all mail without keeping a copy. Dovecot
 * would reject the message only after the rules had forwarded it, again at each retry.
 */
export async function findWithoutRoom(
  db: Db,
  recipients: Iterable<Recipient>,
  size: number,
): Promise<Set<string>> {
  const tight = [...recipients].flatMap((one) =>
    one.kind === "mailbox" && size > one.roomBytes ? [one.mailbox] : [],
  );
  if (tight.length === 0) return new Set();
  const { mailbox, script } = mailboxRules;
  const forwarding = await db
    .select({ mailbox })
    .from(mailboxRules)
    // The script keeps a copy while a forwarding address gets no mail. In the user's own texts, the quote would be escaped.
    .where(and(inArray(mailbox, tight), sql`${script} ~ '(?n)^redirect "'`));
  return new Set(tight).difference(new Set(forwarding.map((one) => one.mailbox)));
}

/** Whether the address doesn't exist, so that its mail goes to the domain's catch-all. */
export const isForCatchAll = (recipient: Recipient): boolean =>
  recipient.kind !== "group" && recipient.isCatchAll;

/** The catch-all of a domain. */
export const catchAllAt = (domain: string): string => `*@${domain}`;

/** The address itself, without its tag, and the catch-all of its domain. */
export function recipientVariants(address: string): string[] {
  const variants = addressVariants(address);
  const lower = variants[0]!;
  if (isRoleAddress(lower)) return variants;
  return [...variants, catchAllAt(lower.slice(lower.lastIndexOf("@") + 1))];
}

/**
 * Whether mail to an address is for the company's owners, unless something has exactly this address. Such an address exists
 * at every domain (RFC 5321, 4.5.1; RFC 2142, 4).
 *
 * @param address lowercase
 */
export const isRoleAddress = (address: string) => /^(postmaster|abuse)@/.test(address);

/** The address itself, then without its tag. */
export function addressVariants(address: string): string[] {
  const lower = address.toLowerCase();
  const at = lower.lastIndexOf("@");
  const plus = lower.indexOf("+");
  if (plus < 1 || plus > at) return [lower];
  return [lower, lower.slice(0, plus) + lower.slice(at)];
}

/**
 * Resolves the recipients of mail from here, as `resolveRecipients` does, but leaves out addresses covered only by a
 * catch-all if another server receives the domain's mail: they may exist there.
 */
export async function resolveOutgoing(
  db: Db,
  addresses: string[],
): Promise<Map<string, Recipient>> {
  const resolved = await resolveRecipients(db, addresses);
  const domainOf = (address: string) => addressDomain(address).toLowerCase();
  const caught = [...resolved].filter(([, recipient]) => isForCatchAll(recipient));
  const hosted = await findHostedDomains(
    db,
    caught.map(([address]) => domainOf(address)),
  );
  for (const [address, { companyId }] of caught)
    if (hosted.get(domainOf(address)) !== companyId) resolved.delete(address);
  return resolved;
}
