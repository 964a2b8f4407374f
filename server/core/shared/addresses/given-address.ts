import { decodeWords } from "#server/core/shared/mime/decode-words.ts";

import { ADDRESS_MAX, parseAddress, type ParsedAddress } from "./parse-address.ts";

/** A name and one address in brackets, with no second address or list separator. */
const NAME_AND_ADDRESS = /^([^<>@;]*)<([^<>]*)>$/;

/**
 * Parses an address as API clients write it. Unlike in `parseAddress`, a display name may contain `,`, `:`
 * and `"` without quotes, and encoded words (RFC 2047) are decoded.
 *
 * @returns null for anything but exactly one address
 */
export function readGivenAddress(text: string): ParsedAddress | null {
  const strict = parseAddress(text);
  if (strict || text.length > ADDRESS_MAX) return strict;
  const [, before, address] = NAME_AND_ADDRESS.exec(text.trim()) ?? [];
  if (before === undefined) return null;
  const written = before.trim().replace(/^"(.*)"$/, "$1");
  const name = decodeWords(Buffer.from(written).toString("latin1"));
  return parseAddress(`"${name.replace(/["\\]/g, "\\$&")}" <${address!}>`);
}
