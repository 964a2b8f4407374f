import { z } from "zod";

import { parseRecipient } from "#server/core/shared/addresses/parse-address.ts";
import { boundedList } from "#server/http/bounded.ts";

/** With up to 320 characters each, this many fit into a request body. */
const ADDRESSES_MAX = 2_000;

/** Addresses as entered. They are validated one by one, so that an invalid one doesn't reject the others. */
export const AddressList = z.object({
  addresses: boundedList(z.string().max(1_000), ADDRESSES_MAX),
});

/** One result per address, in the same order. */
export const resultsWith = <Outcome extends string>(outcome: z.ZodType<Outcome>) =>
  z.object({
    results: z.array(
      z.object({
        address: z
          .string()
          .nullable()
          .describe("The normalized address, in lowercase; null if it is invalid"),
        outcome,
      }),
    ),
  });

/** Normalizes each address; null for an invalid one. */
export const parseAddresses = (texts: string[]): (string | null)[] =>
  texts.map((text) => parseRecipient(text)?.address ?? null);

export const isAddress = (address: string | null) => address !== null;
