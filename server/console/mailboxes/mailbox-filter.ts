import { z } from "zod";

export const MailboxFilterQuery = z.object({
  search: z.string().max(200).optional().describe("Part of the address or name"),
  domain: z.string().optional(),
  status: z.enum(["active", "suspended"]).optional(),
  unit: z
    .string()
    .regex(/^\d{1,10}$/, { error: "must be a unit ID" })
    .transform(Number)
    .optional()
    .describe("Mailboxes in this unit or its subunits"),
});
