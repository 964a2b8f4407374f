import { z } from "zod";

import { readGivenAddress } from "#server/core/shared/addresses/given-address.ts";
import { ADDRESS_MAX, type ParsedAddress } from "#server/core/shared/addresses/parse-address.ts";
import { decodeWords } from "#server/core/shared/mime/decode-words.ts";
import { boundedList } from "#server/http/bounded.ts";

/** Of one field, and of `to`, `cc` and `bcc` together. */
export const ADDRESSES_MAX = 50;

/** Characters of a sender's display name. */
const SENDER_NAME_MAX = 100;

const NOT_ONE_ADDRESS = "must be one email address, with or without a display name";
const TOO_LONG = `must be at most ${ADDRESS_MAX} characters`;

/** The sender, both as written (with encoded words decoded) and parsed. */
export const Sender = z
  .string()
  .max(ADDRESS_MAX, { error: TOO_LONG })
  .transform((written, context) => {
    const parsed = readGivenAddress(written);
    if (!parsed) context.addIssue(NOT_ONE_ADDRESS);
    else if (parsed.name.length > SENDER_NAME_MAX)
      context.addIssue(`the display name must be at most ${SENDER_NAME_MAX} characters`);
    else return { written: readable(written.trim()), parsed };
    return z.NEVER;
  });

/** Encoded words (RFC 2047) decoded. */
const readable = (text: string) =>
  text.includes("=?") ? decodeWords(Buffer.from(text).toString("latin1")) : text;

const OneOrMany = z.union([z.string(), boundedList(z.string(), ADDRESSES_MAX)], {
  error: ({ input }) => (input == null ? undefined : "must be an address or a list of them"),
});

function readAddresses(value: string | string[], context: z.RefinementCtx): ParsedAddress[] {
  if (value === "") return [];
  const isList = Array.isArray(value);
  return (isList ? value : [value]).flatMap((text, index) => {
    const parsed = readGivenAddress(text);
    if (parsed) return parsed;
    const message = text.length > ADDRESS_MAX ? TOO_LONG : NOT_ONE_ADDRESS;
    context.addIssue({ code: "custom", path: isList ? [index] : [], message });
    return [];
  });
}

/** One address or a list of them. */
export const Addresses = OneOrMany.transform(readAddresses);

/** Clients send "", [] and null where they mean nothing. */
export const OptionalAddresses = OneOrMany.nullish().transform((value, context) =>
  readAddresses(value ?? [], context),
);
