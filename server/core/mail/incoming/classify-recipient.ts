import {
  addressDomain,
  parseAddress,
  readDomain,
} from "#server/core/shared/addresses/parse-address.ts";
import {
  type Recipient,
  resolveRecipients,
} from "#server/core/mailboxes/mailboxes/resolve-recipients.ts";
import type { Db } from "#server/db/client.ts";

import { type SystemAddress, parseSystemAddress } from "./system-address.ts";
import type { OwnedDomains } from "#server/core/mail/authentication/owned-domains.ts";

type MailboxHolder = Extract<Recipient, { kind: "mailbox" }>;

/** What an address in RCPT TO resolves to. */
export type IncomingRecipient =
  | { kind: "own"; address: SystemAddress }
  /** A mailbox, directly or through an alias or tag. `address` is the normalized original. */
  | ({ kind: "mailbox"; address: string } & Omit<MailboxHolder, "kind">)
  | { kind: "group"; address: string; group: string; companyId: string }
  /** An inbound address, directly or through a catch-all. */
  | { kind: "inbound"; address: string; companyId: string }
  /** An unassigned `postmaster@` or `abuse@` of a company's domain, or of the host (null). */
  | { kind: "owners"; address: string; companyId: string | null }
  /** No such address at a local domain. */
  | { kind: "unknown" }
  /** No address here can be called that: at a local domain, with an invalid local part. */
  | { kind: "invalid" }
  /** Not a local domain. There is no relaying. */
  | { kind: "foreign" };

/**
 * Classifies the address in RCPT TO. Mail for `postmaster@` and `abuse@`
 * goes to the owners unless a mailbox, group or inbound address has exactly this address (RFC 5321, 4.5.1; RFC 2142).
 */
export async function classifyRecipient(
  { db, domains, hostname }: { db: Db; domains: OwnedDomains; hostname: string },
  text: string,
): Promise<IncomingRecipient> {
  const address = readRecipient(text, hostname);
  if (address === null) return classifyUnusable({ domains, hostname }, text);
  const domain = addressDomain(address);
  // Accepted at every domain: their MAC shows that they are genuine, and their domain may have been deleted since.
  const own = parseSystemAddress(address, hostname);
  if (own) return { kind: "own", address: own };
  const companyId = await domains.companyOf(domain);
  if (companyId === null && domain !== hostname) return { kind: "foreign" };
  const holder = await findHolder(db, address, companyId);
  if (holder) return holder;
  return isForOwners(address) ? { kind: "owners", address, companyId } : { kind: "unknown" };
}

/** Ignores addresses of a company that no longer owns the domain. */
async function findHolder(
  db: Db,
  address: string,
  companyId: string | null,
): Promise<IncomingRecipient | null> {
  const found = (await resolveRecipients(db, [address])).get(address);
  if (!found || found.companyId !== companyId) return null;
  if (found.kind === "group")
    return { kind: "group", address, group: found.group, companyId: found.companyId };
  if (found.kind === "inbound") return { kind: "inbound", address, companyId: found.companyId };
  const { mailbox, isFull, storeHost, isCatchAll } = found;
  return {
    kind: "mailbox",
    address,
    mailbox,
    companyId: found.companyId,
    isFull,
    storeHost,
    isCatchAll,
  };
}

const QUOTED = /^"((?:[^"\\]|\\.)*)"(?=@)/;

/** Our addresses are dot-atoms. Any other quoted local part is valid, but unknown (RFC 5321, 4.1.2). */
async function classifyUnusable(
  { domains, hostname }: { domains: OwnedDomains; hostname: string },
  text: string,
): Promise<IncomingRecipient> {
  const domain = readDomain(text.slice(text.lastIndexOf("@") + 1));
  const isLocal =
    domain !== null && (domain === hostname || (await domains.companyOf(domain)) !== null);
  if (!isLocal) return { kind: "foreign" };
  return { kind: QUOTED.test(text) ? "unknown" : "invalid" };
}

/**
 * `postmaster` is valid without a domain (RFC 5321, 4.5.1). Quotes that a local part doesn't need mean nothing: `"ann"@` is
 * `ann@` (4.1.2).
 */
function readRecipient(text: string, hostname: string): string | null {
  const isPostmaster = text.toLowerCase() === "postmaster";
  const plain = text.replace(QUOTED, (_, local: string) => local.replace(/\\(.)/g, "$1"));
  return parseAddress(isPostmaster ? `${text}@${hostname}` : plain)?.address ?? null;
}

const isForOwners = (address: string) => /^(postmaster|abuse)@/.test(address);
