import { isOneLine } from "#server/core/shared/one-line.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** @param field its path in the rules */
export const invalidRule = (message: string, field: string) =>
  new Refusal("invalid", message, { field });

/** A field of the rules: its path, such as `filters[0].name`, and its label in messages. */
type RuleField = { path: string; label: string };

/**
 * Trims and validates a line of text.
 *
 * @throws Refusal `invalid` naming the field
 */
export function readLine(text: string, { path, label }: RuleField, max: number): string {
  const line = text.trim();
  if (line === "") throw invalidRule(`${label} is required`, path);
  if (line.length > max) throw invalidRule(`${label} must have at most ${max} characters`, path);
  if (!isOneLine(line)) throw invalidRule(`${label} must not contain control characters`, path);
  return line;
}

/** Like `readLine`, for text of several lines, which end with LF. */
export function readLines(text: string, { path, label }: RuleField, max: number): string {
  const lines = text.replace(/\r\n?/g, "\n").trim();
  if (lines === "") throw invalidRule(`${label} is required`, path);
  if (lines.length > max) throw invalidRule(`${label} must have at most ${max} characters`, path);
  if (!isOneLine(lines.replace(/[\n\t]/g, "")))
    throw invalidRule(`${label} must not contain control characters`, path);
  return lines;
}
