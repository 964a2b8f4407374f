import { z } from "zod";

/** Blank text counts as missing. */
const blankToMissing = (value: unknown) =>
  typeof value === "string" && value.trim() === "" ? undefined : value;

/** Validated in core. */
export const Name = z
  .preprocess(blankToMissing, z.string())
  .meta({ type: "string", minLength: 1 })
  .describe("Name of the key: 1 to 50 characters after trimming, without control characters");

/** In an optional field, "" counts as null. */
export const emptyToNull = (value: unknown) => (value === "" ? null : value);
