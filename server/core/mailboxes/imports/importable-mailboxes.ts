import { inArray, type SQL } from "drizzle-orm";

import { mailboxes } from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";

/** SQL condition for the mailboxes that the caller can import mail into; undefined for all. */
export function importableMailboxes({ privileges, units }: HeldPrivileges): SQL | undefined {
  if (privileges.has("update_users")) return undefined;
  return inArray(mailboxes.orgUnitId, [...(units.get("update_users") ?? [])]);
}
