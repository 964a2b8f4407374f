import { isIP, type Socket } from "node:net";

/** The longest header of version 1, with its line end. */
const HEADER_BYTES_MAX = 107;

const HEADER = /^PROXY (?:UNKNOWN\b.*|TCP([46]) (\S+) \S+ \d+ \d+)$/;

/** A PROXY header (version 1). `address` is the client's, null if the proxy doesn't know it. */
export type ProxyHeader = { address: string | null; bytes: number };

/**
 * Reads the PROXY header at the beginning of a connection.
 *
 * @returns "incomplete" if more bytes are needed, "invalid" if it isn't one
 */
export function readProxyHeader(seen: Buffer): ProxyHeader | "incomplete" | "invalid" {
  const start = seen.subarray(0, HEADER_BYTES_MAX);
  const end = start.indexOf("\r\n");
  if (end === -1) return start.length < HEADER_BYTES_MAX ? "incomplete" : "invalid";
  const match = HEADER.exec(start.toString("latin1", 0, end));
  if (!match) return "invalid";
  const [, family, address = null] = match;
  if (address !== null && isIP(address) !== Number(family)) return "invalid";
  return { address, bytes: end + 2 };
}

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
