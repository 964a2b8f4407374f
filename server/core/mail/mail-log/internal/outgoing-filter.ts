import { type SQL, sql } from "drizzle-orm";

import { containing } from "#server/core/shared/paging/containing.ts";

import type { Period } from "./period.ts";

export type OutgoingFilter = Period & {
  /** Part of the sender's or recipient's address: a domain is part of them. */
  search?: string | undefined;
  result?: "delivered" | "delayed" | "bounced" | "not_sent" | undefined;
  companyId?: string | undefined;
  /** Of one email or message only. */
  parentId?: string | undefined;
};

/** What an entry is looked at for, in the columns that its table has for it. */
export function filterConditions(
  { search, companyId }: OutgoingFilter,
  columns: { companyId: SQL; recipient: SQL; sender: SQL },
): SQL[] {
  return [
    ...(companyId ? [sql`${columns.companyId} = ${companyId}::uuid`] : []),
    ...(search
      ? [sql`lower(${columns.sender} || ' ' || ${columns.recipient}) like ${containing(search)}`]
      : []),
  ];
}
