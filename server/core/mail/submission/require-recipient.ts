import { and, eq, inArray, isNotNull, sql } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import { domainOf, parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import { resolveRecipients } from "#server/core/mailboxes/mailboxes/resolve-recipients.ts";
import type { Db } from "#server/db/client.ts";

import type { Submitter } from "./find-submitter.ts";
import { SubmissionError } from "./submission-error.ts";

/** Always somebody's, whether or not anybody has the address (RFC 2142). */
const ROLE_NAMES = new Set(["postmaster", "abuse"]);

/**
 * Reads a recipient that a mailbox wants to write to, and refuses one that could only bounce: an address
 * that nobody has, at a domain whose mail arrives here.
 *
 * @returns the bare address
 * @throws SubmissionError
 */
export async function requireRecipient(
  db: Db,
  submitter: Pick<Submitter, "companyId" | "outsideAllowed">,
  text: string,
): Promise<string> {
  const address = parseAddress(text)?.address;
  if (!address) throw new SubmissionError("5.1.3", "This is not an email address");
  await requireAllowedRecipients(db, submitter, [address]);
  const local = address.slice(0, address.lastIndexOf("@"));
  if (!ROLE_NAMES.has(local) && (await isDeliveredHere(db, domainOf(address)))) {
    const known = await resolveRecipients(db, [address]);
    if (!known.has(address)) throw new SubmissionError("5.1.1", `Nobody here has ${address}`);
  }
  return address;
}

/**
 * Those of the recipients that are outside the company: at domains that it has not proven to be its own.
 *
 * @throws SubmissionError when there are some, and the mailbox may not write to them
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
        inArray(domains.name, [...new Set(recipients.map(domainOf))]),
      ),
    );
  const names = new Set(own.map(({ name }) => name));
  const outside = recipients.filter((address) => !names.has(domainOf(address)));
  if (outside.length > 0 && !outsideAllowed)
    throw new SubmissionError(
      "5.7.1",
      `Your company does not allow this mailbox to write to ${outside[0]!}: only to addresses of its own domains`,
    );
  return outside;
}

/** Whether the domain is somebody's on this appliance, and its mail comes to us. */
async function isDeliveredHere(db: Db, name: string): Promise<boolean> {
  const [found] = await db.execute(sql`
    select from domains d join domain_findings f
      on f.domain_id = d.id and f.record = 'mx' and f.is_verified
    where d.name = ${name} and d.ownership_proven_at is not null`);
  return found !== undefined;
}
