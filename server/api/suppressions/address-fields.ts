import { z } from "zod";

import { parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { boundedList } from "#server/http/bounded.ts";

/** Addresses or ids in one call. */
const BATCH_MAX = 100;

const NOT_ONE_ADDRESS = "must be one email address";

/** One address; a display name beside it is left away. Empty counts as missing. */
export const Address = z
  .preprocess(
    (written) => (typeof written === "string" && written.trim() === "" ? null : written),
    z.string().transform((written, context) => {
      const parsed = parseAddress(written);
      if (parsed) return parsed.address;
      context.addIssue(NOT_ONE_ADDRESS);
      return z.NEVER;
    }),
  )
  .meta({ type: "string" });

/** 1 to 100 entries, which `readAddresses` and `readIds` look at one by one. */
export const Batch = boundedList(z.unknown(), BATCH_MAX)
  .refine((entries) => entries.length > 0, { error: "must have at least 1 entry" })
  .meta({ minItems: 1, items: { type: "string" } });

/**
 * The addresses of a batch, without display names.
 *
 * @throws Refusal `invalid`, which names the place of the first wrong one as batches of emails do
 */
export const readAddresses = (entries: unknown[]) =>
  entries.map((entry, index) => {
    if (typeof entry !== "string") throw wrong("Email", index, "must be a string");
    const parsed = parseAddress(entry);
    if (!parsed) throw wrong("Email", index, NOT_ONE_ADDRESS);
    return parsed.address;
  });

/** The ids of a batch. What is no id names nothing, which is no fault. */
export const readIds = (entries: unknown[]) =>
  entries.map((entry, index) => {
    if (typeof entry !== "string") throw wrong("Id", index, "must be a string");
    return entry;
  });

const wrong = (kind: string, index: number, problem: string) =>
  new Refusal("invalid", `${kind} at index ${index}: ${problem}`);
