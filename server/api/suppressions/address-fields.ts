import { z } from "zod";

import { parseRecipient } from "#server/core/shared/addresses/parse-address.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { boundedList } from "#server/http/bounded.ts";
import { blankIsMissing } from "#server/http/text-fields.ts";

const BATCH_MAX = 100;

const INVALID_ADDRESS = "must be a valid email address";

/** One address without its display name. */
export const Address = blankIsMissing(
  z.string().transform((written, context) => {
    const parsed = parseRecipient(written);
    if (parsed) return parsed.address;
    context.addIssue(INVALID_ADDRESS);
    return z.NEVER;
  }),
).meta({ type: "string" });

/** 1 to 100 entries; `readAddresses` and `readIds` validate each one. */
export const Batch = boundedList(z.unknown(), BATCH_MAX)
  .refine((entries) => entries.length > 0, { error: "must have at least 1 entry" })
  .meta({ minItems: 1, items: { type: "string" } });

/**
 * The addresses of a batch, without display names.
 *
 * @throws Refusal `invalid`, naming the index of the first invalid entry
 */
export const readAddresses = (entries: unknown[]) =>
  entries.map((entry, index) => {
    if (typeof entry !== "string") throw invalidEntry("Email", index, "must be a string");
    const parsed = parseRecipient(entry);
    if (!parsed) throw invalidEntry("Email", index, INVALID_ADDRESS);
    return parsed.address;
  });

/** The ids of a batch. Malformed ids match nothing and are not an error. */
export const readIds = (entries: unknown[]) =>
  entries.map((entry, index) => {
    if (typeof entry !== "string") throw invalidEntry("Id", index, "must be a string");
    return entry;
  });

const invalidEntry = (kind: string, index: number, problem: string) =>
  new Refusal("invalid", `${kind} at index ${index}: ${problem}`);
