import { z } from "zod";

import {
  ADDRESS_PROBLEM,
  readGivenAddress,
  readGivenRecipient,
} from "#server/core/shared/addresses/given-address.ts";
import {
  ADDRESS_MAX,
  formatAddress,
  type ParsedAddress,
} from "#server/core/shared/addresses/parse-address.ts";
import { boundedList } from "#server/http/bounded.ts";

/** Applies to each field, and to `to`, `cc` and `bcc` together. */
export const ADDRESSES_MAX = 50;

const SENDER_NAME_MAX = 100;

const TOO_LONG = `must be at most ${ADDRESS_MAX} characters`;

/** The sender, as written (with RFC 2047 encoded words decoded) and parsed. */
export const Sender = z
  .string()
  .max(ADDRESS_MAX, { error: TOO_LONG })
  .transform((written, context) => {
    const parsed = readGivenAddress(written);
    if (!parsed) context.addIssue(ADDRESS_PROBLEM);
    else if (parsed.name.length > SENDER_NAME_MAX)
      context.addIssue(`the display name must be at most ${SENDER_NAME_MAX} characters`);
    else
      return {
        // Decoded text can contain characters that are syntax in an address.
        written: written.includes("=?") ? formatAddress(parsed) : written.trim(),
        parsed,
      };
    return z.NEVER;
  });

const OneOrMany = z.union([z.string(), boundedList(z.string(), ADDRESSES_MAX)], {
  error: ({ input }) => (input == null ? undefined : "must be an address or a list of addresses"),
});

function readAddresses(value: string | string[], context: z.RefinementCtx): ParsedAddress[] {
  if (value === "") return [];
  const isList = Array.isArray(value);
  return (isList ? value : [value]).flatMap((text, index) => {
    const isTooLong = text.length > ADDRESS_MAX;
    const parsed = isTooLong ? null : readGivenRecipient(text);
    if (parsed) return parsed;
    const message = isTooLong ? TOO_LONG : ADDRESS_PROBLEM;
    context.addIssue({ code: "custom", path: isList ? [index] : [], message });
    return [];
  });
}

/** One address or a list of addresses. */
export const Addresses = OneOrMany.transform(readAddresses);

/** Treats "", [] and null as absent: clients send them for empty fields. */
export const OptionalAddresses = OneOrMany.nullish().transform((value, context) =>
  readAddresses(value ?? [], context),
);
