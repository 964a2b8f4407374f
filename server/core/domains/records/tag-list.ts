/**
 * Parses `tag=value; tag=value` (RFC 6376 §3.2, also used by MTA-STS), with lower-case names and trimmed
 * values. Null if invalid or if a tag is repeated.
 */
export function readTags(text: string): Map<string, string> | null {
  const tags = new Map<string, string>();
  const parts = text.split(";");
  if (parts.at(-1)?.trim() === "") parts.pop();
  for (const part of parts) {
    const at = part.indexOf("=");
    const name = part.slice(0, at).trim().toLowerCase();
    if (at < 0 || !/^[a-z][a-z0-9_]*$/.test(name) || tags.has(name)) return null;
    tags.set(name, part.slice(at + 1).trim());
  }
  return tags.size > 0 ? tags : null;
}

/** Longer than any valid record; bounds the cost of pattern matching. */
export const TEXT_MAX = 4_096;

/** The text of a TXT record: its strings joined without separators (RFC 7208 §3.3), truncated to TEXT_MAX. */
export const joinTxtStrings = (strings: string[]): string => strings.join("").slice(0, TEXT_MAX);
