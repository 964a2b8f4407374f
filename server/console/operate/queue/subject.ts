import { z } from "zod";

/** A destination (its domain) or a company (its ID). */
export const Subject = z.object({
  kind: z.enum(["destination", "company"]),
  subject: z.string().max(300),
});
