import { and, eq, type SQL, sql } from "drizzle-orm";

import { suppressions } from "#drizzle/schema/index.ts";
import { parseRecipient } from "#server/core/shared/addresses/parse-address.ts";
import type { Context } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/**
 * Condition for the company's suppression with this id or address: with an @ it is an address
 * (case-insensitive). Matches nothing if it is neither.
 */
export function byIdOrAddress(ctx: Context, name: string): SQL | undefined {
  return and(eq(suppressions.companyId, ctx.companyId), named(name));
}

function named(name: string): SQL {
  if (isUuid(name)) return eq(suppressions.id, name);
  const address = name.includes("@") ? parseRecipient(name)?.address : undefined;
  return address === undefined ? sql`false` : eq(suppressions.email, address);
}

export const suppressionNotFound = () => new Refusal("not_found", "Suppression not found");
