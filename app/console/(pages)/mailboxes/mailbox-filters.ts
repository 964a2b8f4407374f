import { useSearchParams } from "next/navigation";

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

/** The filters in the page's URL. Ignores invalid values. */
export function useMailboxFilters(): MailboxFilters {
  const asked = useSearchParams();
  const [search, domain, status, unit] = ["search", "domain", "status", "unit"].map((name) =>
    asked.get(name),
  );
  return {
    ...(search && { search }),
    ...(domain && { domain }),
    ...(status && Object.hasOwn(MAILBOX_STATES, status) && { status: status as "active" }),
    ...(unit && /^\d{1,10}$/.test(unit) && { unit }),
  };
}
