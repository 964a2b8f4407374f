import { config } from "#server/config.ts";

import {
  clientSettings,
  type MailServer,
  type ServerSettings,
  webServer,
} from "./client-settings.ts";

/** An optional DNS record that lets mail apps find their settings. */
export type MailAppRecord = {
  type: "SRV" | "CNAME";
  name: string;
  /** As in a zone file, with trailing dots: `0 1 993 mail.example.com.` */
  value: string;
  purpose: string;
};

/**
 * Lists a domain's DNS records that let mail apps find their settings from the address alone (RFC 6186, RFC
 * 8314 §5.1, RFC 6764, Mozilla's autoconfig, Outlook's autodiscover). IMAP is preferred to POP3, and plain IMAP and
 * POP3 are declared absent.
 */
export function mailAppRecords(
  domain: string,
  settings: ServerSettings = config(),
): MailAppRecord[] {
  const { imap, pop3, smtp, sieve, dav } = clientSettings(undefined, settings);
  const srv = (service: string, server: MailServer, purpose: string, priority = 0) =>
    record(
      "SRV",
      `_${service}._tcp.${domain}`,
      `${priority} 1 ${server.port} ${server.host}.`,
      purpose,
    );
  const none = (service: string, purpose: string) =>
    record("SRV", `_${service}._tcp.${domain}`, "0 0 0 .", purpose);
  const web = webServer(settings);
  return [
    srv("imaps", imap[0]!, "Reading mail (IMAP)"),
    srv("pop3s", pop3[0]!, "Reading mail (POP3), for apps without IMAP", 10),
    srv("submissions", smtp[0]!, "Sending mail"),
    srv("submission", smtp[1]!, "Sending mail, for apps with STARTTLS only", 10),
    srv("sieve", sieve[0]!, "Managing filters (ManageSieve)"),
    ...dav.flatMap((server) => [
      srv("caldavs", server, "Calendars (CalDAV)"),
      srv("carddavs", server, "Contacts (CardDAV)"),
    ]),
    none("imap", "Declares that unencrypted IMAP is not offered"),
    none("pop3", "Declares that unencrypted POP3 is not offered"),
    srv("autodiscover", web, "Outlook settings"),
    record(
      "CNAME",
      `autodiscover.${domain}`,
      `${web.host}.`,
      "Outlook versions without SRV support",
    ),
    record("CNAME", `autoconfig.${domain}`, `${web.host}.`, "Thunderbird settings"),
  ];
}

const record = (type: MailAppRecord["type"], name: string, value: string, purpose: string) => ({
  type,
  name,
  value,
  purpose,
});

/** As lines of a zone file (RFC 1035 §5). */
export function mailAppZoneLines(domain: string): string {
  return mailAppRecords(domain)
    .map(({ name, type, value }) => `${name}. IN ${type} ${value}\n`)
    .join("");
}
