import { dovecotSocket } from "#server/gateways/service-socket.ts";

/**
 * Path of the socket where Dovecot accepts mail for mailboxes (LMTP, RFC 2033). Call before each connection.
 *
 * @throws Error if Dovecot has never run with this data folder
 */
export function lmtpSocketPath(dataFolder: string): string {
  return dovecotSocket(dataFolder, "lmtp");
}
