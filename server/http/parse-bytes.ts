import { Refusal } from "#server/core/shared/refusals.ts";
import { ComplexJson, parseJson } from "#server/universal/parse-json.ts";

/** The only way to write NUL in JSON: this escape, with a backslash that is not itself escaped. */
const NUL_ESCAPE = /(?<!\\)(?:\\\\)*\\u0000/;

/** An escape, or two of them that form a surrogate pair. */
const ESCAPE = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|u[\da-f]{4}|.)/gi;
/** An unpaired surrogate, which no Unicode encoding can represent. */
const LONE_SURROGATE = /^\\ud[89a-f]..$/i;
const REPLACEMENT = String.raw`\ufffd`;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Parses a request body as JSON. An unpaired surrogate, as left by a truncated emoji, becomes U+FFFD.
 *
 * @throws Refusal `invalid` if it is not UTF-8 JSON, is too complex, or contains NUL
 */
export function parseBytes(bytes: Uint8Array): unknown {
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
    if (/\\ud[89a-f]/i.test(text))
      text = text.replace(ESCAPE, (escape) => (LONE_SURROGATE.test(escape) ? REPLACEMENT : escape));
    value = parseJson(text);
  } catch (error) {
    const isComplex = error instanceof ComplexJson;
    throw new Refusal("invalid", isComplex ? `The body ${error.message}` : "Invalid JSON body");
  }
  if (text.includes("\\u0000") && NUL_ESCAPE.test(text))
    throw new Refusal("invalid", "The body contains a NUL character");
  return value;
}
