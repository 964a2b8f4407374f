import { withShortLines } from "#server/core/shared/mime/seven-bit.ts";

import type { HeaderField } from "./header-fields.ts";

/** Those that tell what must not be told, or that a receiver would believe us. */
const REMOVED = new Set(["bcc", "resent-bcc", "return-path"]);

/**
 * A message as it is sent: what RFC 6409, 8 has a submission server add (Date, Message-ID) and the trace
 * field (RFC 5321, 4.4) stand on top; copies that nobody is to know of, and fields that only receiving
 * servers write, are gone. Lines over 998 octets, which other servers may reject, are encoded. All other
 * bytes stay unchanged.
 *
 * The trace field does not name the client: its address is often that of somebody's home. It is kept with
 * the message, for the company's admins.
 *
 * @param messageId what its Message-ID is made of, if it has none
 */
export function completeContent(
  { fields, rest }: { fields: HeaderField[]; rest: Buffer },
  { id, from, hostname, now }: { id: string; from: string; hostname: string; now: Date },
): { content: Buffer; messageId: string } {
  const kept = fields.filter((field) => !isRemoved(field, hostname));
  const date = now.toUTCString().replace("GMT", "+0000");
  const given = kept.find(({ name }) => name === "message-id")?.value;
  const messageId = given || `<${id}@${from.slice(from.lastIndexOf("@") + 1)}>`;
  const added = [
    `Received: by ${hostname} with ESMTPSA id ${id};\r\n\t${date}\r\n`,
    ...(kept.some(({ name }) => name === "date") ? [] : [`Date: ${date}\r\n`]),
    ...(given ? [] : [`Message-ID: ${messageId}\r\n`]),
  ];
  const header = kept.filter(({ name, value }) => name !== "message-id" || value !== "");
  return {
    messageId,
    content: withShortLines(
      Buffer.concat([
        Buffer.from(added.join("")),
        ...header.map(({ bytes }) => bytes),
        rest.length > 0 ? rest : Buffer.from("\r\n"),
      ]),
    ),
  };
}

function isRemoved({ name, value }: HeaderField, hostname: string): boolean {
  if (REMOVED.has(name) || name.startsWith("x-posthouse-")) return true;
  if (name !== "authentication-results") return false;
  return value.toLowerCase().split(/[\s;(]/, 1)[0] === hostname;
}
