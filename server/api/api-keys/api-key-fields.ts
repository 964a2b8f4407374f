import { z } from "zod";

/** A text of nothing but white space is no name: it counts as one that was left out. */
const orMissing = (value: unknown) =>
  typeof value === "string" && value.trim() === "" ? undefined : value;

/** Core trims it and says what it must be. */
export const Name = z
  .preprocess(orMissing, z.string())
  .meta({ type: "string", minLength: 1 })
  .describe("1 to 50 characters after trimming, without control characters");

/** What `""` and null stand for in an optional field: that it was left out. */
export const orAbsent = (value: unknown) => (value === "" ? null : value);
