import { parseAddress } from "#server/core/addresses/parse-address.ts";

import { decodeWords } from "./decode-words.ts";
import { fieldValue, type HeaderField, headerFields } from "./header-fields.ts";

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
  /** How many From fields there are: only one is right (RFC 5322, 3.6). */
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
  const id = all("message-id")[0];
  return {
    from: from.length === 1 ? readAddress(fieldValue(content, from[0]!)) : null,
    headerFrom: text(from[0]),
    subject: text(all("subject")[0]),
    messageId: id ? shown(fieldValue(content, id)) || null : null,
    fromFields: from.length,
  };
}

/**
 * The address of a From field. Its name is nobody's business here: it may be an encoded word, or an
 * address itself, which the reader of plain addresses refuses.
 */
function readAddress(value: string): string | null {
  const inBrackets = /^(?:"(?:[^"\\]|\\.)*"|[^"<>,;:()]*)\s*<([^<>\s]+)>$/.exec(value);
  return parseAddress(inBrackets ? inBrackets[1]! : value)?.address ?? null;
}

const shown = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .toWellFormed()
    .trim()
    .slice(0, SHOWN_LENGTH_MAX)
    .toWellFormed();
