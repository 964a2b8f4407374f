import { domainToASCII } from "node:url";

import { encodedWords } from "./encoded-words.ts";

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
export function splitIntoPieces(text: string): string[] {
  return ` ${text}`.match(/ +[^ ]+/g) ?? [];
}

export function encodedPieces(text: string): string[] {
  return encodedWords(text).map((word) => ` ${word}`);
}

function fitsLines(name: string, value: string): boolean {
  return splitIntoPieces(value).every((piece) => name.length + 1 + piece.length <= LINE_CHARS_MAX);
}

function isMessageIds(name: string): boolean {
  return ["in-reply-to", "references"].includes(name.toLowerCase());
}

function slices(piece: string): string[] {
  const length = LINE_CHARS_WANTED - 1;
  return Array.from(
    { length: Math.ceil((piece.length - 1) / length) },
    (_, i) => ` ${piece.slice(1 + i * length, 1 + (i + 1) * length)}`,
  );
}
