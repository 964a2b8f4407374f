import { type Config, config } from "#server/config.ts";
import type { TrackedMailHosts } from "#server/core/mailboxes/mail-hosts/mail-hosts.ts";

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
