import { and, eq, inArray, isNotNull, sql } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import { addressDomain, parseRecipient } from "#server/core/shared/addresses/parse-address.ts";
import { resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import type { Db } from "#server/db/client.ts";

import type { Submitter } from "./find-submitter.ts";
import { SubmissionError } from "./submission-error.ts";

/** Exist at every domain, assigned or not (RFC 2142). */
const ROLE_NAMES = new Set(["postmaster", "abuse"]);

/**
 * Parses a recipient and rejects one that would only bounce: a nonexistent address at a domain that is delivered
 * here.
 *
 * @returns the bare address
 * @throws SubmissionError
 */
export async function requireRecipient(
  db: Db,
  submitter: Pick<Submitter, "companyId" | "outsideAllowed">,
  text: string,
): Promise<string> {
  const address = parseRecipient(text)?.address;
  if (!address) throw new SubmissionError("5.1.3", "Invalid email address");
  await requireAllowedRecipients(db, submitter, [address]);
  const local = address.slice(0, address.lastIndexOf("@"));
  if (!ROLE_NAMES.has(local) && (await isDeliveredHere(db, addressDomain(address)))) {
    const known = await resolveRecipients(db, [address]);
    if (!known.has(address)) throw new SubmissionError("5.1.1", `${address} does not exist`);
  }
  return address;
}

/**
 * Requires that a mailbox can write to all recipients.
 *
 * @returns the recipients outside the company, that is at domains whose ownership it hasn't verified
 * @throws SubmissionError if there are any and the mailbox can't write to outside addresses
 */
export async function requireAllowedRecipients(
  db: Db,
  { companyId, outsideAllowed }: Pick<Submitter, "companyId" | "outsideAllowed">,
  recipients: string[],
): Promise<string[]> {
  const own = await db
    .select({ name: domains.name })
    .from(domains)
    .where(
      and(
        eq(domains.companyId, companyId),
        isNotNull(domains.ownershipProvenAt),
        inArray(domains.name, [...new Set(recipients.map(addressDomain))]),
      ),
    );
  const names = new Set(own.map(({ name }) => name));
  const outside = recipients.filter((address) => !names.has(addressDomain(address)));
  if (outside.length > 0 && !outsideAllowed)
    throw new SubmissionError(
      "5.7.1",
      `Your company only allows this mailbox to write to addresses at its own domains, not to ${outside[0]!}`,
    );
  return outside;
}

/** Whether the domain is owned by a company on this appliance and its MX record points here. */
async function isDeliveredHere(db: Db, name: string): Promise<boolean> {
  const [found] = await db.execute(sql`
    select from domains d join domain_findings f
      on f.domain_id = d.id and f.record = 'mx' and f.is_verified
    where d.name = ${name} and d.ownership_proven_at is not null`);
  return found !== undefined;
}
