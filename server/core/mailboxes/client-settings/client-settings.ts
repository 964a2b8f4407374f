import { and, asc, eq, inArray, isNotNull } from "drizzle-orm";
import { Parser } from "htmlparser2";
import qrcode from "qrcode";

import { companies, domains, mailboxes, mailboxPolicies } from "#drizzle/schema/index.ts";
import { type Config, config } from "#server/config.ts";
import { hasPrivilegeIn, type HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { knownLanguage, mailboxLanguage } from "#server/core/mailboxes/account/language.ts";
import {
  addressDomain,
  parseAddress,
  readBareAddress,
} from "#server/core/shared/addresses/parse-address.ts";
import type { Context } from "#server/core/shared/context.ts";
import { escapeMarkup } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";
import type { UnitPrivilege } from "#server/universal/privileges.ts";
import type { Language } from "#server/universal/texts/languages.ts";

/** A server for mail apps. `starttls` means that TLS is required after STARTTLS. */
export type MailServer = { host: string; port: number; tls: "implicit" | "starttls" };

/** What a mail app needs to connect, preferred servers first. The user name is the address. */
type ClientSettings = {
  imap: MailServer[];
  pop3: MailServer[];
  smtp: MailServer[];
  /** ManageSieve (RFC 5804). */
  sieve: MailServer[];
  /** CalDAV and CardDAV; empty if they are off. Apps find the path by `/.well-known` (RFC 6764). */
  dav: MailServer[];
};

export type AllowedProtocols = {
  imap: boolean;
  pop3: boolean;
  submission: boolean;
  calendar: boolean;
};

const ALL: AllowedProtocols = { imap: true, pop3: true, submission: true, calendar: true };

/** The part of the configuration that settings for mail apps are derived from. */
export type ServerSettings = Pick<Config, "hostname" | "ports" | "baseUrl" | "calendar">;

/**
 * The single source of settings for mail apps.
 *
 * @param allowed by the policy of the mailbox's unit; everything if the user hasn't signed in
 */
export function clientSettings(
  allowed: AllowedProtocols = ALL,
  settings: ServerSettings = config(),
): ClientSettings {
  const { hostname, ports, baseUrl, calendar } = settings;
  const hasDav = allowed.calendar && calendar !== null && baseUrl.startsWith("https:");
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
    dav: hasDav ? [webServer(settings)] : [],
  };
}

/** The web server. Hostnames without a dot, as in local mode, aren't reachable by others. */
export function webServer({ baseUrl, hostname }: ServerSettings): MailServer {
  const url = new URL(baseUrl);
  const isName = url.hostname.includes(".") && /[a-z]$/i.test(url.hostname);
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  return { host: isName ? url.hostname : hostname, port, tls: "implicit" };
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
    calendar: policy?.calendarAllowed ?? false,
  };
}

/** A domain that can have mailboxes on this appliance. */
type MailDomain = { domain: string; companyName: string };

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
type MailAddress = MailDomain & { address: string };

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
): Promise<(MailboxSetup & { name: string; language: Language })[]> {
  const addresses = named.map(readBareAddress).filter((address) => address !== null);
  const rows = await ctx.db
    .select({
      address: mailboxes.address,
      name: mailboxes.name,
      unit: mailboxes.orgUnitId,
      allowed: {
        imap: mailboxPolicies.imapAllowed,
        pop3: mailboxPolicies.pop3Allowed,
        submission: mailboxPolicies.submissionAllowed,
        calendar: mailboxPolicies.calendarAllowed,
      },
      language: mailboxLanguage,
    })
    .from(mailboxes)
    .innerJoin(companies, eq(companies.id, mailboxes.companyId))
    .innerJoin(mailboxPolicies, eq(mailboxPolicies.address, mailboxes.address))
    .where(and(inArray(mailboxes.address, addresses), eq(mailboxes.companyId, ctx.companyId)))
    .orderBy(asc(mailboxes.address));
  return rows
    .filter(({ unit }) =>
      PRIVILEGES.some((privilege) => hasPrivilegeIn(callerPrivileges, privilege, unit)),
    )
    .map(({ address, name, allowed, language }) => ({
      name,
      language: knownLanguage(language),
      ...createSetup(address, allowed),
    }));
}

const SOCKET_TYPES = { implicit: "SSL", starttls: "STARTTLS" } as const;

/**
 * Settings for Thunderbird and compatible apps (Mozilla's autoconfig, clientConfig 1.1). The app fills in the
 * address.
 */
