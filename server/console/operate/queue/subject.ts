import { z } from "zod";

/** A destination (a domain) or a company (its id). */
export const Subject = z.object({
  kind: z.enum(["destination", "company"]),
  subject: z.string().max(300),
});
