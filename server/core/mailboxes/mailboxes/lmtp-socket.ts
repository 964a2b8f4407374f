import { config } from "#server/config.ts";
import { linkTo } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import type { HostLink } from "#server/gateways/host-link.ts";
import { dovecotSocket } from "#server/gateways/dovecot.ts";

/**
 * Path of the socket where Dovecot accepts mail for mailboxes (LMTP, RFC 2033). Call before each connection.
 *
 * @throws Error if Dovecot has never run with this data folder
 */
export const lmtpSocketPath = (dataFolder: string): string => dovecotSocket(dataFolder, "lmtp");

/**
 * Where the Dovecot of a mail host accepts mail. Call before each connection.
 *
 * @param storeHost null for mail hosts without a name, which are this one
 * @throws Error if it is this one and Dovecot has never run here
 */
export function lmtpPlace(
  dataFolder: string,
  storeHost: string | null,
): { path: string } | HostLink {
  return storeHost === null || storeHost === config().mailHost
    ? { path: lmtpSocketPath(dataFolder) }
    : linkTo(storeHost);
}
