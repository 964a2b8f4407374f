import { z } from "zod";

/** Malformed IDs become 0, which no unit has, so that they return 404. */
export const UnitPath = z.object({
  id: z.string().transform((text) => (/^\d{1,10}$/.test(text) ? Number(text) : 0)),
});
