/** How `JSON.stringify` writes a lone surrogate. A preceding backslash may itself be escaped. */
const HALF_PAIR = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/**
 * JSON that Postgres can convert to text: lone surrogates, which JSON allows and UTF-8 doesn't, become
 * U+FFFD.
 */
export function textSafeJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes("\\ud") ? json.replace(HALF_PAIR, "$1\ufffd") : json;
}
