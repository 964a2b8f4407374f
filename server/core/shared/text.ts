import { Refusal } from "./refusals.ts";

/** Control characters, lone surrogates and line separators. */
const NOT_ON_A_LINE = /[\p{Cc}\p{Cs}\u2028\u2029]/u;

/** Whether the text is printable and on one line, so that it can't break headers and pages that show it. */
export const isOneLine = (text: string): boolean => !NOT_ON_A_LINE.test(text);

/** In code points, as Postgres counts them. */
export const characterCount = (text: string): number => Array.from(text).length;

/**
 * Trims and validates a line of text, such as a name.
 *
 * @param limits in characters; at least one by default
 * @throws Refusal `invalid` with `message`, which by default begins with the field
 */
export function readOneLine(
  text: string,
  field: string,
  { min = 1, max, message }: { min?: number; max: number; message?: string },
): string {
  const line = text.trim();
  const count = characterCount(line);
  if (count >= min && count <= max && isOneLine(line)) return line;
  const allowed = min === 0 ? `at most ${max}` : `${min} to ${max}`;
  const standard = `must have ${allowed} characters, on one line`;
  throw new Refusal("invalid", message ?? `${field}: ${standard}`, {
    fields: [{ path: field, code: "invalid", message: standard }],
  });
}

/** Characters that XML 1.0 §2.2 doesn't allow. */
const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const REFERENCES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for an element or attribute of HTML or XML; drops characters that XML can't represent. */
export const escapeMarkup = (text: string): string =>
  text.replace(NOT_IN_XML, "").replace(/[&<>"']/g, (character) => REFERENCES[character]!);

const UTC = {
  ...({ day: "numeric", month: "long", year: "numeric" } as const),
  ...({ hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: "UTC" } as const),
};

/** By locale. Creating one takes longer than formatting with it. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** For example `March 4, 2026 at 10:15 UTC`. */
export function formatUtc(moment: string, locale = "en-US"): string {
  const format = formats.get(locale) ?? new Intl.DateTimeFormat(locale, UTC);
  formats.set(locale, format);
  return `${format.format(new Date(moment))} UTC`;
}

/** `1 message`, `1,200 messages`, `2 mailboxes`. */
export const pluralize = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;

/**
 * Text that Postgres can store or compare: without NUL, well-formed, and cut to `lengthMax` code units.
 *
 * @param nul replaces each NUL
 */
export const storableText = (text: string, lengthMax = Infinity, nul = ""): string =>
  text.replaceAll("\0", nul).slice(0, lengthMax).toWellFormed();

/** Reduces text from a remote party to one line without control characters, cut to `lengthMax`. */
export function plainText(text: string, lengthMax = 255): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, " ")
    .toWellFormed()
    .trim()
    .slice(0, lengthMax)
    .toWellFormed();
}
