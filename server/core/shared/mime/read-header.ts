import { decodeWords } from "./decode-words.ts";
import { fieldValue, type HeaderField, headerFields } from "./header-fields.ts";
import { formatAddresses } from "./read-addresses.ts";
import { readAuthor } from "./internal/read-author.ts";

/** What a message's header says, for display and for decisions. */
export type HeaderFacts = {
  /** The address of the only From field, lowercase; null if there are none, several or an invalid one. */
  from: string | null;
  /** The display form of the From field: decoded, with names quoted where they need it; "" for none. */
  headerFrom: string;
  /** Decoded; "" for none. */
  subject: string;
  /** With its angle brackets. */
  messageId: string | null;
  /** The author's domain for DMARC; null unless there is one From field with one address. */
  fromDomain: string | null;
  /** Number of addresses in all From fields. Anything but one is ambiguous. */
  fromAddresses: number;
  /** More than one is invalid (RFC 5322, 3.6): a reader may show one while a filter checks another. */
  fromFields: number;
  hasSender: boolean;
};

const SHOWN_LENGTH_MAX = 998;

/** Reads the header of an untrusted message; bounded, and never throws. */
export function readHeader(content: Buffer): HeaderFacts {
  const fields = headerFields(content);
  const all = (name: string) => fields.filter((field) => field.name === name);
  const text = (field: HeaderField | undefined) =>
    field ? shown(decodeWords(fieldValue(content, field))) : "";
  const from = all("from");
  const authors = from.map((field) => readAuthor(fieldValue(content, field)));
  const author = authors.length === 1 ? authors[0] : undefined;
  return {
    from: author?.address ?? null,
    fromDomain: author?.domain ?? null,
    fromAddresses: authors.reduce((sum, { addresses }) => sum + addresses, 0),
    headerFrom: from[0]
      ? shown(formatAddresses(fieldValue(content, from[0]), SHOWN_LENGTH_MAX))
      : "",
    subject: text(all("subject")[0]),
    messageId: messageIdOf(content, fields),
    fromFields: from.length,
    hasSender: all("sender").length > 0,
  };
}

/** Reads only the Message-ID, with its angle brackets; null for none. Never throws. */
export function readMessageId(content: Buffer): string | null {
  return messageIdOf(content, headerFields(content));
}

function messageIdOf(content: Buffer, fields: HeaderField[]): string | null {
  const id = fields.find(({ name }) => name === "message-id");
  return id ? shown(fieldValue(content, id)) || null : null;
}

const shown = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .toWellFormed()
    .trim()
    .slice(0, SHOWN_LENGTH_MAX)
    .toWellFormed();
