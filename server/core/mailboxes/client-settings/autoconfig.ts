import { config } from "#server/config.ts";
import { escapeMarkup } from "#server/core/shared/escape-markup.ts";

import { type ClientSettings, clientSettings, type MailServer } from "./client-settings.ts";
import type { MailDomain } from "./find-mail-domain.ts";

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
