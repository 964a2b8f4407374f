import { and, asc, eq, inArray, isNotNull } from "drizzle-orm";
import qrcode from "qrcode";

import { companies, domains, mailboxes, mailboxPolicies } from "#drizzle/schema/index.ts";
import { type Config, config } from "#server/config.ts";
import { hasPrivilegeIn, type HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import type { UnitPrivilege } from "#server/universal/privileges.ts";
import {
  addressDomain,
  parseAddress,
  readBareAddress,
} from "#server/core/shared/addresses/parse-address.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

/** A server for mail apps. `starttls` means that TLS is required after STARTTLS. */
export type MailServer = { host: string; port: number; tls: "implicit" | "starttls" };

/** What a mail app needs to connect, preferred servers first. The user name is the address. */
export type ClientSettings = {
  imap: MailServer[];
  pop3: MailServer[];
  smtp: MailServer[];
  /** ManageSieve (RFC 5804). */
  sieve: MailServer[];
};

export type AllowedProtocols = { imap: boolean; pop3: boolean; submission: boolean };

const ALL: AllowedProtocols = { imap: true, pop3: true, submission: true };

/**
 * The single source of settings for mail apps.
 *
 * @param allowed by the policy of the mailbox's unit; everything if the user hasn't signed in
 */
export function clientSettings(
  allowed: AllowedProtocols = ALL,
  { hostname, ports }: Pick<Config, "hostname" | "ports"> = config(),
): ClientSettings {
  const server = (port: number, tls: MailServer["tls"]) => ({ host: hostname, port, tls });
  const both = (implicit: number, starttls: number) => [
    server(implicit, "implicit"),
    server(starttls, "starttls"),
  ];
  return {
    imap: allowed.imap ? both(ports.imaps, ports.imap) : [],
    pop3: allowed.pop3 ? both(ports.pop3s, ports.pop3) : [],
    smtp: allowed.submission ? both(ports.submissions, ports.submission) : [],
    sieve: [server(ports.sieve, "starttls")],
  };
}

/** Everything needed to connect a mailbox: settings, pages, and a QR code that opens them on a phone. */
export type MailboxSetup = ClientSettings & {
  address: string;
  /** Where the mailbox user signs in. */
  accountUrl: string;
  /** The page that the QR code opens. */
  phoneUrl: string;
  qr: QrPath;
};

/** @param allowed by the policy of the mailbox's unit */
function createSetup(address: string, allowed: AllowedProtocols): MailboxSetup {
  const { baseUrl } = config();
  const phoneUrl = `${baseUrl}/account/connect?email=${encodeURIComponent(address)}`;
  return {
    address,
    phoneUrl,
    ...clientSettings(allowed),
    accountUrl: `${baseUrl}/account`,
    qr: qrPath(phoneUrl),
  };
}

/** The protocols that the policy of a mailbox's unit allows. */
export async function readAllowedProtocols(db: Db, mailbox: string): Promise<AllowedProtocols> {
  const [policy] = await db
    .select()
    .from(mailboxPolicies)
    .where(eq(mailboxPolicies.address, mailbox));
  return {
    imap: policy?.imapAllowed ?? false,
    pop3: policy?.pop3Allowed ?? false,
    submission: policy?.submissionAllowed ?? false,
  };
}

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

/** A QR code to draw: its size in modules, and the dark modules as an SVG path. */
export type QrPath = { size: number; path: string };

/** Creates the QR code of an ASCII text of at most 2,000 characters. */
export function qrPath(text: string): QrPath {
  const { size, data } = qrcode.create(text, { errorCorrectionLevel: "M" }).modules;
  const rows = Array.from({ length: size }, (_, y) => {
    const row = Array.from(data.slice(y * size, (y + 1) * size), (dark) => (dark ? "1" : "0"));
    return [...row.join("").matchAll(/1+/g)].map(
      ({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`,
    );
  });
  return { size, path: rows.flat().join("") };
}

/** Admins with one of these hand over mailboxes. */
const PRIVILEGES: UnitPrivilege[] = ["view_users", "create_users", "reset_user_passwords"];

/**
 * Connection details of the `named` mailboxes, by address. Leaves out mailboxes of other companies and those
 * that `callerPrivileges` don't include.
 */
export async function readSetups(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  named: string[],
): Promise<(MailboxSetup & { name: string })[]> {
  const addresses = named.map(readBareAddress).filter((address) => address !== null);
  const { imapAllowed: imap, pop3Allowed: pop3, submissionAllowed: submission } = mailboxPolicies;
  const rows = await ctx.db
    .select({
      address: mailboxes.address,
      name: mailboxes.name,
      unit: mailboxes.orgUnitId,
      allowed: { imap, pop3, submission },
    })
    .from(mailboxes)
    .innerJoin(mailboxPolicies, eq(mailboxPolicies.address, mailboxes.address))
    .where(and(inArray(mailboxes.address, addresses), eq(mailboxes.companyId, ctx.companyId)))
    .orderBy(asc(mailboxes.address));
  return rows
    .filter(({ unit }) =>
      PRIVILEGES.some((privilege) => hasPrivilegeIn(callerPrivileges, privilege, unit)),
    )
    .map(({ address, name, allowed }) => ({ name, ...createSetup(address, allowed) }));
}
