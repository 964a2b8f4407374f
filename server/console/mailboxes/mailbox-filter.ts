import { z } from "zod";

import {
  MAILBOX_SORT_KEYS,
  MAILBOX_STATES,
  type MailboxFilter,
  type MailboxSort,
} from "#server/core/mailboxes/mailboxes/search-mailboxes.ts";

const Filters = z.object({
  search: z.string().max(200).optional().describe("Part of the address or name"),
  domain: z.string().optional(),
  status: z
    .enum(MAILBOX_STATES)
    .optional()
    .describe("`nearly_full` means at least 90%, but not full"),
  unit: z
    .string()
    .regex(/^\d{1,10}$/, { error: "must be a unit ID" })
    .transform(Number)
    .optional()
    .describe("Mailboxes in this unit or its subunits"),
});

const SORTS = MAILBOX_SORT_KEYS.flatMap((by) => [by, `-${by}`] as const);

/** What to list, and in which order. */
export const MailboxSearchQuery = Filters.extend({
  sort: z.enum(SORTS).optional().describe("Descending with a minus; by address by default"),
});

export function readMailboxSearch({
  sort = "address",
  ...filter
}: z.output<typeof MailboxSearchQuery>): { filter: MailboxFilter; sort: MailboxSort } {
  const isDescending = sort.startsWith("-");
  const by = (isDescending ? sort.slice(1) : sort) as MailboxSort["by"];
  return { filter, sort: { by, direction: isDescending ? "descending" : "ascending" } };
}
