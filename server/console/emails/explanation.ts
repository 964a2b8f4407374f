import { z } from "zod";

/** Explains a delivery outcome in plain language. */
export const Explanation = z
  .object({
    why: z.string(),
    advice: z.string().nullable().describe("What to do about it"),
  })
  .nullable();
