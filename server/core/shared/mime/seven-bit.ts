import { isAscii, isUtf8 } from "node:buffer";

import {
  editParts,
  findField,
  mediaType,
  parameter,
  type Part,
  type PartPlace,
  withFields,
} from "./edit-parts.ts";
import { decodeWords, encodedWords } from "./encoded-words.ts";
import {
  customField,
  fieldValue,
  foldedField,
  headerEnd,
  headerFields,
  splitIntoPieces,
} from "./header-fields.ts";
import { filenameParameter, nameParameter } from "./parameters.ts";
import { decodedBody, quotedPrintable } from "./transfer-encoding.ts";

/** RFC 5322, 2.1.1: without the CRLF. */
const LINE_OCTETS_MAX = 998;
const LF = 0x0a;

/**
 * Converts a message for a server that only takes ASCII (no 8BITMIME, RFC 6152; no SMTPUTF8, RFC 6531):
 * parts to quoted-printable or base64, header text to encoded words. The content stays the same; signatures
 * break.
 *
 * @returns null when it can't be converted: signed or encrypted parts, non-ASCII addresses, unknown
 *   transfer encodings
 */
export function toSevenBit(message: Buffer): Buffer | null {
  const mustEncode = (body: Buffer) => !isAscii(body) || hasLongLine(body);
  const converted = encodeParts(message, { mustEncode, fixHeader: asciiHeader });
  return isAscii(converted) ? converted : null;
}

/**
 * Shortens lines over 998 octets, which servers may cut or reject: encodes the parts that have some and
 * folds header lines. Parts that can't be encoded stay.
 */
export function withShortLines(message: Buffer): Buffer {
  if (!hasLongLine(message)) return message;
  return encodeParts(message, { mustEncode: (body) => hasLongLine(body), fixHeader: foldHeader });
}

type Encoding = {
  mustEncode: (body: Buffer) => boolean;
  fixHeader: (header: Buffer) => Buffer;
};

function encodeParts(message: Buffer, encoding: Encoding, within?: PartPlace): Buffer {
  const edit = (part: Part, { depth, work }: PartPlace) => {
    const header = encoding.fixHeader(part.header);
    const fixed = header === part.header ? part : { ...part, header };
    const type = mediaType(fixed);
    if (type.startsWith("multipart/")) return labelled(fixed);
    if (!encoding.mustEncode(fixed.body)) return fixed;
    if (!/^message\/(?:rfc822|global)$/.test(type)) return encodePart(fixed, type);
    // Each enclosing message is copied.
    work.left -= fixed.body.length / 10_000;
    const body = encodeParts(fixed.body, encoding, { depth: depth + 1, work });
    return labelled({ ...fixed, body });
  };
  const encoded = editParts(message, edit, within);
  return encoded === message ? message : asMime(encoded);
}

/** A multipart with an 8bit part had to declare 8bit itself (RFC 2045, 6.4). */
function labelled(part: Part): Part {
  const isWrong = /^(?:8bit|binary)\b/i.test(findField(part, "content-transfer-encoding"));
  return isWrong && isAscii(part.body)
    ? { ...part, header: withFields(part.header, { "Content-Transfer-Encoding": "7bit" }) }
    : part;
}

function encodePart(part: Part, type: string): Part {
  const content = decodedBody(part);
  if (!content) return part;
  const isText = type.startsWith("text/");
  const encoded = isText ? quotedPrintable(content) : null;
  const inBase64 = !encoded || encoded.length > base64Length(content);
  return {
    header: withFields(part.header, {
      ...(isText && !isAscii(content) && parameter(part, "charset") === null
        ? { "Content-Type": withCharset(part, content) }
        : {}),
      "Content-Transfer-Encoding": inBase64 ? "base64" : "quoted-printable",
    }),
    body: inBase64 ? base64(content) : encoded,
  };
}

/** Without a charset, mail programs read encoded text as ASCII. */
function withCharset(part: Part, content: Buffer): string {
  const type = findField(part, "content-type").replace(/;\s*$/, "") || "text/plain";
  // RFC 1428.
  return `${type}; charset=${isUtf8(content) ? "utf-8" : "unknown-8bit"}`;
}

const base64Length = ({ length }: Buffer) => Math.ceil(length / 3) * 4;
const base64 = (content: Buffer) =>
  Buffer.from(content.toString("base64").replace(/.{76}(?=.)/g, "$&\r\n"), "latin1");

function asMime(message: Buffer): Buffer {
  const end = headerEnd(message);
  const header = message.subarray(0, end);
  if (findField({ header, body: message }, "mime-version") !== "") return message;
  return Buffer.concat([withFields(header, { "MIME-Version": "1.0" }), message.subarray(end)]);
}

/** @param max octets of a line, without its CRLF */
export function hasLongLine(octets: Buffer, max = LINE_OCTETS_MAX): boolean {
  for (let at = 0; at + max < octets.length;) {
    const lf = octets.lastIndexOf(LF, at + max + 1);
    if (lf < at) return true;
    at = lf + 1;
  }
  return false;
}

