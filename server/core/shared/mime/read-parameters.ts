import { decodeText } from "./charsets.ts";
import { decodeWords } from "./decode-words.ts";
import { trimmed } from "./header-fields.ts";

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
