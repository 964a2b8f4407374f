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
