import { z } from "zod";

import { parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import { boundedList } from "#server/http/bounded.ts";

/** In one call: with 320 characters each they fit into a body. */
const ADDRESSES_MAX = 2_000;

/** Addresses as somebody wrote them: each is read by itself, so that a wrong one spoils no other. */
export const GivenAddresses = z.object({
  addresses: boundedList(z.string().max(1_000), ADDRESSES_MAX),
});

/** What became of each, in the order given. */
export const outcomesOf = <Outcome extends string>(outcome: z.ZodType<Outcome>) =>
  z.object({
    results: z.array(
      z.object({
        address: z.string().nullable().describe("As it is read: lowercase; null when it is none"),
        outcome,
      }),
    ),
  });

/** The address in each text; null where it is none. */
export const readGiven = (texts: string[]): (string | null)[] =>
  texts.map((text) => parseAddress(text)?.address ?? null);

export const isAddress = (address: string | null) => address !== null;
