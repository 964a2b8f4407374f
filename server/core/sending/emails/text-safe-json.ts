/** How `JSON.stringify` writes half a surrogate pair; a backslash in front may itself be escaped. */
const HALF_PAIR = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/**
 * JSON of which Postgres can make texts: half a surrogate pair, which a caller's JSON may hold and
 * UTF-8 cannot, becomes U+FFFD.
 */
export function textSafeJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes("\\ud") ? json.replace(HALF_PAIR, "$1\ufffd") : json;
}
