import { decodeWords } from "./decode-words.ts";
import { fieldValue, type HeaderField, headerFields } from "./header-fields.ts";
import { readAuthor } from "./internal/read-author.ts";

/** What a message's header says of it, for people and for decisions. */
export type HeaderFacts = {
  /** The one address of the one From field, lowercase; null for none, for several, and for one that cannot be read plainly. */
  from: string | null;
  /** The From field as a person reads it; "" for none. */
  headerFrom: string;
  /** As a person reads it; "" for none. */
  subject: string;
  /** With its angle brackets. */
  messageId: string | null;
  /** Whose name the message bears, for DMARC; null unless it has one From with one address. */
  fromDomain: string | null;
  /** Addresses in all From fields. One is what people and DMARC can do something with. */
  fromAddresses: number;
  /** More than one is wrong (RFC 5322, 3.6): readers show one, and check another. */
  fromFields: number;
};

const SHOWN_LENGTH_MAX = 998;

/** Reads a message's header, whoever wrote it: bounded, and it never throws. */
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
    headerFrom: text(from[0]),
    subject: text(all("subject")[0]),
    messageId: messageIdOf(content, fields),
    fromFields: from.length,
  };
}

/** The Message-ID alone, with its angle brackets; null for none. It never throws either. */
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
