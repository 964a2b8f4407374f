import { isAscii, isUtf8 } from "node:buffer";

import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { headerEnd } from "#server/core/shared/mime/header-fields.ts";

import { type DsnRequest, mailParameters, rcptParameters } from "./dsn-parameters.ts";
import type { Session } from "./open-session.ts";

/** RFC 5321 §4.5.3.1.3: the longest path, brackets included. */
const PATH_BYTES_MAX = 256;

/** One message and its recipients in one SMTP transaction. */
export type Transaction = {
  from: string;
  recipients: string[];
  message: Buffer;
  /** The message must not be converted, whatever the server supports. */
  isFixed?: boolean;
  dsn?: DsnRequest | undefined;
};

/** The domain of a transaction that has one destination, in lowercase. */
export const recipientDomain = ({ recipients }: Transaction): string =>
  addressDomain(recipients[0]!).toLowerCase();

/** Whether an address is safe in a command: one that ends the path or the line could inject commands. */
export function isSafeAddress(address: string): boolean {
  return !/[\0-\x20\x7f<>]/.test(address) && Buffer.byteLength(address) + 2 <= PATH_BYTES_MAX;
}

/** Whether an address needs a server with SMTPUTF8 (RFC 6531). */
export function hasUtf8Address({
  from,
  recipients,
}: Pick<Transaction, "from" | "recipients">): boolean {
  return ![from, ...recipients].every((address) => /^[\0-\x7f]*$/.test(address));
}

/** Whether the header contains UTF-8 (RFC 6532), which also requires SMTPUTF8. */
function hasUtf8Header({ message }: Transaction): boolean {
  if (isAscii(message)) return false;
  const header = message.subarray(0, headerEnd(message));
  return !isAscii(header) && isUtf8(header);
}

/** Why a transaction isn't possible over a session as is. */
export type MissingExtension = { lacks: "utf8Address" | "utf8Header" | "eightBit"; peer: string };

/** The extension that the message needs and the server lacks; null if none. Dovecot accepts any header. */
export function findMissingExtension(
  { extensions, lmtp, wire }: Session,
  transaction: Transaction,
): MissingExtension | null {
  const { peer } = wire;
  const isUtf8Able = extensions.has("SMTPUTF8");
  if (!isUtf8Able && hasUtf8Address(transaction)) return { lacks: "utf8Address", peer };
  if (lmtp || isAscii(transaction.message)) return null;
  if (!extensions.has("8BITMIME")) return { lacks: "eightBit", peer };
  if (isUtf8Able || transaction.isFixed || !hasUtf8Header(transaction)) return null;
  return { lacks: "utf8Header", peer };
}

/** Whether the server sends the notifications that a message asks for. Those about local mailboxes are ours. */
export const offersDsn = ({ extensions, lmtp }: Session) => !lmtp && extensions.has("DSN");

/** The commands of one transaction up to DATA, each with its CRLF. */
export function envelopeCommands(transaction: Transaction, session: Session): string[] {
  const { extensions } = session;
  const { from, recipients, message } = transaction;
  const dsn = offersDsn(session) ? transaction.dsn : undefined;
  const size = extensions.has("SIZE") ? ` SIZE=${message.length}` : "";
  const body = extensions.has("8BITMIME") && !isAscii(message) ? " BODY=8BITMIME" : "";
  const isUtf8Mail =
    extensions.has("SMTPUTF8") && (hasUtf8Address(transaction) || hasUtf8Header(transaction));
  return [
    `MAIL FROM:<${from}>${size}${body}${isUtf8Mail ? " SMTPUTF8" : ""}${dsn ? mailParameters(dsn) : ""}\r\n`,
    ...recipients.map(
      (recipient) => `RCPT TO:<${recipient}>${dsn ? rcptParameters(dsn, recipient) : ""}\r\n`,
    ),
    "DATA\r\n",
  ];
}
