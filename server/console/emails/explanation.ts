import { z } from "zod";

/** What an outcome means, in plain words. */
export const Explanation = z
  .object({
    why: z.string(),
    advice: z.string().nullable().describe("What to do about it"),
  })
  .nullable();
