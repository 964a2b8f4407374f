import { and, eq, isNotNull } from "drizzle-orm";

import { companies, domains } from "#drizzle/schema/index.ts";
import { parseAddress, addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { Db } from "#server/db/client.ts";

/** A domain that can have mailboxes on this appliance. */
export type MailDomain = { domain: string; companyName: string };

/**
 * Finds a domain whose ownership is verified. Doesn't look for the mailbox, so that the response doesn't
 * reveal which ones exist.
 *
 * @param name as typed
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

/** An address at such a domain; the mailbox need not exist. */
export type MailAddress = MailDomain & { address: string };

/** @param typed one address, as typed */
export async function findMailAddress(db: Db, typed: string): Promise<MailAddress | null> {
  const address = parseAddress(typed)?.address;
  if (address === undefined) return null;
  const domain = await findMailDomain(db, addressDomain(address));
  return domain && { ...domain, address };
}
