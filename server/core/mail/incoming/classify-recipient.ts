import { domainOf, parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import { resolveRecipients } from "#server/core/mailboxes/mailboxes/resolve-recipients.ts";
import type { Db } from "#server/db/client.ts";

import { type SystemAddress, parseSystemAddress } from "./system-address.ts";
import type { OwnedDomains } from "#server/core/mail/authentication/owned-domains.ts";

/** Whose an address is, to a server that wants to hand over mail for it. */
export type IncomingRecipient =
  | { is: "own"; address: SystemAddress }
  /** A person's, through alias and tag. `address` is as it was written, in normal form. */
  | { is: "mailbox"; address: string; mailbox: string; companyId: string; isFull: boolean }
  | { is: "group"; address: string; group: string; companyId: string }
  /** `postmaster@` or `abuse@` that nobody has set up: of a company's domain, or of the host (null). */
  | { is: "owners"; address: string; companyId: string | null }
  /** At a domain of ours where nobody has it. */
  | { is: "unknown" }
  /** Somebody else's: we relay for nobody. */
  | { is: "foreign" };

/**
 * Judges what stands in RCPT TO. What cannot be read as one plain address is foreign. Somebody who has
 * set up `postmaster@` or `abuse@` gets that mail; else the owners do (RFC 5321, 4.5.1; RFC 2142).
 */
export async function classifyRecipient(
  { db, domains, hostname }: { db: Db; domains: OwnedDomains; hostname: string },
  text: string,
): Promise<IncomingRecipient> {
  const address = readRecipient(text, hostname);
  if (address === null) return { is: "foreign" };
  const domain = domainOf(address);
  const own = parseSystemAddress(address, hostname);
  if (own && domain === hostname) return { is: "own", address: own };
  const companyId = await domains.companyOf(domain);
  if (companyId === null && domain !== hostname) return { is: "foreign" };
  if (own) return { is: "own", address: own };
  const holder = await findMailboxOrGroup(db, address, companyId);
  if (holder) return holder;
  return isForOwners(address) ? { is: "owners", address, companyId } : { is: "unknown" };
}

/** Whose domain it is decides, should an address of somebody else's be left over from before. */
async function findMailboxOrGroup(
  db: Db,
  address: string,
  companyId: string | null,
): Promise<IncomingRecipient | null> {
  const found = (await resolveRecipients(db, [address])).get(address);
  if (!found || found.companyId !== companyId) return null;
  if (found.kind === "group")
    return { is: "group", address, group: found.group, companyId: found.companyId };
  const { mailbox, isFull } = found;
  return { is: "mailbox", address, mailbox, companyId: found.companyId, isFull };
}

/** `postmaster` is one everywhere, even without a domain: who has trouble with our mail writes there. */
function readRecipient(text: string, hostname: string): string | null {
  const isPostmaster = text.toLowerCase() === "postmaster";
  return parseAddress(isPostmaster ? `${text}@${hostname}` : text)?.address ?? null;
}

const isForOwners = (address: string) => /^(postmaster|abuse)@/.test(address);
