import type { Socket } from "node:net";

import ipaddr from "ipaddr.js";
import type { SMTPServer } from "smtp-server";

import type { Cidr } from "#server/config.ts";

/** Whether a connection comes from a proxy that begins it with a PROXY header. */
export function isProxy(networks: Cidr[], { remoteAddress = "" }: Pick<Socket, "remoteAddress">) {
  if (!ipaddr.isValid(remoteAddress)) return false;
  const address = ipaddr.process(remoteAddress);
  return networks.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  );
}

/**
 * Makes an SMTP server expect a PROXY header (version 1) from proxies in these networks, and from nobody else. The
 * session then has the client's address. Call it before the server listens.
 */
export function expectProxyHeaders(server: SMTPServer, networks: Cidr[]): void {
  // smtp-server's option `useProxy` knows single addresses only.
  Object.assign(server, {
    _expectsProxyHeader: (socket: Socket) => isProxy(networks, socket),
  });
}