/** Breaks long lines at their last space that fits. */
function foldHeader(header: Buffer): Buffer {
  if (!hasLongLine(header)) return header;
  const lines = header.toString("latin1").split("\r\n");
  return Buffer.from(lines.flatMap(foldLine).join("\r\n"), "latin1");
}

function foldLine(line: string): string[] {
  const folded: string[] = [];
  let rest = line;
  while (rest.length > LINE_OCTETS_MAX) {
    const at = rest.lastIndexOf(" ", LINE_OCTETS_MAX);
    // A folded line must not consist of white space only.
    if (at < 1 || rest.slice(0, at).trim() === "") break;
    folded.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...folded, rest];
}

const ADDRESS_FIELDS =
  /^(?:(?:resent-)?(?:from|sender|to|cc|bcc|reply-to)|disposition-notification-to|errors-to)$/;
const PARAMETER_FIELDS = /^content-(?:type|disposition)$/;
/** Structured fields without text: encoding them would change their meaning. */
const ID_FIELDS = /^(?:resent-)?(?:message-id|in-reply-to|references|content-id)$/;

/**
 * Converts a header to ASCII: text to encoded words (RFC 2047), file names to RFC 2231 parameters. Fields
 * that can't be converted, such as non-ASCII addresses and ids, stay as they are.
 */
function asciiHeader(header: Buffer): Buffer {
  if (isAscii(header)) return header;
  const pieces: Buffer[] = [];
  const fields = headerFields(header);
  for (const field of fields) {
    const octets = header.subarray(field.start, field.end);
    if (isAscii(octets) || ID_FIELDS.test(field.name)) pieces.push(octets);
    else pieces.push(Buffer.from(asciiField(header, field) ?? octets));
  }
  pieces.push(header.subarray(fields.at(-1)?.end ?? 0));
  return Buffer.concat(pieces);
}

function asciiField(header: Buffer, field: ReturnType<typeof headerFields>[0]): string | null {
  const name = header.toString("latin1", field.start, header.indexOf(":", field.start)).trim();
  const value = fieldValue(header, field);
  if (ADDRESS_FIELDS.test(field.name)) {
    const addresses = asciiAddresses(Buffer.from(value, "latin1").toString());
    return addresses === null ? null : foldedField(name, splitIntoPieces(addresses));
  }
  if (PARAMETER_FIELDS.test(field.name))
    return foldedField(name, asciiParameters(Buffer.from(value, "latin1").toString()));
  return customField(name, decodeWords(value).replace(/[\p{Cc}]+/gu, " "));
}

/** A quoted string, a comment, an address in brackets, a separator, white space, or a word. */
const TOKEN = /"(?:[^"\\]|\\.)*"|\((?:[^()\\]|\\.)*\)|<[^<>]*>|[,;:]|\s+|[^\s"(<,;:]+|./gu;

/** Null if an address itself isn't ASCII. */
function asciiAddresses(value: string): string | null {
  let text = "";
  let phrase = "";
  const endPhrase = () => {
    text += asciiPhrase(phrase);
    phrase = "";
  };
  for (const [token] of value.matchAll(TOKEN)) {
    if (/^[,;:<]/.test(token)) {
      endPhrase();
      text += token;
    } else if (token.startsWith("(") && token.endsWith(")") && !isPlain(token)) {
      endPhrase();
      text += `(${encodedWords(decoded(token.slice(1, -1))).join(" ")})`;
    } else phrase += token;
  }
  endPhrase();
  return isPlain(text) ? text : null;
}

function asciiPhrase(phrase: string): string {
  if (isPlain(phrase)) return phrase;
  // A bare address, not a display name.
  if (/^[^"]*@/.test(phrase)) return phrase;
  const words = phrase.replace(/"((?:[^"\\]|\\.)*)"/g, (_, quoted: string) =>
    quoted.replace(/\\(.)/g, "$1"),
  );
  const [, before, name, after] = /^(\s*)(.*?)(\s*)$/s.exec(words)!;
  return before! + encodedWords(decoded(name!)).join(" ") + after!;
}

const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/g;

function asciiParameters(value: string): string[] {
  const [first = ""] = value.split(";", 1);
  const parameters = [...value.matchAll(PARAMETER)].map(([whole, name, quoted, plain]) => {
    if (isPlain(whole)) return splitIntoPieces(whole.replace(/^;\s*/, ""));
    const text = plain ?? quoted!.replace(/\\(.)/g, "$1");
    return name!.toLowerCase() === "name" ? nameParameter(text) : filenameParameter(text, name);
  });
  const all = [splitIntoPieces(first.trim()), ...parameters];
  return all.flatMap((pieces, at) =>
    at === all.length - 1 ? pieces : [...pieces.slice(0, -1), `${pieces.at(-1)!};`],
  );
}

const decoded = (text: string) => decodeWords(Buffer.from(text).toString("latin1"));
const isPlain = (text: string) => /^[\0-\x7f]*$/.test(text);
