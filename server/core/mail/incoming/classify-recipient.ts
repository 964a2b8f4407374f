import {
  addressDomain,
  parseAddress,
  readDomain,
  type ParsedAddress,
} from "#server/core/shared/addresses/parse-address.ts";
import { type Recipient, resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import type { Db } from "#server/db/client.ts";

import { type SystemAddress, parseSystemAddress } from "./system-address.ts";
import type { OwnedDomains } from "#server/core/mail/authentication/owned-domains.ts";

type MailboxHolder = Extract<Recipient, { kind: "mailbox" }>;

/** An address in lower case, and as the sender wrote it if its local part differs. */
type Given = Pick<ParsedAddress, "address" | "written">;

/** What an address in RCPT TO resolves to. */
export type IncomingRecipient =
  | { kind: "own"; address: SystemAddress }
  /** A mailbox, directly or through an alias or tag. `address` is the original. */
  | ({ kind: "mailbox" } & Given & Omit<MailboxHolder, "kind">)
  | ({ kind: "group"; group: string; companyId: string } & Given)
  /** An inbound address, directly or through a catch-all. */
  | ({ kind: "inbound"; companyId: string } & Given)
  /** An unassigned `postmaster@` or `abuse@` of a company's domain, or of the host (null). */
  | ({ kind: "owners"; companyId: string | null } & Given)
  /** No such address at a local domain. */
  | { kind: "unknown" }
  /** At a local domain, with an invalid local part: no such address can exist. */
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
  const given = readRecipient(text, hostname);
  if (given === null) return classifyUnusable({ domains, hostname }, text);
  const { address } = given;
  const domain = addressDomain(address);
  // Accepted at every domain: their MAC shows that they are genuine, and their domain may have been deleted since.
  const own = parseSystemAddress(address, hostname);
  if (own) return { kind: "own", address: own };
  const companyId = await domains.companyOf(domain);
  if (companyId === null && domain !== hostname) return { kind: "foreign" };
  const holder = await findHolder(db, given, companyId);
  if (holder) return holder;
  return isForOwners(address) ? { kind: "owners", ...given, companyId } : { kind: "unknown" };
}

/** Ignores addresses of a company that no longer owns the domain. */
async function findHolder(
  db: Db,
  given: Given,
  companyId: string | null,
): Promise<IncomingRecipient | null> {
  const { address } = given;
  const found = (await resolveRecipients(db, [address])).get(address);
  if (!found || found.companyId !== companyId) return null;
  if (found.kind === "group")
    return { kind: "group", ...given, group: found.group, companyId: found.companyId };
  if (found.kind === "inbound") return { kind: "inbound", ...given, companyId: found.companyId };
  const { mailbox, isFull, storeHost, isCatchAll } = found;
  return {
    kind: "mailbox",
    ...given,
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
function readRecipient(text: string, hostname: string): Given | null {
  const isPostmaster = text.toLowerCase() === "postmaster";
  const plain = text.replace(QUOTED, (_, local: string) => local.replace(/\\(.)/g, "$1"));
  const parsed = parseAddress(isPostmaster ? `${text}@${hostname}` : plain);
  if (!parsed) return null;
  const { address, written } = parsed;
  return written === undefined ? { address } : { address, written };
}

const isForOwners = (address: string) => /^(postmaster|abuse)@/.test(address);
