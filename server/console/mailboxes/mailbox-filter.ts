import { z } from "zod";

/** Which mailboxes a list has. */
export const MailboxFilterQuery = z.object({
  search: z.string().max(200).optional().describe("Part of the address or the name"),
  domain: z.string().optional(),
  status: z.enum(["active", "suspended"]).optional(),
  unit: z
    .string()
    .regex(/^\d{1,10}$/, { error: "must be the id of a unit" })
    .transform(Number)
    .optional()
    .describe("In this unit or below it"),
});
