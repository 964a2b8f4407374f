import { isAscii } from "node:buffer";

import { filenameParameter, nameParameter } from "#server/core/shared/mime/parameters.ts";
import {
  customField,
  fieldValue,
  foldedField,
  headerFields,
  splitIntoPieces,
} from "#server/core/shared/mime/header-fields.ts";
import { decodeWords, encodedWords } from "#server/core/shared/mime/encoded-words.ts";

const ADDRESS_FIELDS =
  /^(?:(?:resent-)?(?:from|sender|to|cc|bcc|reply-to)|disposition-notification-to|errors-to)$/;
const PARAMETER_FIELDS = /^content-(?:type|disposition)$/;
/** Structured fields without text: encoding them would change their meaning. */
const ID_FIELDS = /^(?:resent-)?(?:message-id|in-reply-to|references|content-id)$/;

/**
 * Converts a header to ASCII: text to encoded words (RFC 2047), file names to RFC 2231 parameters. Fields
 * that can't be converted, such as non-ASCII addresses and ids, stay as they are.
 */
export function asciiHeader(header: Buffer): Buffer {
  if (isAscii(header)) return header;
  const pieces: Buffer[] = [];
  for (const field of headerFields(header)) {
    const octets = header.subarray(field.start, field.end);
    if (isAscii(octets) || ID_FIELDS.test(field.name)) pieces.push(octets);
    else pieces.push(Buffer.from(asciiField(header, field) ?? octets));
  }
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
