import { isOneLine } from "#server/core/shared/one-line.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

export const invalidRule = (message: string) => new Refusal("invalid", message);

/**
 * Trims and validates a line of text.
 *
 * @throws Refusal `invalid` naming the field
 */
export function readLine(text: string, field: string, max: number): string {
  const line = text.trim();
  if (line === "") throw invalidRule(`${field} is required`);
  if (line.length > max) throw invalidRule(`${field} must have at most ${max} characters`);
  if (!isOneLine(line)) throw invalidRule(`${field} must not contain control characters`);
  return line;
}

/** Like `readLine`, for text of several lines, which end with LF. */
export function readLines(text: string, field: string, max: number): string {
  const lines = text.replace(/\r\n?/g, "\n").trim();
  if (lines === "") throw invalidRule(`${field} is required`);
  if (lines.length > max) throw invalidRule(`${field} must have at most ${max} characters`);
  if (!isOneLine(lines.replace(/[\n\t]/g, "")))
    throw invalidRule(`${field} must not contain control characters`);
  return lines;
}
