import { isAscii } from "node:buffer";

import type { Session } from "./open-session.ts";

/** RFC 5321 §4.5.3.1.3: the longest path, brackets included. */
const PATH_BYTES_MAX = 256;

/** One message with the recipients it goes to in one transaction. */
export type Parcel = { from: string; recipients: string[]; message: Buffer };

/**
 * Whether the address can stand in a command: what could end the path or the line is the begin of
 * somebody else's command.
 */
export function isSafeAddress(address: string): boolean {
  return !/[\0-\x20\x7f<>]/.test(address) && Buffer.byteLength(address) + 2 <= PATH_BYTES_MAX;
}

/** Whether an address of the parcel needs a server with SMTPUTF8 (RFC 6531). */
export function needsUtf8({ from, recipients }: Parcel): boolean {
  return ![from, ...recipients].every((address) => /^[\0-\x7f]*$/.test(address));
}

/** The commands of one transaction up to DATA, each with its CRLF. */
export function envelopeCommands(parcel: Parcel, { extensions }: Session): string[] {
  const { from, recipients, message } = parcel;
  const size = extensions.has("SIZE") ? ` SIZE=${message.length}` : "";
  const body = extensions.has("8BITMIME") && !isAscii(message) ? " BODY=8BITMIME" : "";
  const utf8 = needsUtf8(parcel) ? " SMTPUTF8" : "";
  return [
    `MAIL FROM:<${from}>${size}${body}${utf8}\r\n`,
    ...recipients.map((recipient) => `RCPT TO:<${recipient}>\r\n`),
    "DATA\r\n",
  ];
}
