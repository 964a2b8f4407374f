import { isAscii, isUtf8 } from "node:buffer";

import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { headerEnd } from "#server/core/shared/mime/header-fields.ts";

import { hasBareLineBreak } from "./content.ts";
import type { Failure, Outcome } from "./outcome.ts";
import type { Session } from "./session.ts";

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
const isSafeAddress = (address: string): boolean =>
  !/[\0-\x20\x7f<>]/.test(address) && Buffer.byteLength(address) + 2 <= PATH_BYTES_MAX;

/** Whether an address needs a server with SMTPUTF8 (RFC 6531). */
const hasUtf8Address = ({ from, recipients }: Pick<Transaction, "from" | "recipients">): boolean =>
  ![from, ...recipients].every((address) => /^[\0-\x7f]*$/.test(address));

/** Whether the header contains UTF-8 (RFC 6532), which also requires SMTPUTF8. */
function hasUtf8Header({ message }: Transaction): boolean {
  if (isAscii(message)) return false;
  const header = message.subarray(0, headerEnd(message));
  return !isAscii(header) && isUtf8(header);
}

/** Why a transaction isn't possible over a session as is. */
export type MissingExtension = { lacks: "utf8Address" | "utf8Header" | "eightBit"; peer: string };

/** RFC 3463, 3.7, and RFC 6531, 4.4. */
const LACKS: Record<MissingExtension["lacks"], [dsn: string, why: string]> = {
  utf8Address: ["5.6.7", "does not accept non-ASCII addresses"],
  utf8Header: ["5.6.9", "does not support SMTPUTF8, and this header can't be converted to ASCII"],
  eightBit: [
    "5.6.3",
    "does not support 8BITMIME, and this message can't be converted without breaking a signature",
  ],
};

/** The outcome for a message that needs an extension that the server lacks. */
export function incompatible({ lacks, peer }: MissingExtension): Failure {
  const [dsn, why] = LACKS[lacks];
  return { result: "bounced", dsn, message: `${peer} ${why}`, suppress: false };
}

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

/** Whether the peer supports DSN (RFC 3461). For local mailboxes we send the notifications ourselves. */
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

/** What the sender of a message asked for about its delivery (RFC 3461), for servers that offer DSN. */
export type DsnRequest = {
  /** ENVID, decoded. */
  envelopeId: string | null;
  /** RET: whether a bounce returns the whole message. */
  returnFull: boolean;
  /** NOTIFY and ORCPT by recipient as in RCPT TO. ORCPT is decoded, with its type. */
  recipients: ReadonlyMap<string, { notify: string[] | null; originalRecipient: string | null }>;
};

/** RFC 3461, 4.4 and 4.2: longest values, encoded. */
const ENVID_LENGTH_MAX = 100;
const ORCPT_LENGTH_MAX = 500;

/** The parameters of MAIL FROM, each with a space before it. RET=FULL is what servers do anyway. */
export function mailParameters({ envelopeId, returnFull }: DsnRequest): string {
  const id = envelopeId === null ? null : xtext(envelopeId, ENVID_LENGTH_MAX);
  return (returnFull ? "" : " RET=HDRS") + (id === null ? "" : ` ENVID=${id}`);
}

/** The parameters of RCPT TO, each with a space before it. */
export function rcptParameters({ recipients }: DsnRequest, recipient: string): string {
  const { notify = null, originalRecipient = null } = recipients.get(recipient) ?? {};
  const when = notify && notify.length > 0 ? ` NOTIFY=${notify.join(",").toUpperCase()}` : "";
  const [, type, address] = /^([a-z0-9-]{1,20});(.+)$/i.exec(originalRecipient ?? "") ?? [];
  const original = address === undefined ? null : xtext(address, ORCPT_LENGTH_MAX);
  return when + (original === null ? "" : ` ORCPT=${type};${original}`);
}

/** RFC 3461, 4: printable ASCII, anything else as `+` and hexadecimal digits. Null if it is too long or not ASCII. */
function xtext(text: string, lengthMax: number): string | null {
  if (!/^[\x20-\x7e]+$/.test(text)) return null;
  const encoded = text.replace(
    /[+= ]/g,
    (character) => `+${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return encoded.length <= lengthMax ? encoded : null;
}

/** Every server accepts this many in one transaction (RFC 5321 §4.5.3.1.8). */
const RECIPIENTS_PER_TRANSACTION_MAX = 100;

/**
 * Splits a message to any number of recipients into transactions, and bounces what must not be sent. Non-ASCII
 * recipients, which few servers accept, get a transaction of their own.
 */
export function splitIntoTransactions({ recipients: all, ...mail }: Transaction): {
  transactions: Transaction[];
  refused: Outcome[];
} {
  const { from, message } = mail;
  const recipients = [...new Set(all)];
  const fault = findFault(from, message);
  if (fault) return { transactions: [], refused: recipients.map((to) => refuse(to, fault, false)) };

  const safe = recipients.filter((to) => to !== "" && isSafeAddress(to));
  const refused = recipients
    .filter((to) => !safe.includes(to))
    .map((to) =>
      refuse(to, ["5.1.3", "The address contains characters that aren't allowed in SMTP"], true),
    );
  const isUtf8 = (to: string) => hasUtf8Address({ from: "", recipients: [to] });
  const transactions = [safe.filter((to) => !isUtf8(to)), safe.filter(isUtf8)]
    .flatMap((group) => chunk(group, RECIPIENTS_PER_TRANSACTION_MAX))
    .map((group) => ({ ...mail, recipients: group }));
  return { transactions, refused };
}

type Fault = [dsn: string, message: string];

function findFault(from: string, message: Buffer): Fault | null {
  if (!isSafeAddress(from))
    return ["5.1.7", "The sender address contains characters that aren't allowed in SMTP"];
  if (hasBareLineBreak(message))
    return ["5.6.0", "The message has a CR or LF that is not part of a line end"];
  return null;
}

const refuse = (recipient: string, [dsn, message]: Fault, suppress: boolean): Outcome => ({
  recipient,
  result: "bounced",
  dsn,
  message,
  suppress,
});

function chunk<Item>(items: Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}
