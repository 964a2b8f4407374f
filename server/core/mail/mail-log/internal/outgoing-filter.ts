import { type SQL, sql } from "drizzle-orm";

import { containsPattern } from "#server/core/shared/paging/containing.ts";

import type { Period } from "./period.ts";

export type OutgoingFilter = Period & {
  /** Substring of the sender or recipient, such as a domain. */
  search?: string | undefined;
  result?: "delivered" | "delayed" | "bounced" | "not_sent" | undefined;
  companyId?: string | undefined;
  /** Id of an email or message. */
  parentId?: string | undefined;
};

/** The conditions for the filter's company and search, on the columns of the given table. */
export function filterConditions(
  { search, companyId }: OutgoingFilter,
  columns: { companyId: SQL; recipient: SQL; sender: SQL },
): SQL[] {
  return [
    ...(companyId ? [sql`${columns.companyId} = ${companyId}::uuid`] : []),
    ...(search
      ? [
          sql`lower(${columns.sender} || ' ' || ${columns.recipient}) like ${containsPattern(search)}`,
        ]
      : []),
  ];
}
