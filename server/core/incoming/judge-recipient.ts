import { and, count, eq, isNotNull } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import { domainOf, parseAddress } from "#server/core/addresses/parse-address.ts";
import { findLocalRecipients } from "#server/core/mailboxes/find-local-recipients.ts";
import type { Db } from "#server/db/client.ts";

import { type OwnAddress, readOwnAddress } from "./own-address.ts";

/** Whose an address is, to a server that wants to hand over mail for it. */
export type JudgedRecipient =
  | { is: "own"; address: OwnAddress }
  /** Somebody's at a domain of ours, or the postmaster's. */
  | { is: "mailbox" }
  /** At a domain of ours where nobody has it. */
  | { is: "unknown" }
  /** Somebody else's: we relay for nobody. */
  | { is: "foreign" };

/** Judges what stands in RCPT TO. What cannot be read as one plain address is foreign. */
export async function judgeRecipient(
  db: Db,
  text: string,
  hostname: string,
): Promise<JudgedRecipient> {
  const address = parseAddress(isPostmaster(text) ? `${text}@${hostname}` : text)?.address;
  if (!address) return { is: "foreign" };
  const domain = domainOf(address);
  if (domain !== hostname && !(await isProven(db, domain))) return { is: "foreign" };
  const own = readOwnAddress(address, hostname);
  if (own) return { is: "own", address: own };
  if (isPostmaster(address.slice(0, address.lastIndexOf("@")))) return { is: "mailbox" };
  return { is: (await findLocalRecipients(db, [address])).size > 0 ? "mailbox" : "unknown" };
}

/** Everywhere, and even without a domain (RFC 5321, 4.5.1): who has trouble with our mail writes there. */
const isPostmaster = (localPart: string) => localPart.toLowerCase() === "postmaster";

async function isProven(db: Db, name: string): Promise<boolean> {
  const [found] = await db
    .select({ count: count() })
    .from(domains)
    .where(and(eq(domains.name, name), isNotNull(domains.ownershipProvenAt)));
  return found!.count > 0;
}
