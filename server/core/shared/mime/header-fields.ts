import { domainToASCII } from "node:url";

import { encodedWords } from "./encoded-words.ts";

/** A header field's position in a message. */
export type HeaderField = {
  /** In lowercase. */
  name: string;
  /** Offsets of its first octet and after its last line break. */
  start: number;
  end: number;
};

const [LF, CR, SPACE, TAB, COLON] = [0x0a, 0x0d, 0x20, 0x09, 0x3a];

/** RFC 5322, 2.1.1. */
const LINE_OCTETS_MAX = 1_000;

/** Beyond any legitimate header. Parsing takes time per line and per octet. */
export const HEADER_OCTETS_MAX = 256 * 1024;
export const HEADER_LINES_MAX = 5_000;

/** Longer than any real field name. */
const NAME_OCTETS_MAX = 256;

/**
 * Lists a message's header fields in order, unfolded (RFC 5322, 2.2). A malformed line belongs to the field
 * above it, as mail readers do. Ends at the limits of a header: a message without an empty line would be all fields.
 */
export function headerFields(message: Buffer): HeaderField[] {
  const fields: HeaderField[] = [];
  const end = Math.min(headerEnd(message), HEADER_OCTETS_MAX);
  for (let [at, lines] = [0, 0]; at < end && lines < HEADER_LINES_MAX; lines++) {
    const lf = message.indexOf(LF, at);
    const next = lf === -1 || lf >= end ? end : lf + 1;
    const name = isFolded(message[at]!) ? null : readName(message, at, next);
    const last = fields.at(-1);
    if (name !== null) fields.push({ name, start: at, end: next });
    else if (last) last.end = next;
    at = next;
  }
  return fields;
}

/** The offset of the empty line that ends the header, or the message's length if there is none. */
export function headerEnd(message: Buffer): number {
  if (message[0] === CR && message[1] === LF) return 0;
  const end = message.indexOf("\r\n\r\n");
  return end === -1 ? message.length : end + 2;
}

/** A line of the mbox format, as programs leave it on top of the header: `From ann@example.com Sat Nov 28 …`. */
const MBOX_LINE = /^>*From (?![ \t]*:)[^\r\n]*\r\n/;

/** Removes a line of the mbox format from the top of a message, as other servers do. */
export function withoutMboxLine(message: Buffer): Buffer {
  const [line = ""] = MBOX_LINE.exec(message.toString("latin1", 0, LINE_OCTETS_MAX)) ?? [];
  return line === "" ? message : message.subarray(line.length);
}

/** A field's unfolded value in latin1, which preserves every byte. */
export function fieldValue(message: Buffer, { start, end }: HeaderField): string {
  const text = message.toString("latin1", start, end);
  return trimmed(text.slice(text.indexOf(":") + 1).replace(/\r?\n(?=[ \t])/g, ""));
}

/** Not `trim`, which also removes A0, the last octet of `à` in UTF-8. */
export function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const isSpace = (code: number) => code === SPACE || code === TAB || code === CR || code === LF;

/** Returns the message without the given fields, which must be in message order. */
export const withoutFields = (message: Buffer, fields: HeaderField[]): Buffer =>
  fields.length === 0 ? message : Buffer.concat(piecesWithout(message, fields));

/** What remains of the message without the given fields, which must be in message order. */
export function piecesWithout(message: Buffer, fields: HeaderField[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { start, end } of fields) {
    pieces.push(message.subarray(at, start));
    at = end;
  }
  return [...pieces, message.subarray(at)];
}

const isFolded = (octet: number) => octet === SPACE || octet === TAB;

/** `Name :` is read as `Name:`, as old servers wrote it (RFC 5322, 4.5). */
function readName(message: Buffer, start: number, end: number): string | null {
  const last = Math.min(end, start + NAME_OCTETS_MAX + 1);
  let colon = start;
  while (colon < last && message[colon] !== COLON) colon++;
  if (colon === start || colon === last) return null;
  const name = message.toString("latin1", start, colon).trimEnd().toLowerCase();
  return /^[\x21-\x7e]+$/.test(name) ? name : null;
}

