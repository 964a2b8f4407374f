import { parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import { decodeWords } from "#server/core/shared/mime/decode-words.ts";

import type { HeaderField } from "./header-fields.ts";
import { SubmissionError } from "./submission-error.ts";

export type Author = {
  /** The address in From, lowercase. */
  from: string;
  /** The address in Sender, if present. */
  sender: string | null;
};

/**
 * Reads the author of a submitted message. Requires one From with one address and at most one Sender, in a form that
 * every parser understands the same way: no list, group, comment or route. A display name must not show a different
 * address.
 *
 * @throws SubmissionError
 */
export function readAuthor(fields: HeaderField[]): Author {
  const from = fields.filter(({ name }) => name === "from");
  const sender = fields.filter(({ name }) => name === "sender");
  if (from.length !== 1)
    throw new SubmissionError("5.7.1", `The message must have one From field, not ${from.length}`);
  if (sender.length > 1)
    throw new SubmissionError("5.7.1", "The message must not have more than one Sender field");
  return {
    from: parseSingleAddress("From", from[0]!.value),
    sender: sender[0] ? parseSingleAddress("Sender", sender[0].value) : null,
  };
}

/** An encoded word (RFC 2047) with nothing in it that has a meaning in an address. */
const ENCODED_WORD = /=\?([\w!#$%&'*+.^`{|}~-]+)\?([bq])\?([^?\s<>@,;:\\"()]*)\?=/gi;
const ADDRESS = /[^\s<>"'()[\],;:]+@[^\s<>"'()[\],;:]+/gu;

function parseSingleAddress(field: string, folded: string): string {
  const value = folded.replaceAll("\t", " ");
  const open = value.lastIndexOf("<");
  const name = open === -1 ? "" : value.slice(0, open);
  // Encoded words are replaced in the display name only; in the address they make it invalid.
  const parsed = parseAddress(name.replace(ENCODED_WORD, "x") + value.slice(name.length));
  if (!parsed)
    throw new SubmissionError(
      "5.7.1",
      `${field} must be one email address, with or without a display name, and without comments`,
    );
  requireHonestName(field, name, parsed.address);
  return parsed.address;
}

const NAME_LENGTH_MAX = 1_000;
/** Characters that reverse the text after them (UAX #9). */
const BIDI_OVERRIDE = /[\u202a-\u202e\u2066-\u2069]/;

/** @throws SubmissionError if the name could be mistaken for a different address */
function requireHonestName(field: string, name: string, address: string): void {
  const decoded = decodeWords(Buffer.from(name).toString("latin1"));
  if (decoded.length > NAME_LENGTH_MAX || BIDI_OVERRIDE.test(decoded))
    throw new SubmissionError(
      "5.7.1",
      `The display name in ${field} is too long or contains bidirectional control characters`,
    );
  // NFKC, because other characters look like @.
  for (const [shown] of decoded.normalize("NFKC").matchAll(ADDRESS))
    if (parseAddress(shown)?.address !== address)
      throw new SubmissionError(
        "5.7.1",
        `The display name in ${field} contains a different address`,
      );
}
