import { isIPv6 } from "node:net";

import { fieldValue, headerEnd } from "#server/core/shared/mime/header-fields.ts";
import { Message } from "#server/core/shared/mime/message.ts";

export type Hop = {
  /** The EHLO name, unchecked. */
  helo: string;
  clientAddress: string;
  hostname: string;
  /** RFC 3848: SMTP, ESMTP, ESMTPS. */
  protocol: string;
  id: string;
  /** Null for several recipients, so that they don't learn about each other. */
  recipient: string | null;
  now: Date;
};

/** Our Received field (RFC 5321, 4.4), folded and terminated by CRLF. */
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
 * Prepends an empty line to a message that doesn't begin with a header field. Otherwise its first line would
 * continue the last field that we add above it.
 */
export function ensureHeaderEnd(message: Message): Message {
  const beginsWell = headerEnd(message.raw) === 0 || message.fields[0]?.start === 0;
  return beginsWell ? message : new Message(Buffer.concat([Buffer.from("\r\n"), message.raw]));
}

/**
 * Prepends our fields and removes forged ones: `X-Posthouse-…`, and Authentication-Results with our name
 * (RFC 8601, 5). All other bytes stay unchanged.
 */
export function addTraceFields(message: Message, hostname: string, ours: string[]): Message {
  const forged = message.fields.filter((field) =>
    isOurField({ name: field.name, value: () => fieldValue(message.raw, field) }, hostname),
  );
  return message.withFields(ours.join(""), forged);
}

/**
 * Whether only this server may write the field: `X-Posthouse-…`, and Authentication-Results with our name. Looks for it
 * anywhere in the value, because parsers differ in how they treat comments, quotes and versions.
 */
export function isOurField(
  { name, value }: { name: string; value: () => string },
  hostname: string,
): boolean {
  if (name.startsWith("x-posthouse-")) return true;
  if (name !== "authentication-results") return false;
  const plain = value().replace(/[\s\\"]|\([^()]*\)/g, "");
  return plain.toLowerCase().includes(hostname.toLowerCase());
}