/** RFC 5322 section 2.1.1: the recommended and the maximum length, both without CRLF. */
const LINE_CHARS_WANTED = 78;

const LINE_CHARS_MAX = 998;

const NOT_PRINTABLE_ASCII = /[^\x20-\x7e]/;

/** Formats a subject. Encodes anything that a reader would decode or trim, so that it arrives as written. */
export function subjectField(subject: string): string {
  const literal =
    !NOT_PRINTABLE_ASCII.test(subject) &&
    !subject.includes("=?") &&
    subject === subject.trim() &&
    fitsLines("Subject", subject);
  return foldedField("Subject", literal ? splitIntoPieces(subject) : encodedPieces(subject));
}

/**
 * Formats a custom header field. Printable ASCII is sent as given. Other text is sent as encoded words, except in
 * List-Unsubscribe, which contains URLs: there, domain names become A-labels, and the rest is percent-encoded.
 */
export function customField(name: string, value: string): string {
  if (!/^[\x21-\x39\x3b-\x7e]+$/.test(name)) throw new Error(`Not a header name: ${name}`);
  requireSingleLine(name, value);
  const trimmed = value.trim();
  if (name.toLowerCase() === "list-unsubscribe") {
    return foldedField(name, splitIntoPieces(asciiUrls(trimmed.toWellFormed())));
  }
  const literal =
    !NOT_PRINTABLE_ASCII.test(trimmed) && (fitsLines(name, trimmed) || isMessageIds(name));
  return foldedField(name, literal ? splitIntoPieces(trimmed) : encodedPieces(trimmed));
}

/** The host of a URL, or the domain of a `mailto:` address, if it isn't ASCII. */
const HOST =
  /(?<=\/\/(?:[^\s/?#@<>]*@)?|mailto:[^\s?@<>]*@)[^\s/?#@<>,:]*[^\x00-\x7f][^\s/?#@<>,:]*/giu;

const asciiUrls = (text: string): string =>
  text
    .replace(HOST, (host) => domainToASCII(host) || host)
    .replace(/[^\x20-\x7e]/gu, encodeURIComponent);

/**
 * Joins the pieces after `name:`, folding before a piece that would exceed 78 characters. Pieces begin with
 * their white space. A piece that is too long for any line is split by white space.
 */
export function foldedField(name: string, pieces: string[]): string {
  let field = `${name}:`;
  let width = field.length;
  for (const [i, piece] of pieces.entries()) {
    const cut = piece.length > LINE_CHARS_MAX - name.length - 1 ? slices(piece) : [piece];
    for (const [j, slice] of cut.entries()) {
      if (i + j > 0 && width + slice.length > LINE_CHARS_WANTED) {
        field += "\r\n";
        width = 0;
      }
      field += slice;
      width += slice.length;
    }
  }
  return `${field}\r\n`;
}

/** A line break would start another header field. Earlier checks reject it, so here it is a bug. */
export function requireSingleLine(name: string, value: string) {
  if (/[\r\n\0]/.test(value)) throw new Error(`Line end or NUL in the value of ${name}`);
}

/** Splits text into words, each with the white space before it. The text must not end with white space. */
export const splitIntoPieces = (text: string): string[] => ` ${text}`.match(/ +[^ ]+/g) ?? [];

export const encodedPieces = (text: string): string[] =>
  encodedWords(text).map((word) => ` ${word}`);

const fitsLines = (name: string, value: string): boolean =>
  splitIntoPieces(value).every((piece) => name.length + 1 + piece.length <= LINE_CHARS_MAX);

const isMessageIds = (name: string): boolean =>
  ["in-reply-to", "references"].includes(name.toLowerCase());

function slices(piece: string): string[] {
  const length = LINE_CHARS_WANTED - 1;
  return Array.from(
    { length: Math.ceil((piece.length - 1) / length) },
    (_, i) => ` ${piece.slice(1 + i * length, 1 + (i + 1) * length)}`,
  );
}
