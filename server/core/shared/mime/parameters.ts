import { decodeText } from "./charsets.ts";
import { decodeWords, encodedWords } from "./encoded-words.ts";
import { splitIntoPieces, trimmed } from "./header-fields.ts";

const LENGTH_MAX = 16 * 1024;

/** A section of a long value, or an encoded one: `filename*`, `filename*0`, `filename*0*` (RFC 2231). */
const SECTION = /^([^*]+)\*(?:(\d{1,3})(\*)?)?$/;

const FILE_NAMES = new Set(["name", "filename"]);

type Section = { index: number; isEncoded: boolean; text: string };

/**
 * Reads the parameters of a Content-Type or Content-Disposition, as mail apps do: allows missing quotes and semicolons.
 * Names are in lowercase; file names are decoded, other values are in latin1.
 *
 * @param value in latin1, unfolded
 */
export function readParameters(value: string): Map<string, string> {
  const found = new Map<string, string>();
  const sections = new Map<string, Section[]>();
  for (const [name, text] of listParameters(value.slice(0, LENGTH_MAX))) {
    const [, base, index, mark] = SECTION.exec(name) ?? [];
    if (base !== undefined) {
      const section = {
        index: Number(index ?? 0),
        isEncoded: index === undefined || mark === "*",
        text,
      };
      sections.set(base, [...(sections.get(base) ?? []), section]);
    } else if (!found.has(name)) found.set(name, FILE_NAMES.has(name) ? decodeWords(text) : text);
  }
  for (const [name, all] of sections) found.set(name, joinSections(all));
  return found;
}

function* listParameters(value: string): Generator<[name: string, text: string]> {
  const token = /[^\s;=]*/y;
  // The type, unless it is missing.
  let at = /^\s*[^\s;=]*=/.test(value) ? 0 : /^\s*[^\s;]*/.exec(value)![0].length;
  const next = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const match = pattern.exec(value);
    if (match) at = pattern.lastIndex;
    return match;
  };
  while (at < value.length) {
    next(/[\s;,]*/y);
    const name = next(token)![0].toLowerCase();
    if (!next(/\s*=\s*/y)) {
      // Text that is no parameter.
      if (name === "") at += 1;
      continue;
    }
    const quoted = next(/"((?:[^"\\]|\\[^])*)"/y)?.[1];
    const isFileName = FILE_NAMES.has(name);
    const plain = quoted ?? next(isFileName ? /[^;]*/y : /"?[^\s;"]*/y)![0].replace(/^"/, "");
    yield [name, quoted === undefined ? trimmed(plain) : quoted.replace(/\\(["\\])/g, "$1")];
  }
}

function joinSections(sections: Section[]): string {
  const ordered = sections.toSorted((a, b) => a.index - b.index);
  const [, label = null, rest = ordered[0]!.text] = ordered[0]!.isEncoded
    ? (/^([^']*)'[^']*'(.*)$/s.exec(ordered[0]!.text) ?? [])
    : [];
  const texts = ordered.map(({ text }, place) => (place === 0 ? rest : text));
  const pieces = texts.map((text, place) => (ordered[place]!.isEncoded ? fromPercent(text) : text));
  return decodeText(Buffer.from(pieces.join(""), "latin1"), label);
}

const fromPercent = (text: string) =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));

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
export const filenameParameter = (filename: string, name = "filename"): string[] =>
  isPlain(filename) ? quoted(name, filename) : encoded(name, filename);

/**
 * Formats the `name` parameter of a Content-Type, for mail programs without RFC 2231. They decode encoded
 * words even in quotes, although RFC 2047 doesn't allow them there.
 */
export const nameParameter = (filename: string): string[] =>
  quoted("name", isPlain(filename) ? filename : encodedWords(filename).join(" "));

/** ASCII that no reader would decode. */
const isPlain = (filename: string) => PRINTABLE_ASCII.test(filename) && !filename.includes("=?");

const quoted = (name: string, value: string): string[] =>
  splitIntoPieces(`${name}="${value.replace(/["\\]/g, "\\$&")}"`);

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
