import { encodedWords } from "./encoded-words.ts";
import { splitIntoPieces } from "./header-field.ts";

/** In UTF-16 units. */
export const FILE_NAME_MAX = 255;
const EXTENSION = /\.[a-z0-9]{1,16}$/i;
/** Slashes, backslashes, control characters and Unicode line separators. */
const NOT_IN_A_FILE_NAME = /[/\\\p{Cc}\p{Zl}\p{Zp}]/u;

/** Whether a file can be sent under this name. `toFileName` makes received names safe. */
export const isFileName = (name: string): boolean =>
  name.length <= FILE_NAME_MAX && !NOT_IN_A_FILE_NAME.test(name);

/**
 * The name of a received file as programs can store it: without path separators, and never a folder such as `..`. A long
 * one keeps its extension. Empty if nothing is left.
 */
export function toFileName(given: string): string {
  const name = given
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim()
    .replace(/[/\\]|^\.+$/g, (found) => "_".repeat(found.length));
  const [extension = ""] = EXTENSION.exec(name) ?? [];
  const stem = name.slice(0, name.length - extension.length);
  return (stem.slice(0, FILE_NAME_MAX - extension.length) + extension).toWellFormed();
}

/** Length of a section of a long value. */
const SECTION_CHARS_MAX = 54;
/** attribute-char of RFC 2231 section 7. */
const LITERAL = /^[A-Za-z0-9!#$&+.^_`{|}~-]$/;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/**
 * Formats the `filename` parameter of a Content-Disposition, or a parameter with another name, as pieces of a
 * header field: quoted if ASCII, else in UTF-8 (RFC 2231).
 */
export function filenameParameter(filename: string, name = "filename"): string[] {
  return isPlain(filename) ? quoted(name, filename) : encoded(name, filename);
}

/**
 * Formats the `name` parameter of a Content-Type, for mail programs without RFC 2231. They decode encoded
 * words even in quotes, although RFC 2047 doesn't allow them there.
 */
export function nameParameter(filename: string): string[] {
  return quoted("name", isPlain(filename) ? filename : encodedWords(filename).join(" "));
}

/** ASCII that no reader would decode. */
const isPlain = (filename: string) => PRINTABLE_ASCII.test(filename) && !filename.includes("=?");

function quoted(name: string, value: string): string[] {
  return splitIntoPieces(`${name}="${value.replace(/["\\]/g, "\\$&")}"`);
}

/** `name*=utf-8''…`, or `name*0*=utf-8''…; name*1*=…` if long. Sections don't split code points. */
function encoded(name: string, value: string): string[] {
  const sections = sectionsOf(value);
  if (sections.length === 1) return [` ${name}*=${sections[0]!}`];
  return sections.map(
    (section, i) => ` ${name}*${i}*=${section}${i < sections.length - 1 ? ";" : ""}`,
  );
}

function sectionsOf(value: string): string[] {
  const sections: string[] = [];
  let section = "utf-8''";
  for (const char of value.toWellFormed()) {
    const code = LITERAL.test(char) ? char : percentEncoded(char);
    if (section.length + code.length > SECTION_CHARS_MAX) {
      sections.push(section);
      section = "";
    }
    section += code;
  }
  return [...sections, section];
}

function percentEncoded(char: string): string {
  return Array.from(
    Buffer.from(char),
    (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
  ).join("");
}
