import { z } from "zod";

/** What is no id names nothing: 0 is none. */
export const UnitPath = z.object({
  id: z.string().transform((text) => (/^\d{1,10}$/.test(text) ? Number(text) : 0)),
});
