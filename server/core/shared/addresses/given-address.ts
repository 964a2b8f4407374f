import { decodeWords } from "#server/core/shared/mime/encoded-words.ts";
import { isOneLine } from "#server/core/shared/text.ts";

import {
  ADDRESS_MAX,
  BIDI_OVERRIDE,
  parseAddress,
  parseRecipient,
  type ParsedAddress,
} from "./parse-address.ts";

/** The error, after the name of the field, for text that `readGivenAddress` or `readGivenRecipient` rejects. */
export const ADDRESS_PROBLEM = "must be a valid email address, with or without a display name";

/** Length of the whole text with encoded words, and of the decoded display name. */
const [TEXT_MAX, NAME_MAX] = [10_000, 1_000];
/** An encoded word (RFC 2047) without characters that are syntax in an address. */
const ENCODED_WORD = /=\?[\w!#$%&'*+.^`{|}~-]+\?[bq]\?[^?\s<>@,;:\\"()]*\?=/gi;
/** What is left of an encoded word that is damaged: some readers decode it, others show it as it is. */
const BROKEN_WORD = /=\?[^?\s]*\?[bq]\?/i;
/** Stands for a comment or a quoted string. Can't be in the text. */
const [COMMENT, QUOTED] = ["\0", "\x01"];
const ADDRESS = /[^\s<>"'()[\],;:\0\x01]+\s*@\s*[^\s<>"'()[\],;:\0\x01]+/gu;

/**
 * Parses an address as API clients and mail programs write it: one address, however its display name is written.
 * Unlike in `parseAddress`, a display name may contain `,`, `:`, `;`, `"` and the address itself without quotes, comments
 * (RFC 5322, 3.2.2) are allowed, and encoded words (RFC 2047) are decoded. In quotes, encoded words and comments, a name
 * may contain anything, other addresses included. The comments of an address without a name become its name.
 *
 * @returns null for anything but exactly one address
 */
export const readGivenAddress = (text: string): ParsedAddress | null =>
  readGiven(text, parseAddress);

/** Like `readGivenAddress`, but also accepts local parts that only `parseRecipient` accepts. */
export const readGivenRecipient = (text: string): ParsedAddress | null =>
  readGiven(text, parseRecipient);

type Parser = typeof parseAddress;

function readGiven(text: string, parse: Parser): ParsedAddress | null {
  if (text.length > TEXT_MAX || text.replace(ENCODED_WORD, "x").length > ADDRESS_MAX) return null;
  if (!isOneLine(text) || BIDI_OVERRIDE.test(text)) return null;
  return parse(text) ?? readLeniently(text.trim(), parse);
}

/** Whether every program reads the text alike: no comments, and no syntax in an unquoted name. */
export function isUnambiguousAddress(text: string): boolean {
  const name = text.slice(0, Math.max(text.lastIndexOf("<"), 0));
  const plain = name.replace(ENCODED_WORD, "x") + text.slice(name.length);
  return parseAddress(plain) !== null && (/^\s*"/.test(name) || !/[()[\]]/.test(name));
}

function readLeniently(text: string, parse: Parser): ParsedAddress | null {
  const { masked, pieces } = maskText(text);
  const [, before = "", address = masked] = /^([^<>]*)<([^<>]*)>[\0 ]*$/.exec(masked) ?? [];
  const parsed = parse(withoutComments(withQuotes(address, pieces.slice(countPieces(before)))));
  if (!parsed || !isOnlyName(before, parsed.address, parse)) return null;
  const name = decodeWords(Buffer.from(readName(before, pieces)).toString("latin1")).trim();
  return isPrintable(name) ? { ...parsed, name } : null;
}

function isPrintable(name: string): boolean {
  const isBroken = BROKEN_WORD.test(name.replace(ENCODED_WORD, ""));
  return name.length <= NAME_MAX && isOneLine(name) && !BIDI_OVERRIDE.test(name) && !isBroken;
}

/** Replaces comments and quoted strings, which can't be part of an address. Unterminated ones are text. */
function maskText(text: string): { masked: string; pieces: string[] } {
  const pieces: string[] = [];
  let masked = "";
  for (let at = 0; at < text.length; at++) {
    const end = text[at] === "(" ? commentEnd(text, at) : text[at] === '"' ? quoteEnd(text, at) : 0;
    masked += end === 0 ? text[at]! : text[at] === "(" ? COMMENT : QUOTED;
    if (end === 0) continue;
    pieces.push(text.slice(at, end));
    at = end - 1;
  }
  return { masked, pieces };
}

/** The offset after the quoted string; 0 if it doesn't end. */
function quoteEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return 0;
}

/** The offset after the comment, which may contain others; 0 if it doesn't end. */
function commentEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "(") depth++;
    else if (text[at] === ")" && --depth === 0) return at + 1;
  }
  return 0;
}

const countPieces = (masked: string) => masked.match(/[\0\x01]/g)?.length ?? 0;

/** Restores quoted local parts that were masked. */
const withQuotes = (masked: string, pieces: string[]) =>
  masked.replace(/[\0\x01]/g, (mask) => {
    const piece = pieces.shift()!;
    return mask === QUOTED ? piece : mask;
  });

/** Comments are allowed around a local part and a domain, not inside. */
const withoutComments = (masked: string) =>
  masked.replace(/\0*@\0*/, "@").replace(/^[\0 ]+|[\0 ]+$/g, "");

/** Whether the text contains no address but this one, and so can only be a display name. */
function isOnlyName(masked: string, address: string, parse: Parser): boolean {
  return (masked.match(ADDRESS) ?? []).every((one) => {
    const other = parse(one.replace(/\s/g, ""))?.address;
    return other === undefined || other === address;
  });
}

/** The display name, unquoted; without one, the comments. */
function readName(before: string, pieces: string[]): string {
  const isQuoted = /^ *\x01[\0 ]*$/.test(before);
  let at = 0;
  const phrase = before.replace(/[\0\x01]/g, () => {
    const piece = pieces[at++]!;
    return isQuoted && piece.startsWith('"') ? unescape(piece) : piece;
  });
  if (phrase.trim() !== "") return phrase.trim();
  return pieces
    .slice(at)
    .filter((piece) => piece.startsWith("("))
    .map((comment) => unescape(comment).trim())
    .join(" ");
}

const unescape = (piece: string) => piece.slice(1, -1).replace(/\\(.)/g, "$1");
