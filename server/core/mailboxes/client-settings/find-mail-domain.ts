import { and, eq, isNotNull } from "drizzle-orm";

import { companies, domains } from "#drizzle/schema/index.ts";
import { parseAddress, domainOf } from "#server/core/shared/addresses/parse-address.ts";
import type { Db } from "#server/db/client.ts";

/** A domain whose mailboxes may be here. */
export type MailDomain = { domain: string; companyName: string };

/**
 * The domain if some company has proven that it is theirs, else null. Mailboxes are not looked for: what
 * is told by this is the same for those that there are and those that there are not.
 *
 * @param name as somebody gave it
 */
export async function findMailDomain(db: Db, name: string): Promise<MailDomain | null> {
  const [found] = await db
    .select({ domain: domains.name, companyName: companies.name })
    .from(domains)
    .innerJoin(companies, eq(companies.id, domains.companyId))
    .where(and(eq(domains.name, name.toLowerCase()), isNotNull(domains.ownershipProvenAt)))
    .limit(1);
  return found ?? null;
}

/** An address of such a domain, whether or not anybody has it. */
export type MailAddress = MailDomain & { address: string };

/** @param typed one address, as somebody gave it */
export async function findMailAddress(db: Db, typed: string): Promise<MailAddress | null> {
  const address = parseAddress(typed)?.address;
  if (address === undefined) return null;
  const domain = await findMailDomain(db, domainOf(address));
  return domain && { ...domain, address };
}
