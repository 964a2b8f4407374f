import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/** What mail to an address is delivered to. */
export type Recipient =
  | {
      kind: "mailbox";
      /** The mailbox's own address, even if an alias or tagged address was used. */
      mailbox: string;
      companyId: string;
      /** The mailbox has reached its quota. */
      isFull: boolean;
      /** The mail host that stores it. Null if there is only one, without a name. */
      storeHost: string | null;
    }
  | { kind: "group"; group: string; companyId: string };

type Row = {
  address: string;
  kind: "mailbox" | "group";
  target: string;
  companyId: string;
  isFull: boolean;
  storeHost: string | null;
};

/**
 * Resolves addresses to mailboxes or groups; unknown ones are left out. `user+tag@domain` resolves like
 * `user@domain` (RFC 5233), unless the tagged address itself exists. Addresses at a domain that another
 * company took over don't resolve. Suspended mailboxes still receive mail; inactive aliases and groups don't.
 */
export async function resolveRecipients(
  db: Db,
  addresses: string[],
): Promise<Map<string, Recipient>> {
  if (addresses.length === 0) return new Map();
  const wanted = [...new Set(addresses.flatMap(addressVariants))];
  const rows = await db.execute<Row>(sql`
    with wanted as (
      select value as address from jsonb_array_elements_text(${JSON.stringify(wanted)}::jsonb)
    )
    select a.address, case when a.kind = 'group' then 'group' else 'mailbox' end as kind,
      coalesce(l.mailbox, a.address) as target, a.company_id as "companyId",
      coalesce(u.used_bytes >= m.quota_mb::bigint * 1048576, false) as "isFull",
      m.store_host as "storeHost"
    from addresses a
      join domains d on d.id = a.domain_id and d.ownership_proven_at is not null
      left join aliases l on l.address = a.address
      left join groups g on g.address = a.address
      left join mailboxes m on m.address = coalesce(l.mailbox, a.address)
      left join mailbox_usage u on u.address = m.address
    where a.address = any(array(select address from wanted))
      and coalesce(l.active, true) and coalesce(g.active, true)`);
  const known = new Map(rows.map((row) => [row.address, row]));
  return new Map(
    addresses.flatMap((address): [string, Recipient][] => {
      const row = addressVariants(address)
        .map((name) => known.get(name))
        .find((found) => found !== undefined);
      return row ? [[address, toRecipient(row)]] : [];
    }),
  );
}

function toRecipient({ kind, target, companyId, isFull, storeHost }: Row): Recipient {
  return kind === "group"
    ? { kind, group: target, companyId }
    : { kind, mailbox: target, companyId, isFull, storeHost };
}

/** The address itself, then without its tag. */
export function addressVariants(address: string): string[] {
  const lower = address.toLowerCase();
  const at = lower.lastIndexOf("@");
  const plus = lower.indexOf("+");
  if (plus < 1 || plus > at) return [lower];
  return [lower, lower.slice(0, plus) + lower.slice(at)];
}
