import { type Config, config } from "#server/config.ts";

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
