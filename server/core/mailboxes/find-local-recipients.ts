import { inArray } from "drizzle-orm";

import { mailboxes } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Those of the addresses that lead to a mailbox of this appliance, as given. `user+tag@domain` leads
 * to the mailbox `user@domain` (RFC 5233), unless a mailbox has that very name. Suspended mailboxes
 * still receive.
 */
export async function findLocalRecipients(db: Db, addresses: string[]): Promise<Set<string>> {
  if (addresses.length === 0) return new Set();
  const wanted = new Set(addresses.flatMap((address) => mailboxNames(address)));
  const rows = await db
    .select({ address: mailboxes.address })
    .from(mailboxes)
    .where(inArray(mailboxes.address, [...wanted]));
  const known = new Set(rows.map((row) => row.address));
  return new Set(
    addresses.filter((address) => mailboxNames(address).some((name) => known.has(name))),
  );
}

function mailboxNames(address: string): string[] {
  const lower = address.toLowerCase();
  const at = lower.lastIndexOf("@");
  const plus = lower.indexOf("+");
  if (plus < 1 || plus > at) return [lower];
  return [lower, lower.slice(0, plus) + lower.slice(at)];
}
