import { isIP } from "node:net";

import ipaddr from "ipaddr.js";

/** The longest header of version 1, with its line end. */
const LINE_BYTES_MAX = 107;
const LINE = /^PROXY (?:UNKNOWN\b.*|TCP([46]) (\S+) \S+ \d+ \d+)$/;

const SIGNATURE = Buffer.from("\r\n\r\n\0\r\nQUIT\n", "latin1");
/** Signature, version and command, address family, and the length of the rest. */
const FIXED_BYTES = 16;
/** Room for the certificate that a proxy may describe. The format allows 64 KB. */
const HEADER_BYTES_MAX = 4_096;
const [LOCAL, PROXY] = [0x20, 0x21];
/** The addresses of a header about a TCP connection: source, destination, and their ports. */
const FAMILIES = new Map([
  [0x11, { addressBytes: 4, bytes: 12 }],
  [0x21, { addressBytes: 16, bytes: 36 }],
]);
const UNSPECIFIED = 0x00;

/** A PROXY header. `address` is the client's, null if the proxy doesn't tell it or opened the connection itself. */
type ProxyHeader = { address: string | null; bytes: number };

type Read = ProxyHeader | "incomplete" | "invalid";

/**
 * Reads the PROXY header, version 1 or 2, at the beginning of a connection. Call it only for connections from
 * trusted proxies.
 *
 * @returns "incomplete" if more bytes are needed, "invalid" if it isn't one
 */
export function readProxyHeader(seen: Buffer): Read {
  const start = seen.subarray(0, SIGNATURE.length);
  if (!SIGNATURE.subarray(0, start.length).equals(start)) return readLine(seen);
  return seen.length < FIXED_BYTES ? "incomplete" : readBinary(seen);
}

/** Version 1. */
function readLine(seen: Buffer): Read {
  const start = seen.subarray(0, LINE_BYTES_MAX);
  const end = start.indexOf("\r\n");
  if (end === -1) return start.length < LINE_BYTES_MAX ? "incomplete" : "invalid";
  const match = LINE.exec(start.toString("latin1", 0, end));
  if (!match) return "invalid";
  const [, family, address = null] = match;
  if (address === null) return { address, bytes: end + 2 };
  if (isIP(address) !== Number(family)) return "invalid";
  return { address: ipaddr.process(address).toString(), bytes: end + 2 };
}

/** Version 2. What follows the addresses is skipped. */
function readBinary(seen: Buffer): Read {
  const [command, family, length] = [seen[12]!, seen[13]!, seen.readUInt16BE(14)];
  const bytes = FIXED_BYTES + length;
  if ((command !== LOCAL && command !== PROXY) || bytes > HEADER_BYTES_MAX) return "invalid";
  if (seen.length < bytes) return "incomplete";
  if (command === LOCAL || family === UNSPECIFIED) return { address: null, bytes };
  const known = FAMILIES.get(family);
  if (!known || length < known.bytes) return "invalid";
  const source = seen.subarray(FIXED_BYTES, FIXED_BYTES + known.addressBytes);
  return {
    address: ipaddr.process(ipaddr.fromByteArray([...source]).toString()).toString(),
    bytes,
  };
}
