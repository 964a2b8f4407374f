import { type Config, config } from "#server/config.ts";
import type { OwnedDomains } from "#server/core/mail/authentication/owned-domains.ts";
import type { TrackedMailHosts } from "#server/core/mailboxes/mail-hosts/mail-hosts.ts";
import {
  isRoleAddress,
  type Recipient,
  resolveRecipients,
} from "#server/core/mailboxes/mailboxes/recipients.ts";
import { parseEnvelopeSender } from "#server/core/sending/outbox/envelope-sender.ts";
import {
  addressDomain,
  parseAddress,
  type ParsedAddress,
  readDomain,
} from "#server/core/shared/addresses/parse-address.ts";
import type { Db } from "#server/db/client.ts";

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
async function classifyRecipient(
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
  return isRoleAddress(address) ? { kind: "owners", ...given, companyId } : { kind: "unknown" };
}

/** An error reply to RCPT TO. */
export type RecipientError = {
  code: 452 | 550;
  enhancedCode: `${4 | 5}.${number}.${number}`;
  text: string;
};

const UNKNOWN = {
  foreign: {
    code: 550,
    enhancedCode: "5.7.1",
    text: "Relaying denied: this server only accepts mail for its own domains",
  },
  invalid: {
    code: 550,
    enhancedCode: "5.1.3",
    text: "The local part of the recipient address is invalid or longer than 64 characters",
  },
  unknown: { code: 550, enhancedCode: "5.1.1", text: "No such recipient here" },
} as const satisfies Record<string, RecipientError>;

type Unknown = Extract<IncomingRecipient, { kind: keyof typeof UNKNOWN }>;

export type KnownRecipient = Exclude<IncomingRecipient, Unknown>;

/**
 * Decides whether RCPT TO accepts an address from any sender. What depends on the sender, and the limits of inbound
 * addresses, are checked after this.
 *
 * @param acceptanceBlocker why no mail can be accepted now, or null
 */
export async function checkIncomingRecipient(
  server: {
    db: Db;
    domains: OwnedDomains;
    hostname: string;
    acceptanceBlocker: () => Promise<string | null>;
  },
  text: string,
): Promise<
  | { recipient: KnownRecipient; error: null }
  | { recipient: IncomingRecipient; error: RecipientError }
> {
  const recipient = await classifyRecipient(server, text);
  if (isUnknown(recipient)) return { recipient, error: UNKNOWN[recipient.kind] };
  if (recipient.kind === "mailbox" && recipient.roomBytes <= 0)
    return { recipient, error: { code: 452, enhancedCode: "4.2.2", text: "The mailbox is full" } };
  // Bounces and reports about our own mail need little space.
  if (recipient.kind !== "own" && (await server.acceptanceBlocker())) {
    const text = "Insufficient system storage, try again later";
    return { recipient, error: { code: 452, enhancedCode: "4.3.1", text } };
  }
  return { recipient, error: null };
}

const isUnknown = (recipient: IncomingRecipient): recipient is Unknown => recipient.kind in UNKNOWN;

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
  const { mailbox, roomBytes, storeHost, isCatchAll } = found;
  return {
    kind: "mailbox",
    ...given,
    mailbox,
    companyId: found.companyId,
    roomBytes,
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

/** An address that the appliance itself receives mail at: for DMARC and TLS reports, or for an email's bounces. */
export type SystemAddress = { kind: "reports" } | { kind: "email"; emailId: string };

const reportsAddress = (hostname: string): string => `reports@${hostname}`;

/** Parses an address of the appliance itself; null for any other address and for forged envelope senders. */
export function parseSystemAddress(text: string, hostname: string): SystemAddress | null {
  const address = parseAddress(text)?.address;
  if (!address) return null;
  if (address === reportsAddress(hostname)) return { kind: "reports" };
  const emailId = parseEnvelopeSender(address);
  return emailId === null ? null : { kind: "email", emailId };
}

/** The loopback address of this machine's own SMTP listener. */
export function localSmtpAddress({ bind, ports }: Config): { host: string; port: number } {
  // Listeners on `::` accept IPv4 too, and a container may have no ::1.
  const isWildcard = bind === "0.0.0.0" || bind === "::";
  return { host: isWildcard ? "127.0.0.1" : bind, port: ports.smtp };
}

/**
 * The same of a mail host, for hosts without the mail role.
 *
 * @throws Error if none is running
 */
export function smtpAddressOn(mailHosts: TrackedMailHosts): { host: string; port: number } {
  const host = mailHosts.anyRunning();
  if (host === null) throw new Error("No mail host is running");
  return { host, port: config().ports.smtp };
}
