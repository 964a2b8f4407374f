import { isIPv6 } from "node:net";

import {
  fieldValue,
  headerEnd,
  type HeaderField,
  headerFields,
} from "#server/core/shared/mime/header-fields.ts";

export type Hop = {
  /** What the client called itself, whatever it said. */
  helo: string;
  clientAddress: string;
  hostname: string;
  /** A word of RFC 3848: SMTP, ESMTP, ESMTPS. */
  protocol: string;
  id: string;
  /** Only where there is one: others shall not know of each other. */
  recipient: string | null;
  now: Date;
};

/** Our Received field (RFC 5321, 4.4), folded, with CRLF at its end. */
export function receivedField(hop: Hop): string {
  const { helo, clientAddress, hostname, protocol, id, recipient, now } = hop;
  const from = /^[\w.:[\]-]{1,255}$/.test(helo) ? helo : "unknown";
  const literal = isIPv6(clientAddress) ? `IPv6:${clientAddress}` : clientAddress;
  return `${[
    `Received: from ${from} ([${literal}])`,
    `by ${hostname} with ${/^[A-Z0-9]+$/.test(protocol) ? protocol : "SMTP"} id ${id}`,
    ...(recipient === null ? [] : [`for <${recipient}>`]),
  ].join("\r\n\t")};\r\n\t${now.toUTCString().replace("GMT", "+0000")}\r\n`;
}

/**
 * The message as it may stand below fields of ours: one that begins with anything else than a field is
 * all body, and an empty line goes before it. Its first line would go on with our last field.
 */
export function ensureHeaderEnd(content: Buffer): Buffer {
  const beginsWell = headerEnd(content) === 0 || headerFields(content)[0]?.start === 0;
  return beginsWell ? content : Buffer.concat([Buffer.from("\r\n"), content]);
}

/**
 * The message with our fields on top, and without those that somebody else put in as if they were
 * ours: `X-Posthouse-…`, and Authentication-Results that name us (RFC 8601, 5). All else stays as it is,
 * octet for octet.
 */
export function addTraceFields(content: Buffer, hostname: string, ours: string[]): Buffer {
  const pieces: Buffer[] = [Buffer.from(ours.join(""), "latin1")];
  let at = 0;
  for (const field of headerFields(content)) {
    if (!isForged(content, field, hostname)) continue;
    pieces.push(content.subarray(at, field.start));
    at = field.end;
  }
  return Buffer.concat([...pieces, content.subarray(at)]);
}

/**
 * A name of ours anywhere in a field of results is reason enough: comments, quotes and versions may
 * stand around it, and each reader takes those apart in its own way.
 */
function isForged(content: Buffer, field: HeaderField, hostname: string): boolean {
  if (field.name.startsWith("x-posthouse-")) return true;
  if (field.name !== "authentication-results") return false;
  const value = fieldValue(content, field).replace(/[\s\\"]|\([^()]*\)/g, "");
  return value.toLowerCase().includes(hostname.toLowerCase());
}
