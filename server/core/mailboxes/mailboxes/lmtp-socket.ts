import { dovecotSocket } from "#server/gateways/service-socket.ts";

/**
 * Where Dovecot takes mail for mailboxes (LMTP, RFC 2033). Ask before each connection.
 *
 * @throws Error when Dovecot has never run on this data folder and the path cannot be told
 */
export function lmtpSocketPath(dataFolder: string): string {
  return dovecotSocket(dataFolder, "lmtp");
}
