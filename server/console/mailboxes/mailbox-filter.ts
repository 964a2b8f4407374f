import { z } from "zod";

import { sortQuery } from "#server/console/sort-query.ts";
import {
  MAILBOX_SORT_KEYS,
  MAILBOX_STATES,
  type MailboxFilter,
  type MailboxSort,
} from "#server/core/mailboxes/mailboxes/mailbox-list.ts";

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

/** What to list, and in which order. */
export const MailboxSearchQuery = Filters.extend({
  sort: sortQuery(MAILBOX_SORT_KEYS, "address"),
});

export const readMailboxSearch = ({
  sort,
  ...filter
}: z.output<typeof MailboxSearchQuery>): { filter: MailboxFilter; sort: MailboxSort } => ({
  filter,
  sort,
});
