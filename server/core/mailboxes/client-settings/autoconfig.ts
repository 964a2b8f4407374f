import { config } from "#server/config.ts";

import { type ClientSettings, clientSettings, type MailServer } from "./client-settings.ts";
import type { MailDomain } from "./find-mail-domain.ts";
import { xmlText } from "./internal/xml-text.ts";

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
  <emailProvider id="${xmlText(domain)}">
    <domain>${xmlText(domain)}</domain>
    <displayName>${xmlText(companyName)}</displayName>
    <displayShortName>${xmlText(companyName)}</displayShortName>
${[...incoming, ...outgoing].join("")}    <documentation url="${xmlText(config().baseUrl)}/account/connect">
      <descr lang="en">How to connect mail apps</descr>
    </documentation>
  </emailProvider>
</clientConfig>
`;
}

function serverXml(element: string, type: string, { host, port, tls }: MailServer): string {
  return `    <${element} type="${type}">
      <hostname>${xmlText(host)}</hostname>
      <port>${port}</port>
      <socketType>${SOCKET_TYPES[tls]}</socketType>
      <authentication>password-cleartext</authentication>
      <username>%EMAILADDRESS%</username>
    </${element}>
`;
}
