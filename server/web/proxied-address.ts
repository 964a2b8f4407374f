import type { Socket } from "node:net";

/** Client addresses of open connections from proxies, by the proxy's end of the connection. */
const clients = new Map<string, string>();

const connectionOf = ({ remoteAddress, remotePort, localPort }: Socket) =>
  `${remoteAddress} ${remotePort} ${localPort}`;

/** Records the address that a proxy gave for its client, until the connection ends. */
export function recordProxiedAddress(socket: Socket, address: string): void {
  const connection = connectionOf(socket);
  clients.set(connection, address);
  socket.once("close", () => clients.delete(connection));
}

/** The client's address if the connection came through a proxy that gave one. TLS sockets count as their connection. */
export const proxiedAddress = (socket: Socket): string | undefined =>
  clients.size === 0 ? undefined : clients.get(connectionOf(socket));