export function autoconfigXml({ domain, companyName }: MailDomain): string {
  const settings: ClientSettings = clientSettings();
  const incoming = [
    ...settings.imap.map((server) => serverXml("incomingServer", "imap", server)),
    ...settings.pop3.map((server) => serverXml("incomingServer", "pop3", server)),
  ];
  const outgoing = settings.smtp.map((server) => serverXml("outgoingServer", "smtp", server));
  return `<?xml version="1.0" encoding="UTF-8"?>
<clientConfig version="1.1">
  <emailProvider id="${escapeMarkup(domain)}">
    <domain>${escapeMarkup(domain)}</domain>
    <displayName>${escapeMarkup(companyName)}</displayName>
    <displayShortName>${escapeMarkup(companyName)}</displayShortName>
${[...incoming, ...outgoing].join("")}    <documentation url="${escapeMarkup(config().baseUrl)}/account/connect">
      <descr lang="en">How to connect mail apps</descr>
    </documentation>
  </emailProvider>
</clientConfig>
`;
}

function serverXml(element: string, type: string, { host, port, tls }: MailServer): string {
  return `    <${element} type="${type}">
      <hostname>${escapeMarkup(host)}</hostname>
      <port>${port}</port>
      <socketType>${SOCKET_TYPES[tls]}</socketType>
      <authentication>password-cleartext</authentication>
      <username>%EMAILADDRESS%</username>
    </${element}>
`;
}

const RESPONSE = "http://schemas.microsoft.com/exchange/autodiscover/responseschema/2006";

export const OUTLOOK_SCHEMA =
  "http://schemas.microsoft.com/exchange/autodiscover/outlook/responseschema/2006a";

/** Codes from [MS-OXDSCLI] §2.2.4.1.1.2.4. */
const ERRORS = {
  invalid_request: { code: 600, message: "Invalid Request" },
  unsupported_schema: { code: 601, message: "Requested schema version not supported" },
  unknown_address: { code: 500, message: "The email address can't be found." },
} as const;

export type AutodiscoverError = keyof typeof ERRORS;

/** Settings for Outlook ([MS-OXDSCLI], "POX"). */
export function autodiscoverXml({ address, companyName }: MailAddress): string {
  const { imap, pop3, smtp } = clientSettings();
  const protocols = [
    ...imap.slice(0, 1).map((server) => protocolXml("IMAP", server, address)),
    ...pop3.slice(0, 1).map((server) => protocolXml("POP3", server, address)),
    ...smtp.slice(0, 1).map((server) => protocolXml("SMTP", server, address)),
  ];
  return `<?xml version="1.0" encoding="utf-8"?>
<Autodiscover xmlns="${RESPONSE}">
  <Response xmlns="${OUTLOOK_SCHEMA}">
    <User>
      <DisplayName>${escapeMarkup(companyName)}</DisplayName>
    </User>
    <Account>
      <AccountType>email</AccountType>
      <Action>settings</Action>
${protocols.join("")}    </Account>
  </Response>
</Autodiscover>
`;
}

function protocolXml(type: string, { host, port, tls }: MailServer, address: string): string {
  return `      <Protocol>
        <Type>${type}</Type>
        <Server>${escapeMarkup(host)}</Server>
        <Port>${port}</Port>
        <DomainRequired>off</DomainRequired>
        <LoginName>${escapeMarkup(address)}</LoginName>
        <SPA>off</SPA>
        <SSL>${tls === "implicit" ? "on" : "off"}</SSL>
        <Encryption>${tls === "implicit" ? "SSL" : "TLS"}</Encryption>
        <AuthRequired>on</AuthRequired>${type === "SMTP" ? "\n        <UsePOPAuth>off</UsePOPAuth>\n        <SMTPLast>off</SMTPLast>" : ""}
      </Protocol>
`;
}

export function autodiscoverErrorXml(error: AutodiscoverError, now: Date): string {
  const { code, message } = ERRORS[error];
  return `<?xml version="1.0" encoding="utf-8"?>
<Autodiscover xmlns="${RESPONSE}">
  <Response>
    <Error Time="${now.toISOString().slice(11, 23)}" Id="0">
      <ErrorCode>${code}</ErrorCode>
      <Message>${escapeMarkup(message)}</Message>
      <DebugData />
    </Error>
  </Response>
</Autodiscover>
`;
}

/** Longer than any real request's. */
const TEXT_MAX = 400;

/** "" for what Outlook left out. */
export type AutodiscoverRequest = { address: string; schema: string };

/**
 * Parses an autodiscover request ([MS-OXDSCLI] §2.2.3). Ignores namespace prefixes. Resolves only XML's five
 * entities and numeric ones, and never fetches anything.
 */
export function readAutodiscover(xml: string): AutodiscoverRequest {
  const read: AutodiscoverRequest = { address: "", schema: "" };
  const fields: Record<string, keyof AutodiscoverRequest> = {
    emailaddress: "address",
    acceptableresponseschema: "schema",
  };
  const open: string[] = [];
  const parser = new Parser(
    {
      onopentagname(name) {
        open.push(name.replace(/^.*:/, "").toLowerCase());
      },
      ontext(text) {
        const field = fields[open.at(-1) ?? ""];
        if (field) read[field] = (read[field] + text).slice(0, TEXT_MAX);
      },
      onclosetag() {
        open.pop();
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.write(xml);
  parser.end();
  return { address: read.address.trim(), schema: read.schema.trim() };
}
