import { type Config, config } from "#server/config.ts";

/** Where a mail app connects to. With STARTTLS, where TLS is not there from the first byte: never without. */
export type MailServer = { host: string; port: number; tls: "implicit" | "starttls" };

/** What a mail app has to know; the user name is the whole address. The best of each comes first. */
export type ClientSettings = {
  imap: MailServer[];
  pop3: MailServer[];
  smtp: MailServer[];
  /** Rules for arriving mail (RFC 5804). */
  sieve: MailServer[];
};

export type AllowedProtocols = { imap: boolean; pop3: boolean; submission: boolean };

const ALL: AllowedProtocols = { imap: true, pop3: true, submission: true };

/**
 * The settings of mail apps, from which everything that tells them is made.
 *
 * @param allowed by the policy of the mailbox's unit; everything, where nobody has said who they are
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
