import { isOurField } from "#server/core/mail/authentication/trace-fields.ts";
import { withShortLines } from "#server/core/shared/mime/seven-bit.ts";

import type { HeaderField } from "./header-fields.ts";

/** Fields that would disclose recipients, or that receivers would trust us for. */
const REMOVED = new Set(["bcc", "resent-bcc", "return-path"]);

/**
 * Completes a submitted message: prepends the Received field (RFC 5321, 4.4) and a missing Date or Message-ID
 * (RFC 6409, 8); removes Bcc and fields that only receiving servers write; encodes lines over 998 octets, which other
 * servers may reject. All other bytes stay unchanged.
 *
 * The Received field doesn't name the client, whose address is often that of a home. The address is stored with the
 * message for the company's admins.
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
  return REMOVED.has(name) || isOurField({ name, value: () => value }, hostname);
}
