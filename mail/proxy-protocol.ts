import type { Socket } from "node:net";

import type { SMTPServer } from "smtp-server";

import type { Cidr } from "#server/config.ts";
import { isInNetworks } from "#server/gateways/is-in-networks.ts";

/**
 * Makes an SMTP server expect a PROXY header (version 1) from proxies in these networks only. The
 * session then has the client's address. Call it before the server listens.
 *
 * @param onDirect called for each connection that isn't from a proxy
 */
export function expectProxyHeaders(
  server: SMTPServer,
  networks: Cidr[],
  onDirect: (socket: Socket) => void,
): void {
  const isProxy = ({ remoteAddress }: Socket) => isInNetworks(remoteAddress, networks);
  // smtp-server's `useProxy` option accepts single addresses only.
  Object.assign(server, { _expectsProxyHeader: isProxy });
  server.server.on("connection", (socket: Socket) => {
    if (!isProxy(socket)) onDirect(socket);
  });
}
