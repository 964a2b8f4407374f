import { z } from "zod";

import {
  ADDRESS_MAX,
  parseAddress,
  type ParsedAddress,
} from "#server/core/addresses/parse-address.ts";

const NOT_ONE_ADDRESS = "must be one email address, with or without a display name";

/** Characters of a sender's display name. */
const SENDER_NAME_MAX = 100;

const Address = z
  .string()
  .max(ADDRESS_MAX, { error: `must be at most ${ADDRESS_MAX} characters` })
  .transform((text, context): ParsedAddress => {
    const parsed = parseAddress(text);
    if (parsed) return parsed;
    context.addIssue({ code: "custom", message: NOT_ONE_ADDRESS });
    return z.NEVER;
  });

/** The sender: kept as written, beside what it means. */
export const Sender = z
  .string()
  .min(1)
  .max(ADDRESS_MAX, { error: `must be at most ${ADDRESS_MAX} characters` })
  .transform((text, context) => {
    const parsed = parseAddress(text);
    const message = !parsed
      ? NOT_ONE_ADDRESS
      : parsed.name.length > SENDER_NAME_MAX
        ? `the display name must be at most ${SENDER_NAME_MAX} characters`
        : null;
    if (parsed && message === null) return { written: text.trim(), parsed };
    context.addIssue({ code: "custom", message: message! });
    return z.NEVER;
  });

/** One address or a list of them. */
export const Addresses = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => (Array.isArray(value) ? value : [value]))
  .pipe(z.array(Address));

/** Clients send "", [] and null where they mean nothing. */
export const OptionalAddresses = z
  .union([z.string(), z.array(z.string())])
  .nullish()
  .transform((value) =>
    value === "" || value == null ? [] : Array.isArray(value) ? value : [value],
  )
  .pipe(z.array(Address));
