import { and, eq, type SQL, sql } from "drizzle-orm";

import { suppressions } from "#drizzle/schema/index.ts";
import { parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import type { Context } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/**
 * The company's suppression that `name` stands for, as a condition: with an at sign it is an address
 * in any case, anything else is an id. What can be neither names nothing.
 */
export function byIdOrAddress(ctx: Context, name: string): SQL | undefined {
  return and(eq(suppressions.companyId, ctx.companyId), named(name));
}

function named(name: string): SQL {
  if (isUuid(name)) return eq(suppressions.id, name);
  const address = name.includes("@") ? parseAddress(name)?.address : undefined;
  return address === undefined ? sql`false` : eq(suppressions.email, address);
}

export const suppressionNotFound = () => new Refusal("not_found", "Suppression not found");
