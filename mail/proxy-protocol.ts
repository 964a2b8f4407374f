import type { Socket } from "node:net";

import type { SMTPServer } from "smtp-server";

import type { Cidr } from "#server/config.ts";
import { isInNetworks } from "#server/gateways/public-address.ts";
import { readProxyHeader } from "#server/gateways/proxy-header.ts";

/** What smtp-server takes as the client's address instead of the socket's. */
type Client = { remoteAddress?: string };

type Done = (error: Error | null, client?: Client) => void;

/** How long a rejected proxy has to read the reply. */
const LINGER_MS = 1_000;

/**
 * Makes an SMTP server expect a PROXY header from proxies in these networks only. The session then has the
 * client's address. Call it before the server listens.
 *
 * @param onDirect called for each connection that isn't from a proxy
 */
export function expectProxyHeaders(
  server: SMTPServer,
  networks: Cidr[],
  onDirect: (socket: Socket) => void,
): void {
  const isProxy = ({ remoteAddress }: Socket) => isInNetworks(remoteAddress, networks);
  // smtp-server's `useProxy` option accepts single addresses and version 1 only. It limits how long we may wait.
  Object.assign(server, {
    _expectsProxyHeader: isProxy,
    _handleProxy: (socket: Socket, done: Done) => {
      if (isProxy(socket)) awaitHeader(socket, done);
      else setImmediate(() => done(null, {}));
    },
  });
  server.server.on("connection", (socket: Socket) => {
    if (!isProxy(socket)) onDirect(socket);
  });
}

/** Reads the header and leaves what follows it in the socket. A connection without one is closed. */
function awaitHeader(socket: Socket, done: Done): void {
  let seen: Buffer = Buffer.alloc(0);
  const settle = (error: Error | null, client?: Client) => {
    socket.off("readable", read).off("error", settle).off("end", onEnd).off("close", onEnd);
    if (error) {
      socket.on("error", () => {});
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    }
    done(error, client);
  };
  const onEnd = () => settle(new Error("The proxy closed the connection before its PROXY header"));
  const read = () => {
    for (;;) {
      const bytes = socket.read() as Buffer | null;
      if (bytes === null) return;
      seen = Buffer.concat([seen, bytes]);
      const header = readProxyHeader(seen);
      if (header === "incomplete") continue;
      if (header === "invalid") {
        socket.end("421 4.3.0 Invalid PROXY header\r\n");
        settle(new Error("Invalid PROXY header"));
        return;
      }
      if (seen.length > header.bytes) socket.unshift(seen.subarray(header.bytes));
      settle(null, header.address === null ? {} : { remoteAddress: header.address });
      return;
    }
  };
  socket.on("readable", read).on("error", settle).on("end", onEnd).on("close", onEnd);
}
