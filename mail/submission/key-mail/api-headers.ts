import type { ParsedMail } from "mailparser";

import { decodeWords } from "#server/core/incoming/decode-words.ts";

/** Those that the API takes as `headers`: all others have fields of their own, or are made anew. */
const TAKEN =
  /^(x-(?!posthouse-).+|list-unsubscribe|list-unsubscribe-post|in-reply-to|references)$/;
/** The API's figure for a value. */
const VALUE_LENGTH_MAX = 998;

/** The header fields of a message that go into the `headers` of a call of the API. The last of a name counts. */
export function apiHeaders({
  headerLines,
}: Pick<ParsedMail, "headerLines">): Record<string, string> {
  const taken = headerLines.filter(({ key }) => TAKEN.test(key));
  return Object.fromEntries(
    taken.map(({ key, line }) => {
      const colon = line.indexOf(":");
      const value = decodeWords(
        line
          .slice(colon + 1)
          .replace(/\r?\n(?=[ \t])/g, "")
          .trim(),
      );
      return [line.slice(0, colon).trim(), key === "references" ? newest(value) : value];
    }),
  );
}

/** A long conversation's first message and as many of its newest as there is room for (RFC 5322, 3.6.4). */
function newest(references: string): string {
  if (references.length <= VALUE_LENGTH_MAX) return references;
  const [first = "", ...others] = references.split(/\s+/);
  const kept: string[] = [];
  let length = first.length;
  for (const id of others.reverse()) {
    length += 1 + id.length;
    if (length > VALUE_LENGTH_MAX) break;
    kept.unshift(id);
  }
  return [first, ...kept].join(" ");
}
