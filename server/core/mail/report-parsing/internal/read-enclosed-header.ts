import { type ParsedMessage, readFields } from "#server/core/shared/mime/parse-message.ts";

const HEADER_BYTES_MAX = 64 * 1024;

/** The header of the message enclosed in a report. */
export function readEnclosedHeader(parts: ParsedMessage["parts"]): Map<string, string[]> {
  const enclosed = parts.find(({ type }) => ENCLOSED.has(type));
  const text = enclosed?.content.subarray(0, HEADER_BYTES_MAX).toString("utf8") ?? "";
  return readFields(text.trimStart().split(/\r?\n\r?\n/, 1)[0]!);
}

const ENCLOSED = new Set(["message/rfc822", "text/rfc822-headers", "message/rfc822-headers"]);

/** The bare address in `<ann@example.com>` or `rfc822; ann@example.com`. */
export const bareAddress = (text: string): string =>
  text
    .replace(/^[a-z0-9-]+;/i, "")
    .trim()
    .replace(/^<(.*)>$/, "$1");
