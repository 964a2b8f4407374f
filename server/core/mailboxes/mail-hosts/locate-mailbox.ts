import { eq } from "drizzle-orm";

import { mailboxes } from "#drizzle/schema/index.ts";
import { readBareAddress } from "#server/core/shared/addresses/bare-address.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

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
