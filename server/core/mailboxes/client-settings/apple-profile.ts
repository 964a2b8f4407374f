import { v5 as uuidv5 } from "uuid";

import { config } from "#server/config.ts";
import { escapeMarkup } from "#server/core/shared/text.ts";

import { type AllowedProtocols, clientSettings, type MailServer } from "./client-settings.ts";

/** UUID namespace for our profiles; a profile with the same ids replaces the one on the device. */
const NAMESPACE = "8f0b3f0a-5b0e-4c8e-9d53-0c2e6f1d7a41";

/** The mailbox that a profile sets up. */
export type ProfileOwner = {
  address: string;
  companyName: string;
  /** The user's name; null in profiles offered without sign-in. */
  name: string | null;
};

type Value = string | number | boolean | Value[] | { [key: string]: Value };

/**
 * Creates a configuration profile for Mail, Calendar and Contacts on Apple devices, without the password.
 * Null if policy doesn't let apps both read and send mail.
 */
export function appleProfile(owner: ProfileOwner, allowed?: AllowedProtocols): string | null {
  const { imap, pop3, smtp, dav } = clientSettings(allowed);
  const incoming = imap[0] ?? pop3[0];
  const outgoing = smtp[0];
  if (!incoming || !outgoing) return null;
  const { address, companyName } = owner;
  const account = mailPayload(owner, { incoming, outgoing, isImap: imap.length > 0 });
  return plist({
    ...payloadIds("profile", address),
    PayloadType: "Configuration",
    PayloadVersion: 1,
    PayloadDisplayName: `Mail for ${address}`,
    PayloadDescription: `Sets up mail for ${address}. Asks for the password.`,
    PayloadOrganization: companyName,
    PayloadRemovalDisallowed: false,
    PayloadContent: [
      account,
      ...dav.flatMap((server) => [
        davPayload(owner, server, "CalDAV", "Calendars"),
        davPayload(owner, server, "CardDAV", "Contacts"),
      ]),
    ],
  });
}

/** Without a principal URL, the device asks `/.well-known`. */
function davPayload(
  { address, companyName }: ProfileOwner,
  { host, port }: MailServer,
  protocol: "CalDAV" | "CardDAV",
  title: string,
): Value {
  const type = protocol.toLowerCase();
  return {
    ...payloadIds(type, address),
    PayloadType: `com.apple.${type}.account`,
    PayloadVersion: 1,
    PayloadDisplayName: `${title} of ${address}`,
    [`${protocol}AccountDescription`]: companyName,
    [`${protocol}HostName`]: host,
    [`${protocol}Port`]: port,
    [`${protocol}UseSSL`]: true,
    [`${protocol}Username`]: address,
  };
}

const mailPayload = (
  { address, companyName, name }: ProfileOwner,
  { incoming, outgoing, isImap }: { incoming: MailServer; outgoing: MailServer; isImap: boolean },
): Value => ({
  ...payloadIds("account", address),
  PayloadType: "com.apple.mail.managed",
  PayloadVersion: 1,
  PayloadDisplayName: `Mail for ${address}`,
  EmailAccountDescription: companyName,
  ...(name !== null && { EmailAccountName: name }),
  EmailAccountType: isImap ? "EmailTypeIMAP" : "EmailTypePOP",
  EmailAddress: address,
  ...server("IncomingMailServer", incoming, address),
  ...server("OutgoingMailServer", outgoing, address),
  OutgoingPasswordSameAsIncomingPassword: true,
});

/** Both ports use implicit TLS, which is what `UseSSL` means. */
const server = (prefix: string, { host, port }: MailServer, address: string) => ({
  [`${prefix}Authentication`]: "EmailAuthPassword",
  [`${prefix}HostName`]: host,
  [`${prefix}PortNumber`]: port,
  [`${prefix}UseSSL`]: true,
  [`${prefix}Username`]: address,
});

/** Stable ids per address, so that a device recognizes an updated profile. */
function payloadIds(part: string, address: string) {
  const { hostname } = config();
  const id = uuidv5(`${part} ${address} ${hostname}`, NAMESPACE).toUpperCase();
  const reversed = hostname.split(".").reverse().join(".");
  return { PayloadUUID: id, PayloadIdentifier: `${reversed}.posthouse.${part}.${id}` };
}

function plist(value: Value): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
${element(value, "")}</plist>
`;
}

function element(value: Value, indent: string): string {
  if (typeof value === "boolean") return `${indent}<${value}/>\n`;
  if (typeof value === "number") return `${indent}<integer>${value}</integer>\n`;
  if (typeof value === "string") return `${indent}<string>${escapeMarkup(value)}</string>\n`;
  const inner = `${indent}  `;
  if (Array.isArray(value))
    return `${indent}<array>\n${value.map((entry) => element(entry, inner)).join("")}${indent}</array>\n`;
  const entries = Object.entries(value).map(
    ([key, entry]) => `${inner}<key>${escapeMarkup(key)}</key>\n${element(entry, inner)}`,
  );
  return `${indent}<dict>\n${entries.join("")}${indent}</dict>\n`;
}
