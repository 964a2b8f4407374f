import { anyText, oneOf, useUrlFilters } from "#app/console/ui/url-filters.ts";

import type { MailboxFilters } from "./queries.ts";

export const MAILBOX_STATES = {
  active: "Active",
  suspended: "Suspended",
  on_hold: "On hold",
  full: "Full",
  nearly_full: "Nearly full (90% or more)",
  password_due: "Password change required",
  never_signed_in: "Never signed in",
} satisfies Record<NonNullable<MailboxFilters["status"]>, string>;

export const useMailboxFilters = (): MailboxFilters =>
  useUrlFilters({
    search: anyText,
    domain: anyText,
    status: oneOf(MAILBOX_STATES),
    unit: (text) => (/^\d{1,10}$/.test(text) ? text : undefined),
  });
